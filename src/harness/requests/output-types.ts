/** The requests that a task makes of a model, doc by doc. lm_eval 0.4.13, build_all_requests and construct_requests. */
import { EvalError, unreachable, type Json } from '../../base/errors.ts'
import { unwatched, type Watch } from '../../base/watched-step.ts'
import type { TextRequest } from '../../contracts/requests.ts'
import type { Shard } from '../../contracts/shard.ts'
import { rstrip } from '../../python/string.ts'
import { fromJson, repr, str, toJson, type PyDict, type PyValue } from '../../python/value.ts'
import { isConfigDict } from '../../python/yaml/yaml-value.ts'
import { fewshotSplitOf } from '../tasks/dataset-reference.ts'
import { buildContexts, type ContextSettings } from './context.ts'
import { canLeak, makeSampler } from './fewshot.ts'
import { goldOutside } from './gold.ts'
import { shardDocs } from './shard-docs.ts'
import type { PromptTask } from './task.ts'

export interface RequestSettings extends ContextSettings {
  /** Already settled by `resolveNumFewshot`. */
  readonly numFewshot: number
  /** Below 1 a share of the docs, else their number; null and 0 = all. */
  readonly limit: number | null
  /** Positions of the docs to ask; they are walked in dataset order and labelled in this list's order. null = by `limit`. */
  readonly samples: readonly number[] | null
  /** Of the docs so chosen, the part that is asked; null or not given = all. Examples are drawn for all, so each doc has those of a whole run. */
  readonly shard?: Shard | null
  readonly fewshotSeed: number
  /** In place of the file's `generation_kwargs`, overrides merged in; null or not given = the file's. */
  readonly generationKwargs?: PyDict | null
  /** Hears of every doc before its prompt is made. */
  readonly watch?: Watch
  /** Whether a prompt is short enough: examples are dropped from the end until it is. Null or not given = none are dropped. */
  readonly fits?: ((context: string) => boolean) | null
}

/** One doc with its requests in the order of the harness's `idx`. */
export interface DocRequests {
  readonly docId: number
  readonly doc: PyDict
  readonly target: PyValue
  readonly requests: readonly TextRequest[]
  /** Examples that the prompt shows; less than was asked for where some were dropped. */
  readonly shots: number
  /** False when the prompt is too long without any example; always true where no length is asked for. */
  readonly fits: boolean
  /** As `goldOutside` gives it. */
  readonly goldOutside: string | null
}

/** All requests of a task at once, and what a user should know before believing the scores. Throws as `walkRequests`. */
export function buildRequests(
  task: PromptTask,
  settings: RequestSettings,
): { readonly docs: readonly DocRequests[]; readonly warnings: readonly string[] } {
  try {
    return { docs: [...walkRequests(task, settings)], warnings: requestWarnings(task, settings) }
  } finally {
    settings.watch?.(null)
  }
}

/**
 * The requests of all docs asked, made one doc at a time so that a caller can stop. Each walk starts afresh from the seed.
 * Throws `settings/invalid` for samples beyond the docs, `fewshot/failed`, and what contexts and templates throw.
 */
export function* walkRequests(task: PromptTask, settings: RequestSettings): Generator<DocRequests, void, undefined> {
  const sampler = makeSampler(task, settings.fewshotSeed)
  const kwargs = toKwargs(settings.generationKwargs ?? task.config.generationKwargs ?? new Map())
  const { watch = unwatched } = settings
  const docs = [...selectDocs(task, settings)]
  const asked =
    settings.shard == null
      ? null
      : shardDocs(
          docs.map(({ doc }) => doc),
          settings.shard,
        )
  for (const [index, { docId, doc }] of docs.entries()) {
    watch({ task: task.name, docId, kind: 'prompt', filter: null, pattern: null })
    const examples = settings.numFewshot > 0 ? sampler.sample(settings.numFewshot, doc) : []
    if (asked?.[index] === false) continue
    const { contexts, shots, fits } = fittingContexts(task, doc, examples, settings)
    const target = task.docToTarget(doc)
    const requests = requestsOf(task, { doc, target, contexts, isChat: settings.chat !== null, kwargs })
    yield { docId, doc, target, requests, shots, fits, goldOutside: goldOutside(task, doc, target) }
  }
}

/** The contexts with as many of the examples, from the first on, as let them fit. */
function fittingContexts(
  task: PromptTask,
  doc: PyDict,
  examples: readonly PyDict[],
  settings: RequestSettings,
): { readonly contexts: readonly string[]; readonly shots: number; readonly fits: boolean } {
  const { fits = null } = settings
  for (let shots = examples.length; ; shots--) {
    const contexts = buildContexts(task, doc, examples.slice(0, shots), settings)
    const isShort = fits === null || contexts.every(fits)
    if (isShort || shots === 0) return { contexts, shots, fits: isShort }
  }
}

/** Warns of prompts that can show the answer they ask for, and of examples from among the docs asked. */
export function requestWarnings(task: PromptTask, { numFewshot }: Pick<RequestSettings, 'numFewshot'>): readonly string[] {
  if (numFewshot <= 0) return []
  if (!canLeak(task.config)) return askedAmongExamples(task)
  return [
    `${task.name}: the few-shot examples come from the split '${task.evalSplit}', which is also the one asked, and the doc asked is not kept out of them: prompts can show their own answer. lm-evaluation-harness does the same; another split as fewshot_split in the task file avoids it.`,
  ]
}

