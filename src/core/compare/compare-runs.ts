/** Runs beside each other, score by score: how each was asked, both values with intervals, and whether their difference is more than chance. */
import type { Json } from '../errors.ts'
import { agreementOf } from './agreement.ts'
import { compareTask, type Comparability } from './comparability.ts'
import { pairedBootstrap } from './paired-bootstrap.ts'
import { pairedDifference } from './paired-difference.ts'
import { metricsOf, type MetricEntry, type ResultFile } from './result-file.ts'
import { holmAdjusted, minimumDetectableEffect, normalTwoSided, significanceLevel, studentTwoSided } from './significance.ts'

/** One doc's sample as far as a comparison reads it. */
export interface ComparedSample {
  readonly docId: number
  readonly filter: string
  /** Hash of the doc's content; null in files that have none. */
  readonly docHash: string | null
  readonly metrics: { readonly [name: string]: Json }
}

export interface ComparedRun {
  readonly file: ResultFile
  /** False for samples without their results file: scores are known, how they came about is not. */
  readonly hasSettings: boolean
  /** By task; empty when no samples came along. */
  readonly samples: ReadonlyMap<string, readonly ComparedSample[]>
}

/** One side's score, with its 95% interval where the file has a standard error. */
export interface Score {
  readonly value: number
  readonly stderr: number | null
  readonly low: number | null
  readonly high: number | null
}

/** `mcnemar`: docs that are right or wrong. `paired-t`: any other number a doc. `unpaired`: the files' standard errors alone. */
export type TestKind = 'mcnemar' | 'paired-t' | 'unpaired'

/** Left less right, in the score's unit. */
export interface Difference {
  readonly test: TestKind
  readonly value: number
  /** 95%: bootstrap where docs are paired, else normal. */
  readonly low: number
  readonly high: number
  readonly p: number
  /** After Holm's correction over every score of the comparison. */
  readonly pAdjusted: number
  /** The true difference that this many docs would have shown in four of five repetitions; null where no doc differs from another. */
  readonly minimumDetectable: number | null
  /** Docs that both have; null for `unpaired`. */
  readonly docs: number | null
  /** Docs that only the left run has right, and only the right one; null unless docs are right or wrong. */
  readonly flips: { readonly leftOnly: readonly number[]; readonly rightOnly: readonly number[] } | null
}

export interface ScoreComparison {
  readonly task: string
  readonly metric: string
  readonly filter: string
  readonly left: Score
  readonly right: Score
  /** Null where nothing can be tested. */
  readonly difference: Difference | null
  /** Below 0.05 after correction, and of runs that can be compared. */
  readonly isSignificant: boolean
}

export interface TaskComparison extends Comparability {
  readonly task: string
}

export interface RunComparison {
  readonly tasks: readonly TaskComparison[]
  readonly scores: readonly ScoreComparison[]
  /** Tasks and groups that only one run has. */
  readonly leftOnly: readonly string[]
  readonly rightOnly: readonly string[]
}

const halfWidth = 1.959963984540054

/**
 * Compares the first run with each of the others, in the first one's order of tasks. All scores of all comparisons are one family for Holm's
 * correction. Tasks that were asked in another way (red) are shown, never called different.
 */
export function compareRuns(first: ComparedRun, others: readonly ComparedRun[]): readonly RunComparison[] {
  const drafts = others.map((other) => draftOf(first, other))
  const adjusted = holmAdjusted(drafts.flatMap(({ scores }) => scores.map(({ difference }) => difference?.p ?? null)))
  let next = 0
  return drafts.map(({ tasks, scores, leftOnly, rightOnly }) => ({
    tasks,
    scores: scores.map(({ difference, ...score }): ScoreComparison => {
      const pAdjusted = adjusted[next++] ?? null
      const isRed = tasks.some(({ task, verdict }) => task === score.task && verdict === 'red')
      return {
        ...score,
        difference: difference === null || pAdjusted === null ? null : { ...difference, pAdjusted },
        isSignificant: !isRed && pAdjusted !== null && pAdjusted < significanceLevel,
      }
    }),
    leftOnly,
    rightOnly,
  }))
}

interface Draft extends Omit<RunComparison, 'scores'> {
  readonly scores: readonly (Omit<ScoreComparison, 'difference' | 'isSignificant'> & { readonly difference: Uncorrected | null })[]
}

function draftOf(left: ComparedRun, right: ComparedRun): Draft {
  const [mine, theirs] = [Object.keys(left.file.results), Object.keys(right.file.results)]
  const common = mine.filter((task) => theirs.includes(task))
  return {
    tasks: common.map((task) => ({ task, ...setupOf(left, right, task) })),
    scores: common.flatMap((task) => {
      const found = metricsOf(right.file.results[task] ?? {})
      return metricsOf(left.file.results[task] ?? {}).flatMap((a) => {
        const b = found.find(({ metric, filter }) => metric === a.metric && filter === a.filter)
        if (b === undefined) return []
        const difference = differenceOf(left, right, task, a, b)
        return [{ task, metric: a.metric, filter: a.filter, left: scoreOf(a), right: scoreOf(b), difference }]
      })
    }),
    leftOnly: mine.filter((task) => !common.includes(task)),
    rightOnly: theirs.filter((task) => !common.includes(task)),
  }
}

