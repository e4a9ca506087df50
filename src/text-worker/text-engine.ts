/** Everything that reads untrusted text, behind one flat facade: task files, templates, tokenizer, chat template, filters, metrics. */
import type { DocHashes } from '../analysis/cluster/expected.ts'
import { clusterTasks, type ClusterTasks, type RowFiles } from '../analysis/cluster/task-files.ts'
import { EvalError, type Json } from '../base/errors.ts'
import { unwatched, type Watch } from '../base/watched-step.ts'
import type { BuiltTask, GenerationLook, LeafTask, RequestAnswer } from '../contracts/built-task.ts'
import type { TokenizerFacts, TokenizerFiles } from '../contracts/models.ts'
import type { RunningScore } from '../contracts/progress.ts'
import type { PromptPreview } from '../contracts/requests.ts'
import type { RunResults } from '../contracts/results.ts'
import type { Table } from '../contracts/rows.ts'
import { buildRequests, docIdsOf } from '../harness/requests/output-types.ts'
import { buildTask } from '../harness/requests/task.ts'
import { datasetReference, needsAllRows, requiredSplits, resolveNumFewshot } from '../harness/tasks/dataset-reference.ts'
import type { TaskSource } from '../harness/tasks/registry-expand.ts'
import { buildRegistry, type Registry, type Resolved } from '../harness/tasks/registry.ts'
import { readTaskConfig, type TaskConfig } from '../harness/tasks/task-config.ts'
import type { TaskRoot } from '../harness/tasks/task-files.ts'
import { functionTable } from '../ports/functions/functions.ts'
import { loadSignatures } from '../ports/functions/signatures/signatures.ts'
import { fromJson, isDict, str, toJson, type PyDict } from '../python/value.ts'
import { toPlain } from '../python/yaml/yaml-value.ts'
import type { BuildSettings, ResultsRequest, TaskIndex, TextWorkerApi } from '../rpc/text-api.ts'
import { renderChat } from '../tokenizing/chat-template.ts'
import { readGenerationDefaults } from '../tokenizing/generation-config.ts'
import { readThinking, StopSequenceMatcher, type GenerationModel } from '../tokenizing/generation.ts'
import { bosWarnings, RenderedBefore } from '../tokenizing/prompt-warnings.ts'
import { loadTokenizer, type Tokenizer } from '../tokenizing/tokenizer.ts'
import { BuiltTextTask } from './built-task.ts'
import { hashFile } from './hash-file.ts'
import { makeResults } from './results/make-results.ts'
import { recipeWarnings } from './results/recipe-results.ts'
import { prepareScorer, taskScorer } from './task-scorer.ts'

type Tables = { readonly [split: string]: Table }

export class TextEngine implements TextWorkerApi {
  readonly #watch: Watch
  #registry: Registry | null = null
  #metadata: PyDict = new Map()
  #resolved: Resolved = { tasks: [], tree: [] }
  #model: GenerationModel | null = null
  #stopMatcher: StopSequenceMatcher | null = null
  readonly #built = new Map<string, BuiltTextTask>()
  /** Warnings that many tasks share are given once. */
  readonly #said = new Set<string>()

  /** `watch` hears of every step that untrusted text could make endless. */
  constructor(watch: Watch = unwatched) {
    this.#watch = watch
  }

  async loadTokenizer(files: TokenizerFiles, modelArgs: { readonly [key: string]: Json }): Promise<TokenizerFacts> {
    const tokenizer = loadTokenizer(files, modelArgs)
    this.#model = { tokenizer, defaults: readGenerationDefaults(files), ...readThinking(modelArgs) }
    this.#stopMatcher = new StopSequenceMatcher(tokenizer)
    const { bos, eos, pad, chatTemplate, maxLength } = tokenizer
    return {
      sha256: await hashFile(files.tokenizerJson),
      bos,
      eos,
      pad,
      chatTemplate: typeof chatTemplate === 'string' || chatTemplate === null ? chatTemplate : JSON.stringify(chatTemplate),
      maxLength,
    }
  }

  async loadTasks(roots: readonly TaskRoot[], metadata: { readonly [key: string]: Json }): Promise<TaskIndex> {
    await loadSignatures()
    this.#registry = buildRegistry(roots)
    const dict = fromJson(metadata)
    this.#metadata = isDict(dict) ? dict : new Map()
    return {
      tasks: this.#registry.list(),
      problems: this.#registry.problems.map(({ file, error }) => ({ file, message: error.message })),
    }
  }