/** Examples that are drawn from the docs asked, each kept out of its own prompt, whether the task names that split or has no other. */
function askedAmongExamples({ name, config, evalSplit }: PromptTask): readonly string[] {
  if (fewshotSplitOf(config) !== evalSplit) return []
  return [
    `${name}: the few-shot examples come from the split '${evalSplit}', which is also the one asked. No doc is among its own examples, but each shows answers of others: where docs resemble one another, that leaks. Another split as fewshot_split in the task file avoids it.`,
  ]
}

/** How many docs a limit leaves: below 1 a share, rounded up; 0 and null all. */
export function countDocs(total: number, limit: number | null): number {
  if (limit === null || limit === 0) return total
  return Math.min(total, limit < 1 ? Math.ceil(total * limit) : Math.trunc(limit))
}

/** Ids of the docs that are asked before any are left to other shards, in order. */
export function docIdsOf(task: PromptTask, settings: Pick<RequestSettings, 'limit' | 'samples'>): readonly number[] {
  return [...selectDocs(task, settings)].map(({ docId }) => docId)
}

function* selectDocs(
  task: PromptTask,
  { limit, samples }: Pick<RequestSettings, 'limit' | 'samples'>,
): Generator<{ readonly docId: number; readonly doc: PyDict }> {
  const total = task.evalDocs.length
  if (samples === null || samples.length === 0) {
    for (const [docId, doc] of task.evalDocs.slice(0, countDocs(total, limit)).entries()) yield { docId, doc }
    return
  }
  const beyond = samples.find((index) => !Number.isInteger(index) || index < 0 || index >= total)
  if (beyond !== undefined) {
    throw new EvalError('settings/invalid', `task '${task.name}': samples wants positions from 0 to ${total - 1}, found ${beyond}`, {
      details: { task: task.name, found: beyond },
    })
  }
  const wanted = new Set(samples)
  const chosen = task.evalDocs.filter((_doc, index) => wanted.has(index))
  for (const [position, doc] of chosen.entries()) yield { docId: samples[position] ?? position, doc }
}

function toKwargs(kwargs: PyDict): { readonly [key: string]: Json } {
  return Object.fromEntries([...kwargs].map(([key, value]) => [key, toJson(value)]))
}

interface RequestParts {
  readonly doc: PyDict
  readonly target: PyValue
  readonly contexts: readonly string[]
  readonly isChat: boolean
  readonly kwargs: { readonly [key: string]: Json }
}

function requestsOf(task: PromptTask, parts: RequestParts): readonly TextRequest[] {
  const [context = ''] = parts.contexts
  if (task.outputType === 'multiple_choice') return choiceRequests(task, parts)
  if (task.outputType === 'loglikelihood_rolling') return [{ type: 'loglikelihood_rolling', text: targetText(task, parts.target) }]
  if (task.multipleInput > 0) {
    throw new EvalError(
      'task/invalid',
      `${task.config.file}: task '${task.name}' has several inputs a doc, which only output_type multiple_choice can ask`,
      {
        details: { task: task.name },
      },
    )
  }
  if (task.outputType === 'loglikelihood') return [{ type: 'loglikelihood', context, continuation: targetText(task, parts.target) }]
  return [{ type: 'generate_until', context, kwargs: parts.kwargs }]
}

function choiceRequests(task: PromptTask, { doc, target, contexts, isChat }: RequestParts): readonly TextRequest[] {
  const delimiter = choiceDelimiter(task, isChat)
  const choices = task.docToChoice(doc)
  const [context = ''] = contexts
  const request = (of: string, continuation: PyValue): TextRequest => ({
    type: 'loglikelihood',
    context: of,
    continuation: delimiter + str(continuation),
  })
  const asked = task.multipleInput > 0 ? contexts.map((one) => request(one, target)) : choices.map((choice) => request(context, choice))
  return wantsUnconditional(task) ? [...asked, ...choices.map((choice) => request('', choice))] : asked
}

/** In a chat the template separates; only a reply that was begun still needs the delimiter. A choice encoded alone has its own. */
function choiceDelimiter({ config }: PromptTask, isChat: boolean): string {
  if (config.own.choiceTokens !== 'continuation') return config.own.choiceTokens === 'spaced' ? ' ' : ''
  if (!isChat) return config.targetDelimiter
  const prefix = config.genPrefix ?? ''
  return prefix !== '' && rstrip(prefix) === prefix ? config.targetDelimiter : ''
}

function wantsUnconditional({ config }: PromptTask): boolean {
  return (config.metricList ?? []).some((entry) => isConfigDict(entry) && entry.get('metric') === 'acc_mutual_info')
}

function targetText(task: PromptTask, target: PyValue): string {
  if (typeof target === 'string') return target
  throw new EvalError(
    'task/invalid',
    `${task.config.file}: task '${task.name}', doc_to_target: wanted text for output_type ${task.outputType}, found ${repr(target)}`,
    {
      details: { task: task.name, key: 'doc_to_target' },
    },
  )
}

/** A request's arguments as the harness logs them: context and continuation, text, or context and generation settings. */
export function requestArguments(request: TextRequest): PyValue[] {
  switch (request.type) {
    case 'loglikelihood':
      return [request.context, request.continuation]
    case 'loglikelihood_rolling':
      return [request.text]
    case 'generate_until':
      return [request.context, fromJson(request.kwargs)]
    default:
      return unreachable(request)
  }
}
