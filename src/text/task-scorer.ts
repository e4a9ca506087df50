/** A task's filters, metrics and scoring function, resolved before the first request so that a bad task file fails early. */
import { EvalError } from '../core/errors.ts'
import type { Aggregation } from '../core/aggregate.ts'
import type { FunctionRef } from '../core/config-value.ts'
import { buildPipelines, type FilterPipeline } from '../core/filters.ts'
import { findProcessResults } from '../core/functions/functions.ts'
import { resolveMetrics, type MetricFunctions, type TaskMetric } from '../core/metrics/metric-list.ts'
import { processResults } from '../core/process-results.ts'
import type { ScoreDoc } from '../core/results-samples.ts'
import type { Task } from '../core/task.ts'

export interface TaskScorer {
  readonly pipelines: readonly FilterPipeline[]
  readonly metrics: readonly TaskMetric[]
  readonly score: ScoreDoc
  isMean(metric: string): boolean
}

/** Throws `task/unknown-function` for helpers that are not ported, `filter/failed`, `regex/unsupported`, `task/invalid`. */
export function taskScorer(task: Task, predictOnly: boolean): TaskScorer {
  const metrics = resolveMetrics(task.config, metricFunctions, predictOnly)
  const own = task.config.processResults
  const ownResults = own === null || predictOnly ? null : findProcessResults(own, task.config)
  return {
    pipelines: buildPipelines(task.config.filterList, (reference) => {
      const name = typeof reference === 'string' ? reference : reference.name
      throw new EvalError('task/unknown-function', `Task ${task.name} has the filter ${name}, which is not ported.`, { details: { name } })
    }),
    metrics,
    score: (answered, filtered) =>
      ownResults !== null
        ? ownResults(answered.doc, filtered)
        : processResults(task, metrics, {
            doc: answered.doc,
            results: filtered,
            tokenCounts: answered.requests.some(({ tokenCount }) => tokenCount === null)
              ? null
              : answered.requests.map(({ tokenCount }) => tokenCount ?? 0),
          }),
    isMean: (metric) => metrics.find(({ name }) => name === metric)?.aggregation === 'mean',
  }
}

/** Aggregations that task files name with `!function` and that are the harness's own helpers under another name. */
const metricFunctions: MetricFunctions = {
  aggregation(reference: FunctionRef): Aggregation | null {
    return reference.name.split('.').at(-1) === 'weighted_f1_score' ? 'weighted_f1_score' : null
  },
  metric: () => null,
}