  async resolve(names: readonly string[], numFewshot: number | null): Promise<readonly LeafTask[]> {
    if (this.#registry === null) throw new EvalError('internal', 'Tasks were asked for before their files were loaded.')
    this.#resolved = this.#registry.resolve(names, this.#metadata)
    return this.#resolved.tasks.map((source) => {
      const config = readTaskConfig(source.config, source.file)
      const examples = resolveNumFewshot(config, numFewshot)
      return {
        name: config.task,
        file: source.file,
        outputType: config.outputType,
        dataset: datasetReference(config),
        splits: requiredSplits(config, examples),
        needsAllRows: needsAllRows(config, examples),
        config: toJson(toPlain(source.config)),
      }
    })
  }

  async build(task: string, tables: Tables, settings: BuildSettings, excluded: readonly number[] = []): Promise<BuiltTask> {
    const model = this.#requireModel()
    await prepareScorer(this.#configOf(task), settings.predictOnly)
    const { built, warnings, docsOriginal } = this.#make(task, tables, settings, excluded)
    this.#built.set(task, built)
    const requests = built.encode(model)
    const doubled = bosWarnings(task, model.tokenizer, built.texts, requests)
    const own = recipeWarnings([built], model.tokenizer).filter((message) => !this.#said.has(message))
    for (const message of own) this.#said.add(message)
    return { name: task, docs: built.docCount, docsOriginal, requests, warnings: [...warnings, ...doubled, ...own, ...built.warnings()] }
  }

  async preview(task: string, tables: Tables, settings: BuildSettings, docs: number): Promise<readonly PromptPreview[]> {
    const limit = settings.limit === null ? docs : settings.limit
    await prepareScorer(this.#configOf(task), settings.predictOnly)
    return this.#make(task, tables, { ...settings, limit: limit < 1 ? docs : Math.min(limit, docs) }).previews
  }

  async watchGeneration(tokens: Int32Array, seen: number, stops: readonly string[]): Promise<GenerationLook> {
    if (this.#stopMatcher === null) throw new EvalError('internal', 'A text was watched before the tokenizer was loaded.')
    return this.#stopMatcher.look(tokens, seen, stops)
  }

  async answer(task: string, answers: readonly RequestAnswer[]): Promise<void> {
    this.#requireBuilt(task).answer(answers)
  }

  async runningScores(): Promise<readonly RunningScore[]> {
    return [...this.#built].flatMap(([task, built]) => built.running.read(task))
  }

  async results(request: ResultsRequest): Promise<RunResults> {
    const tasks = this.#resolved.tasks.map(({ name }) => this.#requireBuilt(name))
    return makeResults(request, tasks, this.#resolved.tree, this.#requireTokenizer())
  }

  async docHashes(task: string): Promise<{ readonly taskHash: string; readonly docs: readonly DocHashes[] }> {
    return this.#requireBuilt(task).hashes()
  }

  async clusterTasks(rows: { readonly [task: string]: RowFiles }): Promise<ClusterTasks> {
    return clusterTasks(this.#resolved, rows)
  }

  #make(name: string, tables: Tables, settings: BuildSettings, excluded: readonly number[] = []) {
    const config = this.#configOf(name)
    const task = buildTask(config, tables, { functions: functionTable() })
    const scorer = taskScorer(task, settings.predictOnly)
    const numFewshot = resolveNumFewshot(config, settings.numFewshot)
    const genKwargs = fromJson(settings.genKwargs)
    const generationKwargs =
      config.outputType === 'generate_until' ? new Map([...(config.generationKwargs ?? []), ...(isDict(genKwargs) ? genKwargs : [])]) : null
    const chat = this.#chatOf(settings)
    const { docs, warnings } = buildRequests(task, {
      fits: this.#fitOf(config),
      numFewshot,
      limit: settings.limit,
      samples: settings.samples?.[name] ?? null,
      shard: settings.shard ?? null,
      fewshotSeed: settings.seeds.fewshot,
      systemInstruction: settings.systemInstruction,
      chat,
      generationKwargs,
      watch: this.#watch,
    })
    const built = new BuiltTextTask({
      task,
      scorer,
      docs,
      numFewshot,
      generationKwargs,
      seed: settings.seeds.torch,
      excluded,
      wholeDocIds: docIdsOf(task, { limit: settings.limit, samples: settings.samples?.[name] ?? null }),
      watch: this.#watch,
    })
    const previews = docs.map((doc): PromptPreview => ({ task: name, docId: doc.docId, target: str(doc.target), requests: doc.requests }))
    const notes = scorer.notes(docs.map(({ doc }) => doc))
    return {
      built,
      warnings: [...warnings, ...notes, ...(chat?.before.warnings(name) ?? [])],
      previews,
      docsOriginal: task.evalDocs.length,
    }
  }

  /** Whether a prompt has few enough tokens for the task and the model; null where examples are never dropped, or nothing can count them. */
  #fitOf({ own }: TaskConfig): ((context: string) => boolean) | null {
    const tokenizer = this.#model?.tokenizer ?? null
    if (own.maxPromptTokens === null || tokenizer === null) return null
    const limit = Math.min(own.maxPromptTokens, tokenizer.maxLength)
    return (context) => tokenizer.encode(context).length <= limit
  }

  #chatOf(settings: BuildSettings) {
    if (settings.applyChatTemplate === false) return null
    const { tokenizer, templateArgs } = this.#requireModel()
    const before = new RenderedBefore(tokenizer)
    return {
      before,
      // The command line of the harness turns examples into turns when a chat template is applied, unless told otherwise.
      fewshotAsMultiturn: settings.fewshotAsMultiturn ?? true,
      render: (
        messages: readonly { readonly role: string; readonly content: string }[],
        { addGenerationPrompt }: { readonly addGenerationPrompt: boolean },
      ) => {
        before.look(messages)
        return renderChat(tokenizer, messages, {
          addGenerationPrompt,
          continueFinalMessage: !addGenerationPrompt,
          templateArgs,
          now: () => new Date(),
        })
      },
    }
  }

  #configOf(name: string): TaskConfig {
    const source: TaskSource | undefined = this.#resolved.tasks.find((one) => one.name === name)
    if (source === undefined) throw new EvalError('internal', `Task ${name} was not resolved.`)
    return readTaskConfig(source.config, source.file)
  }

  #requireTokenizer(): Tokenizer {
    return this.#requireModel().tokenizer
  }

  #requireModel(): GenerationModel {
    if (this.#model === null) throw new EvalError('internal', 'A task was built before the tokenizer was loaded.')
    return this.#model
  }

  #requireBuilt(name: string): BuiltTextTask {
    const built = this.#built.get(name)
    if (built === undefined) throw new EvalError('internal', `Task ${name} was not built.`)
    return built
  }
}
