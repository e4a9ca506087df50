/** Whether two forms of one model's weights, such as an ONNX file and the safetensors that it was made of, compute the same. */
import { maxOf } from '../../../base/arrays.ts'
import { isRecord } from '../../../base/guards.ts'
import { argmax } from '../../../harness/metrics/means.ts'
import type { ComparedRun, ComparedSample } from '../compared-run.ts'
import { underFirstFilter } from '../doc-values.ts'
import { runFactsOf } from '../run-facts.ts'

/** How coarsely the coarser side's weights are rounded. */
export type Rounding = 'float32' | '16-bit' | 'blocks'

/** `undecided`: the weights are rounded to so few bits that a fault can't be told from rounding. */
export type ConversionVerdict = 'faithful' | 'unfaithful' | 'undecided'

export interface ConversionCheck {
  readonly verdict: ConversionVerdict
  /** The first run's form of the weights, then the other's: `onnx`, `safetensors`, `gguf`, or `lm_eval` for a file that the harness wrote. */
  readonly forms: readonly [string, string]
  readonly dtypes: readonly [string, string]
  readonly rounding: Rounding
  /** Largest difference of a request's log-probability, in nats, at which the forms count as computing the same. */
  readonly limit: number
  /** Docs that both asked alike, and the log-probabilities of their choices. */
  readonly docs: number
  readonly logprobs: number
  /** In nats. Infinite where one side has a number that the other's isn't. */
  readonly maxAbsDiff: number
  readonly meanAbsDiff: number
  /** Where the largest difference is. */
  readonly worst: { readonly task: string; readonly docId: number }
  /** Docs with several choices, and those in which another one has the highest log-probability. */
  readonly picks: number
  readonly picksDiffering: number
}

/**
 * Nats a request. `float32`: what this program allows itself beside the harness. `16-bit`: two tokens at what a GPU's 16 bits may be off. `blocks`: two programs on the same blocks
 * are as near as this (docs/models.md), and blocks that were rounded otherwise are not: SmolLM2 135M moves by 2.3 nats in the mean from fp32 to q4.
 */
const limits: { readonly [rounding in Rounding]: number } = { float32: 5e-3, '16-bit': 0.1, blocks: 1e-2 }

/**
 * Holds two runs against each other as forms of the same weights. Null where both name the same form, where one names none, or where no doc was asked alike
 * with scored choices. That the weights are the same is the caller's word: files don't tell.
 */
export function conversionCheck(left: ComparedRun, right: ComparedRun): ConversionCheck | null {
  const [form, otherForm] = [formOf(left), formOf(right)]
  if (form === null || otherForm === null || form === otherForm) return null
  const dtypes = [runFactsOf(left.file).dtype, runFactsOf(right.file).dtype] as const
  let [docs, logprobs, sum, largest, picks, picksDiffering] = [0, 0, 0, -1, 0, 0]
  let worst: ConversionCheck['worst'] | null = null
  for (const [task, docId, mine, theirs] of pairsOf(left, right)) {
    docs += 1
    const differences = mine.map((value, index) => distance(value, theirs[index] ?? NaN))
    logprobs += differences.length
    for (const one of differences) sum += one
    if (maxOf(differences) > largest) {
      largest = maxOf(differences)
      worst = { task, docId }
    }
    if (mine.length === 1) continue
    picks += 1
    if (argmax(mine) !== argmax(theirs)) picksDiffering += 1
  }
  if (worst === null) return null
  const rounding = coarser(roundingOf(dtypes[0]), roundingOf(dtypes[1]))
  const limit = limits[rounding]
  const beyond = rounding === 'blocks' && Number.isFinite(largest) ? 'undecided' : 'unfaithful'
  return {
    verdict: largest <= limit ? 'faithful' : beyond,
    ...{ forms: [form, otherForm], dtypes, rounding, limit, docs, logprobs, picks, picksDiffering, worst },
    maxAbsDiff: largest,
    meanAbsDiff: sum / logprobs,
  }
}

/** Null for files of ours that don't say: those of earlier versions. */
function formOf({ file: { whole } }: ComparedRun): string | null {
  const own = whole['yardstick']
  if (own === undefined) return typeof whole['lm_eval_version'] === 'string' ? 'lm_eval' : null
  const format = isRecord(own) ? own['model_format'] : undefined
  return typeof format === 'string' ? format : null
}

/** By the names of our dtypes, torch's and GGUF's. Weights in `bf16` run in float32; a run in torch's `bfloat16` computes in it. A dtype that isn't told may be of 16 bits. */
function roundingOf(dtype: string): Rounding {
  const name = dtype.replace(/^torch\./, '')
  if (/^(fp32|float32|float|bf16|f32)$/i.test(name)) return 'float32'
  return /^(fp16|float16|f16|bfloat16|half|auto|)$/i.test(name) ? '16-bit' : 'blocks'
}

function coarser(a: Rounding, b: Rounding): Rounding {
  const order: readonly Rounding[] = ['float32', '16-bit', 'blocks']
  return order[Math.max(order.indexOf(a), order.indexOf(b))] ?? 'blocks'
}

type Pair = readonly [task: string, docId: number, mine: readonly number[], theirs: readonly number[]]

/** Docs of both whose content and prompt are the same, as far as the files tell, with as many scored choices. */
function* pairsOf(left: ComparedRun, right: ComparedRun): Generator<Pair> {
  for (const [task, samples] of left.samples) {
    const others = new Map(underFirstFilter(right.samples.get(task) ?? []).map((sample) => [sample.docId, sample]))
    for (const sample of underFirstFilter(samples)) {
      const other = others.get(sample.docId)
      if (other === undefined || !isAskedAlike(sample, other)) continue
      const { logprobs } = sample
      if (logprobs.length > 0 && logprobs.length === other.logprobs.length) yield [task, sample.docId, logprobs, other.logprobs]
    }
  }
}

/** Hashes that one of the files doesn't have say nothing. */
function isAskedAlike(a: ComparedSample, b: ComparedSample): boolean {
  const agree = (x: string | null, y: string | null): boolean => x === null || y === null || x === y
  return agree(a.docHash, b.docHash) && agree(a.promptHash, b.promptHash)
}

function distance(a: number, b: number): number {
  if (a === b) return 0
  const apart = Math.abs(a - b)
  return Number.isNaN(apart) ? Infinity : apart
}

/** The check in one sentence, for the command line. `a` and `b` are what the runs are called. */
export function conversionSentence(check: ConversionCheck, a: string, b: string): string {
  const { verdict, forms, dtypes, limit, logprobs, maxAbsDiff, meanAbsDiff, worst, picks, picksDiffering, rounding } = check
  const sides = `${a} (${forms[0]}${named(dtypes[0])}) and ${b} (${forms[1]}${named(dtypes[1])})`
  const says = {
    faithful: `Yes, if both are of the same weights: ${sides} compute the same.`,
    unfaithful: `No, if both are of the same weights: ${sides} do not compute the same.`,
    undecided: `That can’t be told of ${sides}, since rounding alone moves scores: compare forms in fp32.`,
  }[verdict]
  const limited = `limit ${limit} nats, ${rounding}`
  return `Is this conversion faithful? ${says} Of ${logprobs} log-probabilities the largest difference is ${maxAbsDiff.toExponential(1)} nats (${worst.task}, doc ${worst.docId}; ${limited}), the mean ${meanAbsDiff.toExponential(1)}; ${picksDiffering} of ${picks} picks differ.`
}

function named(dtype: string): string {
  return dtype === '' ? '' : `, ${dtype}`
}
