/** The text worker's side of the task page: files of several places, one task at a time, one doc of it. */
import { EvalError, isEvalError, type Json } from '../base/errors.ts'
import type { TaskListing } from '../contracts/listings.ts'
import type { TokenizerFacts, TokenizerFiles } from '../contracts/models.ts'
import type { Table } from '../contracts/rows.ts'
import type { TaskFile } from '../contracts/run-settings.ts'
import { buildTask } from '../harness/requests/task.ts'
import { datasetReference, needsAllRows, requiredSplits, resolveNumFewshot } from '../harness/tasks/dataset-reference.ts'
import type { TaskNode } from '../harness/tasks/registry-expand.ts'
import { buildRegistry, type Registry, type Resolved } from '../harness/tasks/registry.ts'
import { readTaskConfig, type TaskConfig } from '../harness/tasks/task-config.ts'
import type { TaskRoot } from '../harness/tasks/task-files.ts'
import { functionTable } from '../ports/functions/functions.ts'
import { loadSignatures } from '../ports/functions/signatures/signatures.ts'
import { fromJson, isDict, jsonDumps } from '../python/value.ts'
import { readYamlMapping } from '../python/yaml/parse.ts'
import { FunctionRef, isConfigDict, isConfigList, toPlain, type ConfigValue } from '../python/yaml/yaml-value.ts'
import type {
  ConfigEntry,
  DocSettings,
  DocView,
  PromptTokens,
  StoryNode,
  StudyIndex,
  TaskProblem,
  TaskDetails,
  TaskPreviewApi,
} from '../rpc/task-preview-api.ts'
import { kindOfConfig, readRunConfig, type RunConfig } from '../settings/run-config.ts'
import { renderChat } from '../tokenizing/chat-template.ts'
import { promptTokens } from '../tokenizing/prompt-tokens.ts'
import { loadTokenizer, type Tokenizer } from '../tokenizing/tokenizer.ts'
import { makeDocView } from './doc-view.ts'
import { hashFile } from './hash-file.ts'
import { filesBehind, functionsOf, keyOrigins, lineOfKey } from './task-origins.ts'

/** Of so many tasks the functions are looked at when files are added; a folder may have thousands. */
const mostStudied = 100

/** The root of the user's own files, as runs name it. */
const givenRoot = 'given'

export class TaskPreview implements TaskPreviewApi {
  readonly #roots = new Map<string, TaskRoot>()
  #given: TaskRoot = { name: givenRoot, files: [] }
  #registry: Registry = buildRegistry([])
  #config: TaskConfig | null = null
  #tables: { readonly [split: string]: Table } = {}
  #tokenizer: Tokenizer | null = null

