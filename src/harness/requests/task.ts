/** A task over its rows: which docs are asked, and what their text, target and choices are. lm_eval 0.4.13, ConfigurableTask. */
import { EvalError, isEvalError } from '../../base/errors.ts'
import type { OutputType } from '../../contracts/requests.ts'
import type { Table } from '../../contracts/rows.ts'
import type { BudgetLimits } from '../../python/jinja/budget.ts'
import { codePoints } from '../../python/string.ts'
import { docsOfTable } from '../../python/cells.ts'
import { isDict, isList, repr, type PyDict, type PyValue } from '../../python/value.ts'
import { FunctionRef } from '../../python/yaml/yaml-value.ts'
import type { FunctionTable } from '../function-table.ts'
import { evalSplitOf, fewshotSplitOf } from '../tasks/dataset-reference.ts'
import type { TaskConfig } from '../tasks/task-config.ts'
import { builtinPrompts, choiceItems, DocFields, isInteger } from './doc-fields.ts'

export interface Task {
  readonly name: string
  readonly config: TaskConfig
  readonly outputType: OutputType
  /** The evaluation split after `process_docs`. */
  readonly evalDocs: readonly PyDict[]
  /** Rows that few-shot examples are drawn from. */
  readonly fewshotPool: readonly PyDict[]
  /** Column names of the evaluation split: a `doc_to_*` equal to one of them means that column. */
  readonly features: readonly string[]
  /** Number of choices when doc 0 has several inputs and one target (winogrande), else 0. */
  readonly multipleInput: number
  /** Number of targets when doc 0 has a list of them, else 0. */
  readonly multipleTarget: number
  readonly evalSplit: string
  /** A string, or an int for multiple-input tasks. */
  docToText(doc: PyDict): PyValue
  docToTarget(doc: PyDict): PyValue
  /** The choices of a doc; throws `task/invalid` when the task has none. */
  docToChoice(doc: PyDict): readonly PyValue[]
}

/** A task that can word prompts. */
export interface PromptTask extends Task {
  /** Fields of the doc that is asked. */
  readonly asked: DocWording
  /** The same as few-shot examples word them. */
  readonly example: DocWording
}

/** A doc's parts. `choices` is null when the task has none, `genPrefix` when the reply begins freely. */
export interface DocWording {
  text(doc: PyDict): PyValue
  target(doc: PyDict): PyValue
  choices(doc: PyDict): PyValue | null
  genPrefix(doc: PyDict): PyValue
  description(doc: PyDict): PyValue
}

interface TaskOptions {
  readonly functions: FunctionTable
  /** Limits for each rendering of a template. */
  readonly limits?: Partial<BudgetLimits>
}

/**
 * The task over its rows, tried out on doc 0 as the harness does. Throws `dataset/empty` without docs, `dataset/schema` for missing
 * splits and columns, `template/…` for templates, `task/invalid` for fields of a wrong form, `task/unsupported` for images and sound.
 */
export function buildTask(config: TaskConfig, datasets: { readonly [split: string]: Table }, options: TaskOptions): PromptTask {
  const place = `${config.file}: task '${config.task}'`
  if (['doc_to_image', 'doc_to_audio'].some((key) => (config.source.get(key) ?? null) !== null)) {
    throw new EvalError('task/unsupported', `${place} shows images or plays sound, which this program can't`, {
      details: { file: config.file, task: config.task },
    })
  }
  const functions = options.functions
  const splits = new SplitReader(datasets, { place, functions })
  const evalSplit = evalSplitOf(config)
  const evalDocs = splits.read(evalSplit, config.processDocs)
  const first = evalDocs[0]
  if (first === undefined)
    throw new EvalError('dataset/empty', `${place}: the split '${evalSplit}' has no rows`, {
      details: { task: config.task, split: evalSplit },
    })
  const features = config.processDocs === null ? splits.columns(evalSplit) : [...first.keys()]
  const fields = new DocFields({
    task: config.task,
    file: config.file,
    features,
    hasChoices: config.docToChoice !== null,
    functions,
    limits: options.limits ?? {},
  })
  const asked = askedWording(config, fields, place)
  const task = {
    name: config.task,
    config,
    outputType: config.outputType,
    evalDocs,
    features,
    evalSplit,
    fewshotPool: readPool(config, splits, functions),
    docToText: (doc: PyDict) => asked.text(doc),
    docToTarget: (doc: PyDict) => asked.target(doc),
    docToChoice: (doc: PyDict) => {
      const choices = asked.choices(doc)
      if (choices === null)
        throw new EvalError('task/invalid', `${place}, doc_to_choice: wanted choices, but the task has none`, {
          details: { task: config.task },
        })
      return choiceItems(choices, place)
    },
    asked,
    example: exampleWording(config, fields, asked),
  }
  return { ...task, ...tryFirstDoc(asked, first, place) }
}

function askedWording(config: TaskConfig, fields: DocFields, place: string): DocWording {
  const prompt = config.usePrompt === null ? null : findPrompt(config.usePrompt, place)
  return {
    text: (doc) => fields.text('doc_to_text', prompt ?? config.docToText, doc),
    target: (doc) => fields.target('doc_to_target', prompt ?? config.docToTarget, doc),
    choices: (doc) => (hasChoices(config.docToChoice) ? fields.choice('doc_to_choice', prompt ?? config.docToChoice, doc) : null),
    genPrefix: (doc) => fields.prefix('gen_prefix', config.genPrefix, doc),
    description: (doc) => fields.resolve('description', config.description, doc),
  }
}

