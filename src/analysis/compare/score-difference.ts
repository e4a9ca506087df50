/** The difference of one score between two runs: doc by doc where samples allow it, else by the standard errors alone. */
import { quantileOf975 } from '../../base/normal-quantile.ts'
import { mean, meanStderr } from '../../harness/metrics/means.ts'
import { agreementOf } from './agreement/agreement.ts'
import type { ComparedRun } from './compared-run.ts'
import { bootstrapInSteps } from './paired-bootstrap.ts'
import { membersOf, type MetricEntry } from './result-file.ts'
import type { Steps } from './series/steps.ts'
import { minimumDetectableEffect, normalTwoSided, studentTwoSided } from './significance.ts'

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
  /** Docs that only the left run has right, and only the right one; null unless docs of one task are right or wrong. */
  readonly flips: { readonly leftOnly: readonly number[]; readonly rightOnly: readonly number[] } | null
  /** How many they are, for a group too. */
  readonly changed: { readonly leftOnly: number; readonly rightOnly: number } | null
}

/** A difference before correction. */
type Uncorrected = Omit<Difference, 'pAdjusted'>

/** A difference before correction. One of paired docs has their differences, from which its interval is still to be drawn; else null. */
export interface DraftDifference extends Uncorrected {
  readonly differences: readonly number[] | null
}

/** The differences of a whole comparison, in their order, with the intervals of paired docs drawn. Null stays null. */
export function* withIntervals(drafts: readonly (DraftDifference | null)[]): Steps<readonly (Uncorrected | null)[]> {
  const intervals = yield* bootstrapInSteps(drafts.flatMap((draft) => (draft?.differences == null ? [] : [draft.differences])))
  let next = 0
  return drafts.map((draft) => {
    if (draft === null) return null
    const { differences, ...difference } = draft
    const interval = differences === null ? undefined : intervals[next++]
    return interval === undefined ? difference : { ...difference, low: interval.low, high: interval.high }
  })
}

/** The difference of one score between two runs; null where nothing can be tested. */
export function* differenceOf(
  left: ComparedRun,
  right: ComparedRun,
  task: string,
  mine: MetricEntry,
  other: MetricEntry,
): Steps<DraftDifference | null> {
  const a = valuesOf(left, task, mine)
  yield
  const b = a === null ? null : valuesOf(right, task, other)
  yield
  const paired = a === null || b === null ? null : pairedOf(a, b, left.samples.has(task))
  return paired ?? unpairedOf(mine, other)
}

interface DocValue {
  readonly docId: number
  readonly value: number
  readonly docHash: string | null
}

/** Values by doc: its id, behind its task's name in a group. */
type DocValues = ReadonlyMap<string | number, DocValue>

/**
 * A metric's value of each doc of a task, or of all tasks of a group; null unless each has one and their mean is the score, as it is not for
 * perplexity, F1 of a corpus, MCC, or a group whose tasks count the same.
 */
function valuesOf(run: ComparedRun, name: string, entry: MetricEntry): DocValues | null {
  const tasks = run.samples.has(name) ? [name] : membersOf(run.file, name)
  const values = new Map<string | number, DocValue>()
  let sum = 0
  for (const task of tasks) {
    const before = values.size
    for (const { docId, filter, docHash, metrics } of run.samples.get(task) ?? []) {
      if (filter !== entry.filter) continue
      const found = metrics[entry.metric]
      const value = typeof found === 'boolean' ? Number(found) : found
      const key = task === name ? docId : `${task} ${docId}`
      // A doc that comes twice can't be paired.
      if (typeof value !== 'number' || !Number.isFinite(value) || values.has(key)) return null
      values.set(key, { docId, value, docHash })
      sum += value
    }
    if (values.size === before) return null
  }
  const isMean = Math.abs(sum / values.size - entry.value) <= 1e-6 * Math.max(1, Math.abs(entry.value))
  return values.size >= 2 && isMean ? values : null
}

/** Null for fewer than two docs in common. A doc whose content differs under the same id is no doc in common. */
function pairedOf(left: DocValues, right: DocValues, isTask: boolean): DraftDifference | null {
  const pairs: { readonly docId: number; readonly mine: number; readonly theirs: number }[] = []
  for (const [key, { docId, value, docHash }] of left) {
    const other = right.get(key)
    if (other === undefined || (docHash !== null && other.docHash !== null && docHash !== other.docHash)) continue
    pairs.push({ docId, mine: value, theirs: other.value })
  }
  if (pairs.length < 2) return null
  const differences = pairs.map(({ mine, theirs }) => mine - theirs)
  const difference = mean(differences)
  const stderr = meanStderr(differences)
  const shared = {
    value: difference,
    low: NaN,
    high: NaN,
    differences,
    minimumDetectable: stderr === 0 ? null : minimumDetectableEffect(stderr),
    docs: pairs.length,
  }
  if (pairs.every(({ mine, theirs }) => isVerdict(mine) && isVerdict(theirs))) {
    const { gained, lost, p } = agreementOf(pairs.map(({ docId, mine, theirs }) => ({ docId, now: mine === 1, before: theirs === 1 })))
    const changed = { leftOnly: gained.length, rightOnly: lost.length }
    return { test: 'mcnemar', ...shared, p, flips: isTask ? { leftOnly: gained, rightOnly: lost } : null, changed }
  }
  const p = difference === 0 ? 1 : studentTwoSided(difference / stderr, pairs.length - 1)
  return { test: 'paired-t', ...shared, p, flips: null, changed: null }
}

function isVerdict(value: number): boolean {
  return value === 0 || value === 1
}

/** As if both had been asked of docs of their own, which says less than pairs do. Null without standard errors. */
function unpairedOf(mine: MetricEntry, other: MetricEntry): DraftDifference | null {
  if (mine.stderr === null || other.stderr === null) return null
  const stderr = Math.hypot(mine.stderr, other.stderr)
  const value = mine.value - other.value
  if (stderr === 0 || !Number.isFinite(stderr)) return null
  return {
    test: 'unpaired',
    value,
    low: value - quantileOf975 * stderr,
    high: value + quantileOf975 * stderr,
    p: normalTwoSided(value / stderr),
    minimumDetectable: minimumDetectableEffect(stderr),
    docs: null,
    flips: null,
    changed: null,
    differences: null,
  }
}
