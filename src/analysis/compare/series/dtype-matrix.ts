/** What quantisation did to a model: runs of one model that differ in dtype, each held against the most precise one. */
import { maxOf } from '../../../base/arrays.ts'
import { argmax } from '../../../harness/metrics/means.ts'
import type { ComparedRun, ComparedSample } from '../compared-run.ts'
import { underFirstFilter, valueOf, verdictMetricOf } from '../doc-values.ts'
import { runFactsOf } from '../run-facts.ts'
import { holmAdjusted, mcnemarExact } from '../significance.ts'

export interface DtypeCell {
  /** Null for all tasks together. */
  readonly task: string | null
  /** Docs that both runs have. */
  readonly docs: number
  /** Docs of those with scored choices in both, and how many of them pick another choice by summed log-probability. */
  readonly scored: number
  readonly otherPick: number
  /** Mean Kullback-Leibler divergence of the choices' softmax from the reference's, in nats, over docs where it is finite; null for none. */
  readonly meanKl: number | null
  readonly maxKl: number | null
  /** Docs that say right or wrong: how many only this dtype has right, and only the reference. */
  readonly judged: number
  readonly gained: number
  readonly lost: number
  /** Share right less the reference's; null where no doc says right or wrong. */
  readonly difference: number | null
  /** Exact McNemar test; corrected by Holm's over all tasks of all dtypes, without the rows of all tasks together. */
  readonly p: number | null
  readonly pAdjusted: number | null
}

export interface DtypeChanges {
  readonly dtype: string
  /** Place in the list of runs. */
  readonly run: number
  readonly all: DtypeCell
  /** The tasks that suffer most first. */
  readonly tasks: readonly DtypeCell[]
}

export interface DtypeMatrix {
  readonly reference: { readonly dtype: string; readonly run: number }
  readonly arms: readonly DtypeChanges[]
}

/** The more precise first; what isn't known stands at the end. */
const precision = ['fp32', 'float32', 'bf16', 'bfloat16', 'fp16', 'float16', 'q8', 'int8', 'uint8', 'quantized', 'q4f16', 'q4', 'bnb4']

/**
 * The matrix of runs that differ in dtype only: the same model at the same commit, each dtype once. Null for any others. Flips and divergence
 * as in Dutta et al. (2024), Accuracy is Not All You Need, arXiv 2407.09141.
 */
export function dtypeMatrix(runs: readonly ComparedRun[]): DtypeMatrix | null {
  const arms = runs.map((run, index) => ({ ...runFactsOf(run.file), index, tasks: pairable(run) }))
  const [first] = arms
  if (first === undefined || arms.length < 2 || first.model === '') return null
  if (arms.some(({ model, commit, revision }) => model !== first.model || commit !== first.commit || revision !== first.revision))
    return null
  if (new Set(arms.map(({ dtype }) => dtype)).size < arms.length || arms.some(({ dtype }) => dtype === '')) return null
  const place = (dtype: string): number => (precision.includes(dtype) ? precision.indexOf(dtype) : precision.length)
  const [reference = first, ...others] = [...arms].sort((a, b) => place(a.dtype) - place(b.dtype) || a.index - b.index)
  const drafts = others.map(({ dtype, index, tasks }) => {
    const pairs = [...reference.tasks].flatMap(([task, before]) => {
      const now = tasks.get(task)
      return now === undefined ? [] : [{ task, docs: pairsOf(before, now) }]
    })
    const cells = pairs.filter(({ docs }) => docs.length > 0).map(({ task, docs }) => cellOf(task, docs))
    return {
      dtype,
      run: index,
      all: cellOf(
        null,
        pairs.flatMap(({ docs }) => docs),
      ),
      cells,
    }
  })
  const adjusted = holmAdjusted(drafts.flatMap(({ cells }) => cells.map(({ p }) => p)))
  let next = 0
  return {
    reference: { dtype: reference.dtype, run: reference.index },
    arms: drafts.map(({ dtype, run, all, cells }) => ({
      ...{ dtype, run, all },
      tasks: cells
        .map((cell) => ({ ...cell, pAdjusted: adjusted[next++] ?? null }))
        .sort((a, b) => (a.difference ?? 0) - (b.difference ?? 0) || (b.meanKl ?? 0) - (a.meanKl ?? 0)),
    })),
  }
}

/**
 * The divergence of `now` from `before` in nats: both are log-likelihoods of the same choices and become probabilities by softmax. NaN where
 * their numbers differ or one of them isn't a number.
 */
export function choiceDivergence(before: readonly number[], now: readonly number[]): number {
  if (before.length !== now.length || before.length === 0) return NaN
  const [p, q] = [logSoftmax(before), logSoftmax(now)]
  let sum = 0
  p.forEach((logP, index) => {
    const share = Math.exp(logP)
    if (share !== 0) sum += share * (logP - (q[index] ?? NaN))
  })
  // Rounding may put equal distributions a hair below zero.
  return Math.abs(sum) < 1e-15 ? 0 : sum
}

function logSoftmax(values: readonly number[]): readonly number[] {
  const highest = maxOf(values)
  const total = Math.log(values.reduce((sum, value) => sum + Math.exp(value - highest), 0))
  return values.map((value) => value - highest - total)
}

interface Doc {
  readonly docHash: string | null
  readonly logprobs: readonly number[]
  readonly verdict: number | null
}

interface Pair {
  readonly before: Doc
  readonly now: Doc
}

function pairable({ samples }: ComparedRun): ReadonlyMap<string, ReadonlyMap<number, Doc>> {
  return new Map([...samples].map(([task, all]) => [task, docsOf(underFirstFilter(all))]))
}

function docsOf(samples: readonly ComparedSample[]): ReadonlyMap<number, Doc> {
  const metric = verdictMetricOf(samples)
  return new Map(
    samples.map((sample) => {
      const { docId, docHash, logprobs } = sample
      return [docId, { docHash, logprobs, verdict: metric === null ? null : valueOf(sample, metric) }]
    }),
  )
}

function pairsOf(before: ReadonlyMap<number, Doc>, now: ReadonlyMap<number, Doc>): readonly Pair[] {
  return [...before].flatMap(([docId, doc]) => {
    const other = now.get(docId)
    const isSame = other !== undefined && (doc.docHash === null || other.docHash === null || doc.docHash === other.docHash)
    return isSame ? [{ before: doc, now: other }] : []
  })
}

function cellOf(task: string | null, pairs: readonly Pair[]): DtypeCell {
  let [scored, otherPick, sumKl, finite, maxKl, judged, gained, lost] = [0, 0, 0, 0, 0, 0, 0, 0]
  for (const { before, now } of pairs) {
    if (before.logprobs.length > 1 && before.logprobs.length === now.logprobs.length) {
      scored += 1
      if (argmax(before.logprobs) !== argmax(now.logprobs)) otherPick += 1
      const divergence = choiceDivergence(before.logprobs, now.logprobs)
      if (Number.isFinite(divergence)) {
        finite += 1
        sumKl += divergence
        maxKl = Math.max(maxKl, divergence)
      }
    }
    if (before.verdict === null || now.verdict === null) continue
    judged += 1
    if (now.verdict > before.verdict) gained += 1
    if (now.verdict < before.verdict) lost += 1
  }
  return {
    ...{ task, docs: pairs.length, scored, otherPick, judged, gained, lost },
    meanKl: finite === 0 ? null : sumKl / finite,
    maxKl: finite === 0 ? null : maxKl,
    difference: judged === 0 ? null : (gained - lost) / judged,
    p: judged === 0 ? null : mcnemarExact(gained, lost),
    pAdjusted: null,
  }
}