function setupOf(left: ComparedRun, right: ComparedRun, task: string): Comparability {
  const silent = [left, right].find(({ hasSettings }) => !hasSettings)
  if (silent === undefined) return compareTask(left.file, right.file, task)
  const sentence = `${silent.file.name} came without its results file, so nothing says how ${task} was asked.`
  return { verdict: 'amber', reasons: [{ level: 'amber', about: 'task', key: 'results', left: null, right: null, sentence }] }
}

function scoreOf({ value, stderr }: MetricEntry): Score {
  const reach = stderr === null ? null : halfWidth * stderr
  return { value, stderr, low: reach === null ? null : value - reach, high: reach === null ? null : value + reach }
}

type Uncorrected = Omit<Difference, 'pAdjusted'>

function differenceOf(left: ComparedRun, right: ComparedRun, task: string, mine: MetricEntry, other: MetricEntry): Uncorrected | null {
  const values = [valuesOf(left.samples.get(task), mine), valuesOf(right.samples.get(task), other)] as const
  const [a, b] = values
  return (a === null || b === null ? null : pairedOf(a, b)) ?? unpairedOf(mine, other)
}

interface DocValue {
  readonly value: number
  readonly docHash: string | null
}

/** A metric's value of each doc; null unless each has one and their mean is the score, as it is not for perplexity, F1 of a corpus or MCC. */
function valuesOf(samples: readonly ComparedSample[] | undefined, entry: MetricEntry): ReadonlyMap<number, DocValue> | null {
  const values = new Map<number, DocValue>()
  let sum = 0
  for (const { docId, filter, docHash, metrics } of samples ?? []) {
    if (filter !== entry.filter) continue
    const found = metrics[entry.metric]
    const value = typeof found === 'boolean' ? Number(found) : found
    // A doc that comes twice can't be paired.
    if (typeof value !== 'number' || !Number.isFinite(value) || values.has(docId)) return null
    values.set(docId, { value, docHash })
    sum += value
  }
  const isMean = Math.abs(sum / values.size - entry.value) <= 1e-6 * Math.max(1, Math.abs(entry.value))
  return values.size >= 2 && isMean ? values : null
}

/** Null for fewer than two docs in common. A doc whose content differs under the same id is no doc in common. */
function pairedOf(left: ReadonlyMap<number, DocValue>, right: ReadonlyMap<number, DocValue>): Uncorrected | null {
  const pairs = [...left].flatMap(([docId, { value, docHash }]) => {
    const other = right.get(docId)
    if (other === undefined || (docHash !== null && other.docHash !== null && docHash !== other.docHash)) return []
    return [{ docId, mine: value, theirs: other.value }]
  })
  if (pairs.length < 2) return null
  const { difference, stderr } = pairedDifference(
    new Map(pairs.map(({ docId, mine }) => [docId, mine])),
    new Map(pairs.map(({ docId, theirs }) => [docId, theirs])),
  )
  const { low, high } = pairedBootstrap(pairs.map(({ mine, theirs }) => mine - theirs))
  const shared = {
    value: difference,
    low,
    high,
    minimumDetectable: stderr === 0 ? null : minimumDetectableEffect(stderr),
    docs: pairs.length,
  }
  if (pairs.every(({ mine, theirs }) => isVerdict(mine) && isVerdict(theirs))) {
    const { gained, lost, p } = agreementOf(pairs.map(({ docId, mine, theirs }) => ({ docId, now: mine === 1, before: theirs === 1 })))
    return { test: 'mcnemar', ...shared, p, flips: { leftOnly: gained, rightOnly: lost } }
  }
  const p = difference === 0 ? 1 : studentTwoSided(difference / stderr, pairs.length - 1)
  return { test: 'paired-t', ...shared, p, flips: null }
}

function isVerdict(value: number): boolean {
  return value === 0 || value === 1
}

/** As if both had been asked of docs of their own, which says less than pairs do. Null without standard errors. */
function unpairedOf(mine: MetricEntry, other: MetricEntry): Uncorrected | null {
  if (mine.stderr === null || other.stderr === null) return null
  const stderr = Math.hypot(mine.stderr, other.stderr)
  const value = mine.value - other.value
  if (stderr === 0 || !Number.isFinite(stderr)) return null
  return {
    test: 'unpaired',
    value,
    low: value - halfWidth * stderr,
    high: value + halfWidth * stderr,
    p: normalTwoSided(value / stderr),
    minimumDetectable: minimumDetectableEffect(stderr),
    docs: null,
    flips: null,
  }
}
