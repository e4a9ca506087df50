/** Runs beside each other, score by score: how each was asked, both values with intervals, and whether their difference is more than chance. */
import { quantileOf975 } from '../../base/normal-quantile.ts'
import { compareTask, type Comparability } from './comparability.ts'
import type { ComparedRun } from './compared-run.ts'
import { membersOf, metricsOf, type MetricEntry } from './result-file.ts'
import { differenceOf, withIntervals, type Difference, type DraftDifference } from './score-difference.ts'
import { finish, type Steps } from './series/steps.ts'
import { holmAdjusted, significanceLevel } from './significance.ts'

/** One side's score, with its 95% interval where the file has a standard error. */
export interface Score {
  readonly value: number
  readonly stderr: number | null
  readonly low: number | null
  readonly high: number | null
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

/**
 * Compares the first run with each of the others, in the first one's order of tasks. All scores of all comparisons are one family for Holm's
 * correction. Tasks that were asked in another way (red) are shown, never called different.
 */
export function compareRuns(first: ComparedRun, others: readonly ComparedRun[]): readonly RunComparison[] {
  return finish(compareInSteps(first, others))
}

/** `compareRuns` with pauses. */
export function* compareInSteps(first: ComparedRun, others: readonly ComparedRun[]): Steps<readonly RunComparison[]> {
  const drafts: Draft[] = []
  for (const other of others) drafts.push(yield* draftOf(first, other))
  const found = drafts.flatMap(({ scores }) => scores.map(({ difference }) => difference))
  const adjusted = holmAdjusted(found.map((difference) => difference?.p ?? null))
  const differences = yield* withIntervals(found)
  let next = 0
  return drafts.map(({ tasks, scores, leftOnly, rightOnly }) => ({
    tasks,
    scores: scores.map(({ task, metric, filter, left, right }): ScoreComparison => {
      const [pAdjusted, known] = [adjusted[next] ?? null, differences[next] ?? null]
      next += 1
      const isRed = tasks.some((setup) => setup.task === task && setup.verdict === 'red')
      return {
        ...{ task, metric, filter, left, right },
        difference: known === null || pAdjusted === null ? null : { ...known, pAdjusted },
        isSignificant: !isRed && pAdjusted !== null && pAdjusted < significanceLevel,
      }
    }),
    leftOnly,
    rightOnly,
  }))
}

interface Draft extends Omit<RunComparison, 'scores'> {
  readonly scores: readonly (Omit<ScoreComparison, 'difference' | 'isSignificant'> & { readonly difference: DraftDifference | null })[]
}

function* draftOf(left: ComparedRun, right: ComparedRun): Steps<Draft> {
  const [mine, theirs] = [Object.keys(left.file.results), Object.keys(right.file.results)]
  const known = new Set(theirs)
  const common = mine.filter((task) => known.has(task))
  const scores: Draft['scores'][number][] = []
  for (const task of common) {
    const found = metricsOf(right.file.results[task] ?? {})
    for (const a of metricsOf(left.file.results[task] ?? {})) {
      const b = found.find(({ metric, filter }) => metric === a.metric && filter === a.filter)
      if (b === undefined) continue
      const difference = yield* differenceOf(left, right, task, a, b)
      scores.push({ task, metric: a.metric, filter: a.filter, left: scoreOf(a), right: scoreOf(b), difference })
    }
  }
  const both = new Set(common)
  return {
    tasks: common.map((task) => ({ task, ...setupOf(left, right, task) })),
    scores,
    leftOnly: mine.filter((task) => !both.has(task)),
    rightOnly: theirs.filter((task) => !both.has(task)),
  }
}

function setupOf(left: ComparedRun, right: ComparedRun, task: string): Comparability {
  const silent = [left, right].find(({ hasSettings }) => !hasSettings)
  if (silent === undefined) {
    const members = left.file.configs[task] === undefined ? membersOf(left.file, task) : []
    return members.length === 0
      ? compareTask(left.file, right.file, task)
      : ofGroup(members.map((name) => compareTask(left.file, right.file, name)))
  }
  const sentence = `${silent.file.name} came without its results file, so nothing says how ${task} was asked.`
  return { verdict: 'amber', reasons: [{ level: 'amber', about: 'task', key: 'results', left: null, right: null, sentence }] }
}

/** A group is as comparable as the least of its tasks; each reason is said once. */
function ofGroup(setups: readonly Comparability[]): Comparability {
  const reasons = [...new Map(setups.flatMap((setup) => setup.reasons).map((reason) => [reason.sentence, reason])).values()]
  const isRed = reasons.some(({ level }) => level === 'red')
  return { verdict: isRed ? 'red' : reasons.length > 0 ? 'amber' : 'green', reasons }
}

function scoreOf({ value, stderr }: MetricEntry): Score {
  const reach = stderr === null ? null : quantileOf975 * stderr
  return { value, stderr, low: reach === null ? null : value - reach, high: reach === null ? null : value + reach }
}