function exampleWording(config: TaskConfig, fields: DocFields, asked: DocWording): DocWording {
  const { fewshot, usePrompt } = config
  const form = <T>(own: T, fallback: T): T => own ?? fallback
  const hasPrompt = usePrompt !== null
  return {
    text: (doc) => (hasPrompt ? asked.text(doc) : fields.text('few-shot doc_to_text', form(fewshot.docToText, config.docToText), doc)),
    target: (doc) =>
      hasPrompt ? asked.target(doc) : fields.target('few-shot doc_to_target', form(fewshot.docToTarget, config.docToTarget), doc),
    choices: (doc) => {
      if (!hasChoices(fewshot.docToChoice)) return null
      return hasPrompt ? asked.choices(doc) : fields.choice('few-shot doc_to_choice', fewshot.docToChoice, doc)
    },
    genPrefix: (doc) => fields.resolve('few-shot gen_prefix', fewshot.genPrefix, doc),
    description: (doc) => asked.description(doc),
  }
}

/** Python's truth of the field: an empty text, list or mapping counts as none. */
function hasChoices(form: unknown): boolean {
  if (form === null || form === '') return false
  if (Array.isArray(form)) return form.length > 0
  return !(form instanceof Map) || form.size > 0
}

function findPrompt(name: string, place: string): string {
  const prompt = builtinPrompts.get(name)
  if (prompt !== undefined) return prompt
  throw new EvalError('task/unsupported', `${place}, use_prompt: wanted one of ${[...builtinPrompts.keys()].join(', ')}, found '${name}'`, {
    details: { prompt: name },
  })
}

function readPool(config: TaskConfig, splits: SplitReader, functions: FunctionTable): readonly PyDict[] {
  const { split, samples, processDocs } = config.fewshot
  if (split === null && samples !== null) return samples instanceof FunctionRef ? functions.samples(samples)() : samples
  const from = fewshotSplitOf(config)
  // The split is only loaded when examples are asked for.
  if (from === null || !splits.has(from)) return []
  return splits.read(from, split === null ? config.processDocs : processDocs)
}

/** Reads splits; the same split through the same `process_docs` is read once. */
class SplitReader {
  private readonly datasets: { readonly [split: string]: Table }
  private readonly context: { readonly place: string; readonly functions: FunctionTable }
  private readonly known = new Map<string, readonly PyDict[]>()

  constructor(datasets: { readonly [split: string]: Table }, context: { readonly place: string; readonly functions: FunctionTable }) {
    this.datasets = datasets
    this.context = context
  }

  has(split: string): boolean {
    return Object.hasOwn(this.datasets, split)
  }

  columns(split: string): readonly string[] {
    return this.table(split).columns.map(({ name }) => name)
  }

  read(split: string, processDocs: FunctionRef | null): readonly PyDict[] {
    const key = `${split}\n${processDocs?.file ?? ''}\n${processDocs?.name ?? ''}`
    const known = this.known.get(key)
    if (known !== undefined) return known
    const rows = docsOfTable(this.table(split))
    const docs = processDocs === null ? rows : this.process(rows, processDocs)
    this.known.set(key, docs)
    return docs
  }

  private process(rows: readonly PyDict[], ref: FunctionRef): readonly PyDict[] {
    const run = this.context.functions.processDocs(ref)
    try {
      return run(rows)
    } catch (error) {
      if (!isEvalError(error)) throw error
      throw new EvalError(error.code, `${this.context.place}, process_docs: ${error.message}`, { cause: error, details: error.details })
    }
  }

  private table(split: string): Table {
    const table = this.has(split) ? this.datasets[split] : undefined
    if (table !== undefined) return table
    const found = Object.keys(this.datasets)
    throw new EvalError(
      'dataset/schema',
      `${this.context.place}: wanted the split '${split}', but the dataset has ${found.length === 0 ? 'none' : found.join(', ')}`,
      {
        details: { split, found },
      },
    )
  }
}

/** The harness's trial on doc 0, which settles what kind of inputs and targets the task has. */
function tryFirstDoc(asked: DocWording, doc: PyDict, place: string): { readonly multipleInput: number; readonly multipleTarget: number } {
  const fail = (key: string, problem: string): never => {
    throw new EvalError('task/invalid', `${place}, ${key}: on the first doc ${problem}`, { details: { key } })
  }
  const text = asked.text(doc)
  const target = asked.target(doc)
  const choices = asked.choices(doc)
  if (choices === null) return { multipleInput: 0, multipleTarget: isList(target) ? target.length : 0 }
  const items = choiceItems(choices, place)
  if (isInteger(text) && !isList(choices)) fail('doc_to_choice', `wanted a list of choices, found ${repr(choices)}`)
  if (!isList(target) && isInteger(target) && (isDict(choices) || itemAt(items, Number(target)) === undefined)) {
    fail('doc_to_target', `wanted the index of one of ${items.length} choices, found ${repr(target)}`)
  }
  for (const choice of items) {
    const first = isList(choice) ? choice[0] : typeof choice === 'string' ? codePoints(choice)[0] : undefined
    if (typeof first !== 'string') fail('doc_to_choice', `wanted choices that are texts with at least one character, found ${repr(choice)}`)
  }
  return { multipleInput: isInteger(text) ? items.length : 0, multipleTarget: isList(target) ? target.length : 0 }
}

/** An item as Python indexes: negative positions count from the end. */
export function itemAt<T>(items: readonly T[], index: number): T | undefined {
  return items[index < 0 ? index + items.length : index]
}
