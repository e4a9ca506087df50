/**
 * From a task's answers to its sample lines and the values that are aggregated. lm_eval 0.4.13: filters, `process_results` and the
 * sample rows of `evaluate`, written as `EvaluationTracker.save_results_samples` writes them.
 */
import { EvalError } from '../../base/errors.ts'
import { sha256 } from '../../base/sha256.ts'
import { unwatched, type Watch } from '../../base/watched-step.ts'
import type { OwnSample } from '../../contracts/samples.ts'
import { numpyText } from '../../python/numpy-repr.ts'
import type { PyDict, PyValue } from '../../python/value.ts'
import { isList, jsonDumps, str } from '../../python/value.ts'
import type { FilterPipeline, FilterStep } from '../filters/filters.ts'
import { hashDoc, hashTask } from '../sample-hashes.ts'
import { ownSampleDict } from './yardstick-sample.ts'

/** One request with its answers. `args` are the harness's: context and continuation, text, or context and generation settings. */
export interface AnsweredRequest {
  readonly args: readonly PyValue[]
  /** One response per repeat, as `responseValue` gives them. */
  readonly responses: readonly PyValue[]
  /** Tokens of the continuation; null when unknown. Only `acc_tok` needs it. */
  readonly tokenCount: number | null
  /** The continuation's tokens, for reading: what they are, what they score in nats, and the token before them. Absent where that isn't known. */
  readonly tokens?: { readonly before: number; readonly ids: readonly number[]; readonly logprobs: readonly number[] }
}

export interface AnsweredDoc {
  /** Index in the evaluation split, as logged. */
  readonly docId: number
  readonly doc: PyDict
  /** Result of `doc_to_target`. */
  readonly target: PyValue
  readonly requests: readonly AnsweredRequest[]
  /** Of tasks with the `yardstick` key only: goes into a key of that name behind the harness's. */
  readonly own?: OwnSample
}

/** One line of samples_*.jsonl: one doc under one filter. */
export interface SampleLine {
  readonly docId: number
  readonly filter: string
  readonly metrics: ReadonlyMap<string, PyValue>
  readonly filtered: readonly PyValue[]
  /** What each filter of the pipeline made of the doc's requests, in order; the last is `filtered`. */
  readonly steps: readonly { readonly name: string; readonly outputs: readonly PyValue[] }[]
  readonly docHash: string
  readonly promptHash: string
  readonly targetHash: string
  /** The line itself, without its newline. */
  readonly text: string
}

/** Values of one metric under one filter, in doc order. */
export interface MetricValues {
  readonly metric: string
  readonly filter: string
  readonly items: readonly PyValue[]
}

export interface TaskSamples {
  /** All docs under the first filter, then all under the next. */
  readonly lines: readonly SampleLine[]
  /** In the order in which metrics first appear. */
  readonly values: readonly MetricValues[]
  /** The task's entry of `task_hashes`. */
  readonly hash: string
}

/** Scores one doc: `processResults` bound to its task, or the task's own function. */
export type ScoreDoc = (doc: AnsweredDoc, filtered: readonly PyValue[]) => ReadonlyMap<string, PyValue>

/** Who hears of every doc's filters and metrics before they are computed. */
export interface SampleWatch {
  readonly task: string
  readonly watch: Watch
}

/**
 * Filters all answers and scores every doc under every filter. Filters work doc by doc, so that a pattern which never ends is known with its
 * doc. Throws `filter/failed` and `metric/failed`, naming the doc.
 */
export function collectSamples(
  docs: readonly AnsweredDoc[],
  pipelines: readonly FilterPipeline[],
  score: ScoreDoc,
  watched: SampleWatch = { task: '', watch: unwatched },
): TaskSamples {
  try {
    return collectWatched(docs, pipelines, score, watched)
  } finally {
    watched.watch(null)
  }
}