  async openRoot(root: TaskRoot): Promise<StudyIndex> {
    this.#roots.delete(root.name)
    const others = [...this.#roots.values()]
    // Reading thousands of files takes seconds: once listed, they are read only when something of theirs is asked for.
    const index = root.listing === undefined ? indexOf(buildRegistry([...others, root]), root.name) : { tasks: root.listing, problems: [] }
    this.#roots.set(root.name, { ...root, listing: index.tasks })
    this.#rebuild()
    return index
  }

  async giveFiles(files: readonly TaskFile[]): Promise<StudyIndex> {
    await loadSignatures()
    this.#given = { name: givenRoot, files }
    this.#rebuild()
    const index = indexOf(this.#registry, givenRoot)
    return { ...index, problems: [...index.problems, ...this.#functionProblems(index.tasks)] }
  }

  async explain(name: string, leaf: string | null, numFewshot: number | null): Promise<TaskDetails> {
    await loadSignatures()
    try {
      return this.#explain(name, leaf, numFewshot)
    } catch (error) {
      throw this.#located(error)
    }
  }

  async filesBehind(names: readonly string[], withBundled = false): Promise<readonly TaskFile[]> {
    return filesBehind(names, this.#registry, this.#allRoots(), withBundled)
  }

  async openTokenizer(files: TokenizerFiles, modelArgs: { readonly [key: string]: Json }): Promise<TokenizerFacts> {
    const tokenizer = loadTokenizer(files, modelArgs)
    this.#tokenizer = tokenizer
    const { bos, eos, pad, chatTemplate, maxLength } = tokenizer
    const template = typeof chatTemplate === 'string' || chatTemplate === null ? chatTemplate : JSON.stringify(chatTemplate)
    return { sha256: await hashFile(files.tokenizerJson), bos, eos, pad, chatTemplate: template, maxLength }
  }

  async promptTokens(prompt: string, isScored: boolean): Promise<PromptTokens> {
    if (this.#tokenizer === null) throw new EvalError('internal', 'The tokens of a prompt were asked for before a tokenizer.')
    return promptTokens(this.#tokenizer, prompt, isScored)
  }

  async giveRows(tables: { readonly [split: string]: Table }): Promise<void> {
    this.#tables = tables
  }

  async viewDoc(docId: number, settings: DocSettings): Promise<DocView> {
    const config = this.#config
    if (config === null) throw new EvalError('internal', 'A doc was asked for before its task.')
    try {
      return makeDocView(
        buildTask(config, this.#tables, { functions: functionTable() }),
        docId,
        {
          numFewshot: resolveNumFewshot(config, settings.numFewshot),
          limit: null,
          samples: null,
          fewshotSeed: settings.seeds.fewshot,
          systemInstruction: settings.systemInstruction,
          chat: this.#chatOf(settings),
          generationKwargs: generationKwargs(config, settings),
        },
        this.#tokenizer,
      )
    } catch (error) {
      throw this.#located(error)
    }
  }

  async readConfig({ path, text }: TaskFile): Promise<RunConfig | null> {
    return kindOfConfig(readYamlMapping(text, path)) === null ? null : readRunConfig(text, path)
  }

  #explain(name: string, leaf: string | null, numFewshot: number | null): TaskDetails {
    const resolved: Resolved = this.#registry.resolve([name], new Map())
    const leaves = resolved.tasks.map((task) => task.name)
    const source = resolved.tasks.find((task) => task.name === leaf) ?? resolved.tasks[0]
    if (source === undefined) throw new EvalError('task/invalid', `'${name}' has no tasks`, { details: { name } })
    const config = readTaskConfig(source.config, source.file)
    this.#config = config
    const examples = resolveNumFewshot(config, numFewshot)
    const root = this.#rootOf(source.file)
    const origins = keyOrigins(source, root, this.#allRoots())
    return {
      name,
      nodes: nodesOf(resolved.tree, 0),
      leaves,
      leaf: {
        name: config.task,
        file: source.file,
        text: this.#textOf(root, source.file),
        outputType: config.outputType,
        dataset: datasetReference(config),
        splits: requiredSplits(config, examples),
        needsAllRows: needsAllRows(config, examples),
        numFewshot: examples,
        entries: [...source.config].map(([key, value]): ConfigEntry => {
          const origin = origins.get(key)
          return { key, value: display(value), file: origin?.file ?? '', line: origin?.line ?? null, from: origin?.from ?? 'group' }
        }),
        functions: functionsOf(source.config),
      },
    }
  }

  /** Functions of the user's own tasks that can't be run: better told now than when the run begins. */
  #functionProblems(tasks: readonly TaskListing[]): readonly TaskProblem[] {
    const found = new Map<string, TaskProblem>()
    for (const { name } of tasks.filter(({ kind }) => kind === 'task').slice(0, mostStudied)) {
      const [source] = this.#resolvedTasks(name)
      for (const { key, file, problem } of source === undefined ? [] : functionsOf(source.config)) {
        if (problem === null || found.has(problem)) continue
        const text = this.#given.files.find(({ path }) => path === file)?.text
        found.set(problem, { file, message: problem, line: text === undefined ? null : lineOfKey(text, key), column: null })
      }
    }
    return [...found.values()]
  }

  /** None for a task that can't be resolved: its own problem is told elsewhere. */
  #resolvedTasks(name: string): Resolved['tasks'] {
    try {
      return this.#registry.resolve([name], new Map()).tasks
    } catch (error) {
      if (isEvalError(error)) return []
      throw error
    }
  }

  /** The root whose definition of the file counts: the user's own, then later ones first. */
  #rootOf(path: string): string {
    const roots = this.#allRoots().toReversed()
    return roots.find(({ files }) => files.some((file) => file.path === path))?.name ?? givenRoot
  }

  #textOf(root: string, path: string): string {
    const files = this.#allRoots().find(({ name }) => name === root)?.files ?? []
    return files.find((file) => file.path === path)?.text ?? ''
  }

  #allRoots(): readonly TaskRoot[] {
    return [...this.#roots.values(), this.#given]
  }

  #rebuild(): void {
    this.#registry = buildRegistry(this.#allRoots())
  }

  #chatOf(settings: DocSettings) {
    if (settings.applyChatTemplate === false) return null
    const tokenizer = this.#tokenizer
    if (tokenizer === null)
      throw new EvalError('tokenizer/chat-template', 'A chat template needs the tokenizer of a model; none is loaded.')
    return {
      fewshotAsMultiturn: settings.fewshotAsMultiturn ?? true,
      render: (
        messages: readonly { readonly role: string; readonly content: string }[],
        { addGenerationPrompt }: { readonly addGenerationPrompt: boolean },
      ) =>
        renderChat(tokenizer, messages, {
          addGenerationPrompt,
          continueFinalMessage: !addGenerationPrompt,
          templateArgs: {},
          now: () => new Date(),
        }),
    }
  }

  /** The error with the line at fault in its details, where the file that it names tells. */
  #located(error: unknown): unknown {
    if (!isEvalError(error) || typeof error.details['line'] !== 'number' || error.details['file'] === undefined) {
      const { file, line } = this.#placeOf(error)
      if (!isEvalError(error) || line === null) return error
      return new EvalError(error.code, error.message, { cause: error, details: { ...error.details, file, line } })
    }
    return error
  }

  #placeOf(error: unknown): { readonly file: string; readonly line: number | null } {
    const details = isEvalError(error) ? error.details : {}
    const named =
      typeof details['key'] === 'string'
        ? details['key']
        : /, (?:few-shot )?(\w+)$/.exec(typeof details['template'] === 'string' ? details['template'] : '')?.[1]
    const path = typeof details['file'] === 'string' ? details['file'] : (this.#config?.file ?? '')
    const text = this.#given.files.find((file) => file.path === path)?.text
    if (text === undefined || named === undefined) return { file: path, line: null }
    const line = lineOfKey(text, named)
    // Lines of a template are lines of the file only in a block that starts below its key.
    const isBlock = line !== null && /:\s*\|[-+\d]*\s*$/.test(text.split('\n')[line - 1] ?? '')
    const within = typeof details['line'] === 'number' && isBlock ? details['line'] : 0
    return { file: path, line: line === null ? null : line + within }
  }
}

function indexOf(registry: Registry, root: string): StudyIndex {
  return {
    tasks: registry.list().filter((listing: TaskListing) => listing.root === root),
    problems: registry.problems.map(({ file, error }): TaskProblem => {
      const { line, column } = error.details
      return {
        file,
        message: error.message,
        line: typeof line === 'number' ? line : null,
        column: typeof column === 'number' ? column : null,
      }
    }),
  }
}

function nodesOf(tree: readonly TaskNode[], depth: number): StoryNode[] {
  return tree.flatMap((node) => [
    { name: node.name, kind: node.kind, depth },
    ...(node.kind === 'group' ? nodesOf(node.children, depth + 1) : []),
  ])
}

function generationKwargs(config: TaskConfig, settings: DocSettings) {
  if (config.outputType !== 'generate_until') return null
  const given = fromJson(settings.genKwargs)
  return new Map([...(config.generationKwargs ?? []), ...(isDict(given) ? given : [])])
}

/** A value of a task file for reading: text as it is, the rest as JSON. */
function display(value: ConfigValue): string {
  if (typeof value === 'string') return value
  if (value instanceof FunctionRef) return `!function ${value.name}`
  return jsonDumps(toPlain(withFunctionTags(value)))
}

function withFunctionTags(value: ConfigValue): ConfigValue {
  if (value instanceof FunctionRef) return `!function ${value.name}`
  if (isConfigList(value)) return value.map(withFunctionTags)
  return isConfigDict(value) ? new Map([...value].map(([key, item]) => [key, withFunctionTags(item)])) : value
}
