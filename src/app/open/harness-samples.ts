/**
 * One sample of the harness, of any version since 0.4.0, as the page shows it. Older versions write `arguments` as a list, responses as
 * numbers, a list of samples instead of lines, and no filter's name.
 */
import * as v from 'valibot'
import { EvalError, type Json } from '../../base/errors.ts'
import type { SampleChoice, SampleView } from '../../contracts/samples.ts'
import { argmax } from '../../harness/metrics/means.ts'
import { fromJson, str } from '../../python/value.ts'
import { looseNumber } from './loose-json.ts'
import { limits } from './opened-run.ts'

const json = v.custom<Json>(() => true)
const lineSchema = v.looseObject({
  doc_id: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  target: v.optional(json),
  arguments: v.optional(v.union([v.record(v.string(), json), v.array(json)])),
  resps: v.array(json),
  filter: v.optional(v.pipe(v.string(), v.maxLength(200))),
  metrics: v.optional(v.array(v.string())),
})
type Line = v.InferOutput<typeof lineSchema>

/** As `ownSampleDict` of `harness/results/yardstick-sample.ts` writes it. */
const ownLineSchema = v.object({
  num_fewshot: v.number(),
  fits: v.boolean(),
  choice_probabilities: v.nullable(v.array(v.number())),
  choice_mass: v.nullable(v.number()),
})

/** Keys of a sample that are no metric. */
const notMetrics = new Set([
  ...['doc_id', 'doc', 'target', 'arguments', 'resps', 'filtered_resps', 'filter', 'metrics'],
  ...['doc_hash', 'prompt_hash', 'target_hash', 'yardstick', 'text_withheld'],
])

/** What the results file says of the task, as far as samples need it. */
export interface TaskFacts {
  readonly task: string
  /** Null when no results file came along. */
  readonly config: Json | null
}

/** Reads one sample; `line` is its text. `seen`: how often its doc has come before. Throws `results/invalid`, naming `where`. */
export function readSample(value: Json, line: string, { task, config }: TaskFacts, seen: number, where: string): SampleView {
  const parsed = v.safeParse(lineSchema, value, { abortEarly: true })
  if (!parsed.success) {
    const [issue] = parsed.issues
    const key = v.getDotPath(issue)
    throw new EvalError(
      'results/invalid',
      `${where}: wanted ${issue.expected ?? 'a sample of lm_eval'}${key === null ? '' : ` for '${key}'`}, found ${issue.received.slice(0, 80)}.`,
    )
  }
  const sample = parsed.output
  if (sample.resps.length > limits.choices)
    throw new EvalError('results/invalid', `${where}: wanted at most ${limits.choices} answers to a doc, found ${sample.resps.length}.`)
  const requests = readRequests(sample.arguments)
  const pairs = sample.resps.map(readPair)
  const isScored = pairs.length > 0 && pairs.every((pair) => pair !== null)
  const isChoice = isScored && textAt(config, 'output_type') !== 'loglikelihood' && pairs.length > 1
  const choices = isScored
    ? readChoices(
        requests,
        pairs.flatMap((pair) => pair ?? []),
        isChoice,
      )
    : []
  const metrics = Object.fromEntries(
    metricNames(sample).flatMap((name) => (Object.hasOwn(sample, name) ? [[name, sample[name] as Json]] : [])),
  )
  const target = sample.target === undefined ? '' : str(fromJson(sample.target))
  const picks = isChoice ? picksOf(choices) : null
  return {
    task,
    docId: sample.doc_id,
    filter: sample.filter ?? filterAt(config, seen),
    prompt: textOf(requests[0]?.[0]),
    target,
    choices,
    gold: picks === null ? [] : goldOf(sample.target, choices, metrics, picks.acc),
    picks,
    generated: isScored ? [] : sample.resps.flatMap(textsOf),
    metrics,
    line,
    ...ownOf(sample['yardstick']),
  }
}

/** What lines of ours say beside the harness's keys; nothing for others, and for what can't be read. */
function ownOf(value: unknown): Pick<SampleView, 'own'> {
  const parsed = v.safeParse(ownLineSchema, value)
  if (!parsed.success) return {}
  const { num_fewshot: shots, fits, choice_probabilities: probabilities, choice_mass: mass } = parsed.output
  return { own: { shots, fits, probabilities, mass, csv: null } }
}

/** Arguments of every request, in order. */
function readRequests(args: Line['arguments']): readonly (readonly Json[])[] {
  const list = args === undefined ? [] : Array.isArray(args) ? args : Object.values(args)
  return list.map((request) => {
    if (Array.isArray(request)) return request as readonly Json[]
    return typeof request === 'object' && request !== null ? Object.values(request) : [request]
  })
}

interface Pair {
  readonly logprob: number
  readonly isGreedy: boolean
}