function collectWatched(
  docs: readonly AnsweredDoc[],
  pipelines: readonly FilterPipeline[],
  score: ScoreDoc,
  { task, watch }: SampleWatch,
): TaskSamples {
  const hashes = docs.map((doc) => ({
    docHash: hashDoc(doc.doc),
    promptHash: sha256(str(doc.requests[0]?.args[0] ?? '')),
    targetHash: sha256(str(doc.target)),
  }))
  const lines: SampleLine[] = []
  const values = new Map<string, { metric: string; filter: string; items: PyValue[] }>()
  for (const { name, steps } of pipelines) {
    let filtered: FilteredDocs = docs.map(({ requests }) => requests.map(({ responses }) => [...responses]))
    const stages = steps.map((step) => {
      filtered = applyStep(step, name, docs, filtered, { task, watch })
      return { name: step.name, outputs: filtered }
    })
    docs.forEach((doc, i) => {
      const results = filtered[i] ?? []
      const made = stages.map((stage) => ({ name: stage.name, outputs: stage.outputs[i] ?? [] }))
      watch({ task, docId: doc.docId, kind: 'score', filter: name, pattern: null })
      const metrics = scoreNamed(score, doc, results)
      const { docHash, promptHash, targetHash } = hashes[i] ?? { docHash: '', promptHash: '', targetHash: '' }
      const row = new Map<string, PyValue>([
        ['doc_id', doc.docId],
        ['doc', doc.doc],
        ['target', str(doc.target)],
        ['arguments', new Map(doc.requests.map(({ args }, r) => [`gen_args_${r}`, new Map(args.map((arg, a) => [`arg_${a}`, arg]))]))],
        ['resps', doc.requests.map(({ responses }) => responses.map(stringify))],
        ['filtered_resps', results.map(stringify)],
        ['filter', name],
        ['metrics', [...metrics.keys()]],
        ['doc_hash', docHash],
        ['prompt_hash', promptHash],
        ['target_hash', targetHash],
        ...[...metrics].map(([metric, value]): [string, PyValue] => [metric, metric === 'brier_score' ? asNumpyPrints(value) : value]),
        ...(doc.own === undefined ? [] : [['yardstick', ownSampleDict(doc.own)] as const]),
      ])
      lines.push({
        docId: doc.docId,
        filter: name,
        metrics,
        filtered: results,
        steps: made,
        docHash,
        promptHash,
        targetHash,
        text: jsonDumps(row),
      })
      for (const [metric, value] of metrics) {
        const key = `${metric}\0${name}`
        const known = values.get(key) ?? { metric, filter: name, items: [] }
        known.items.push(value)
        values.set(key, known)
      }
    })
  }
  return { lines, values: [...values.values()], hash: hashTask(lines) }
}

/** One value per request, by doc. */
type FilteredDocs = readonly (readonly PyValue[])[]

/** One filter over the responses of all docs. */
function applyStep(
  { apply, isPerRequest, isForeign, pattern }: FilterStep,
  filter: string,
  docs: readonly AnsweredDoc[],
  current: FilteredDocs,
  { task, watch }: SampleWatch,
): FilteredDocs {
  if (!isPerRequest) {
    const all = apply(
      current.flat(),
      docs.flatMap(({ doc, requests }) => requests.map(() => doc)),
    )
    let next = 0
    return docs.map(({ requests }) => all.slice(next, (next += requests.length)))
  }
  return docs.map(({ docId, doc, requests }, i) => {
    if (isForeign) watch({ task, docId, kind: 'filter', filter, pattern })
    return namingDoc(docId, () =>
      apply(
        current[i] ?? [],
        requests.map(() => doc),
      ),
    )
  })
}

function scoreNamed(score: ScoreDoc, doc: AnsweredDoc, results: readonly PyValue[]): ReadonlyMap<string, PyValue> {
  return namingDoc(doc.docId, () => score(doc, results))
}

function namingDoc<T>(docId: number, compute: () => T): T {
  try {
    return compute()
  } catch (cause) {
    if (!(cause instanceof EvalError)) throw cause
    throw new EvalError(cause.code, `Doc ${docId}: ${cause.message}`, { cause, details: { ...cause.details, docId } })
  }
}

/** The harness's `sanitize_list`: every leaf as its `str`, lists and tuples kept. */
function stringify(value: PyValue): PyValue {
  return isList(value) ? value.map(stringify) : str(value)
}

/** The probabilities of brier_score are a numpy array, which the harness's JSON fallback prints as text. */
function asNumpyPrints(value: PyValue): PyValue {
  if (!isList(value) || value.length !== 2) return value
  const [gold = null, probabilities = null] = value
  return isList(probabilities) ? [gold, numpyText(probabilities)] : value
}
