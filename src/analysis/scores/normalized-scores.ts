/** Normalisations that a multiple-choice task doesn't report itself, computed from the same answers. */
import { isEvalError } from '../../base/errors.ts'
import type { OwnScore } from '../../contracts/yardstick-results.ts'
import { aggregateMetric } from '../../harness/metrics/aggregation/aggregate.ts'
import type { TaskMetric } from '../../harness/metrics/metric-list.ts'
import { processResults } from '../../harness/metrics/process-results.ts'
import { registeredMetrics } from '../../harness/metrics/registry.ts'
import type { Task } from '../../harness/requests/task.ts'
import type { AnsweredDoc } from '../../harness/results/samples-file.ts'
import { toNumber } from '../../python/value.ts'

/** `acc_tok` divides by the choice's tokens, the blank before it included: not a metric of the harness's, but the one of many tutorials. */
const wanted: readonly string[] = ['acc', 'acc_norm', 'acc_bytes', 'acc_tok']

/** Of every doc, in the order asked, by metric. */
export type OwnValues = ReadonlyMap<string, readonly number[]>

/**
 * The accuracies of `wanted` that the task's own list lacks, over the unfiltered answers. Empty for other output types, for tasks with a
 * scoring function of their own, and where one of them can't be made: a run never fails for them.
 */
export function ownValues(task: Task, metrics: readonly TaskMetric[], docs: readonly AnsweredDoc[]): OwnValues {
  try {
    return valuesOf(task, metrics, docs)
  } catch (error) {
    if (isEvalError(error)) return new Map()
    throw error
  }
}

/** The mean of each, with its standard error. */
export function ownScores(task: string, values: OwnValues): readonly OwnScore[] {
  return [...values].map(([metric, items]) => {
    const { value, stderr } = aggregateMetric(items, { metric, aggregation: 'mean', bootstrapIters: 1 })
    return { task, metric, value: toNumber(value) ?? NaN, stderr, n: items.length }
  })
}

function valuesOf(task: Task, metrics: readonly TaskMetric[], docs: readonly AnsweredDoc[]): OwnValues {
  const isElse = task.config.processResults !== null || task.config.own.choiceTokens !== 'continuation'
  // With `bypass` nothing is scored: predictions only.
  if (task.outputType !== 'multiple_choice' || isElse || metrics.some(({ name }) => name === 'bypass')) return new Map()
  const hasCounts = docs.every(({ requests }) => requests.every(({ tokenCount }) => tokenCount !== null))
  const asked = wanted.filter((name) => !metrics.some((metric) => metric.name === name) && (name !== 'acc_tok' || hasCounts))
  const extra = asked.flatMap((name): TaskMetric[] => {
    const known = registeredMetrics.get(name)
    return known === undefined ? [] : [{ name, ...known, kwargs: new Map(), score: null }]
  })
  if (extra.length === 0 || docs.length === 0) return new Map()
  // Where the unconditional answers are asked for too, the scoring must know of them to take the conditional ones.
  const unconditional = metrics.filter(({ name }) => name === 'acc_mutual_info')
  const values = new Map<string, number[]>(extra.map(({ name }) => [name, []]))
  for (const { doc, requests } of docs) {
    const scores = processResults(task, [...extra, ...unconditional], {
      doc,
      results: requests.map(({ responses }) => responses[0] ?? null),
      tokenCounts: requests.map(({ tokenCount }) => tokenCount ?? 1),
    })
    for (const [name, list] of values) list.push(toNumber(scores.get(name) ?? null) ?? NaN)
  }
  return values
}