/** A log-probability and whether it was greedy, of a request's first repeat; null for any other answer. */
function readPair(response: Json): Pair | null {
  const first = Array.isArray(response) && Array.isArray(response[0]) ? (response[0] as readonly Json[]) : null
  if (first === null || first.length !== 2) return null
  const [logprob = null, greedy = null] = first
  const number = typeof logprob === 'string' ? numberOf(logprob) : looseNumber(logprob)
  if (number === null || !['True', 'False', true, false].includes(greedy as string | boolean)) return null
  return { logprob: number, isGreedy: greedy === true || greedy === 'True' }
}

/** A number as Python's `str` prints it. */
function numberOf(text: string): number | null {
  const special = { nan: NaN, inf: Infinity, '-inf': -Infinity, NaN, Infinity, '-Infinity': -Infinity }
  if (Object.hasOwn(special, text)) return special[text as keyof typeof special]
  return /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : null
}

/** Choices by what differs: the continuation, else the context. With mutual information each is asked a second time, without context. */
function readChoices(requests: readonly (readonly Json[])[], pairs: readonly Pair[], isChoice: boolean): SampleChoice[] {
  const contexts = requests.map((request) => textOf(request[0]))
  const continuations = requests.map((request) => textOf(request[1]))
  const half = pairs.length / 2
  const isTwice =
    isChoice &&
    Number.isInteger(half) &&
    contexts.slice(half).every((context) => context === '') &&
    contexts.slice(0, half).some((context) => context !== '') &&
    continuations.slice(0, half).every((text, index) => text === continuations[half + index])
  const count = isTwice ? half : pairs.length
  const own = continuations.slice(0, count)
  const differInContext = isChoice && new Set(own).size === 1 && new Set(contexts.slice(0, count)).size > 1
  const texts = differInContext ? contexts.slice(0, count) : withoutDelimiter(own)
  return texts.map((text, index) => ({
    text,
    logprob: pairs[index]?.logprob ?? NaN,
    isGreedy: pairs[index]?.isGreedy ?? false,
    unconditional: isTwice ? (pairs[half + index]?.logprob ?? null) : null,
  }))
}

/** The blank or line break between prompt and answer isn't part of a choice; where all begin with one, it is that. */
function withoutDelimiter(texts: readonly string[]): readonly string[] {
  const [first = ''] = texts
  const delimiter = /^[ \n]/.exec(first)?.[0] ?? ''
  return delimiter !== '' && texts.every((text) => text.startsWith(delimiter)) ? texts.map((text) => text.slice(1)) : texts
}

/** Lengths as the harness takes them: code points and UTF-8 bytes. */
function picksOf(choices: readonly SampleChoice[]): NonNullable<SampleView['picks']> {
  const encoder = new TextEncoder()
  const by = (length: (text: string) => number) => argmax(choices.map(({ logprob, text }) => logprob / length(text)))
  return {
    acc: argmax(choices.map(({ logprob }) => logprob)),
    acc_norm: by((text) => [...text].length),
    acc_bytes: by((text) => encoder.encode(text).length),
  }
}

/** The target is the gold choice's index, a list of them, or its text; else a right pick is the gold one. */
function goldOf(
  target: Json | undefined,
  choices: readonly SampleChoice[],
  metrics: { readonly [name: string]: Json },
  pick: number,
): number[] {
  const text = typeof target === 'string' ? target.trim() : null
  const list = Array.isArray(target)
    ? target
    : text !== null && /^\[[\d, ]*\]$/.test(text)
      ? text.slice(1, -1).split(',').map(Number)
      : null
  const isIndex = (index: Json): index is number =>
    typeof index === 'number' && Number.isInteger(index) && index >= 0 && index < choices.length
  if (list !== null) return list.filter(isIndex)
  const number = text !== null && /^\d+$/.test(text) ? Number(text) : (target ?? null)
  if (isIndex(number)) return [number]
  const named = choices.findIndex((choice) => choice.text === target || choice.text === text)
  if (named >= 0) return [named]
  return metrics['acc'] === 1 ? [pick] : []
}

function metricNames(sample: Line): readonly string[] {
  return (sample.metrics ?? Object.keys(sample)).filter((name) => !notMetrics.has(name)).slice(0, 200)
}

/** Where the file doesn't name the filter, docs come once for each filter of the task's list, in its order. */
function filterAt(config: Json | null, seen: number): string {
  const list = valueAt(config, 'filter_list')
  const filter = Array.isArray(list) ? (list[seen] as Json | undefined) : undefined
  return textAt(filter ?? null, 'name') ?? (seen === 0 ? 'none' : `none ${seen + 1}`)
}

function valueAt(value: Json | null, key: string): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as { readonly [key: string]: Json })[key] : undefined
}

function textAt(value: Json | null, key: string): string | null {
  const found = valueAt(value, key)
  return typeof found === 'string' ? found : null
}

function textOf(value: Json | undefined): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Every text in a request's repeats. */
function textsOf(response: Json): readonly string[] {
  return Array.isArray(response) ? response.map((item: Json) => textOf(item)) : [textOf(response)]
}
