/** A task's filters, metrics and scoring function, resolved before the first request so that a bad task file fails early. */
import { EvalError } from '../base/errors.ts'
import { buildPipelines, type FilterPipeline } from '../harness/filters/filters.ts'
import { resolveMetrics, type TaskMetric } from '../harness/metrics/metric-list.ts'
import { processResults } from '../harness/metrics/process-results.ts'
import type { Task } from '../harness/requests/task.ts'
import type { ScoreDoc } from '../harness/results/samples-file.ts'
import type { TaskConfig } from '../harness/tasks/task-config.ts'
import { findProcessResults, functionTable, notesOf, prepareProcessResults } from '../ports/functions/functions.ts'
import type { PyDict } from '../python/value.ts'
import { FunctionRef } from '../python/yaml/yaml-value.ts'

export interface TaskScorer {
  readonly pipelines: readonly FilterPipeline[]
  readonly metrics: readonly TaskMetric[]
  readonly score: ScoreDoc
  isMean(metric: string): boolean
  /** What a user should know of how these docs are scored. */
  notes(docs: readonly PyDict[]): readonly string[]
}

/** Loads what the task's own scoring function looks up; to be awaited before `taskScorer`. Throws `task/unknown-function`. */
export async function prepareScorer({ processResults: own, file }: TaskConfig, predictOnly: boolean): Promise<void> {
  if (own !== null && !predictOnly) await prepareProcessResults(own, { file })
}

/** Throws `task/unknown-function` for helpers that are not ported, `filter/failed`, `regex/unsupported`, `task/invalid`. */
export function taskScorer(task: Task, predictOnly: boolean): TaskScorer {
  const functions = functionTable()
  const metrics = resolveMetrics(task.config, functions, predictOnly)
  const own = task.config.processResults
  const ownResults = own === null || predictOnly ? null : findProcessResults(own, task.config)
  return {
    pipelines: buildPipelines(task.config.filterList, (reference, options) => {
      if (reference instanceof FunctionRef) return functions.filter(reference)(options)
      throw new EvalError('task/unknown-function', `Task ${task.name} has the filter ${reference}, which is not ported.`, {
        details: { name: reference },
      })
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
    notes: (docs) => (ownResults === null ? [] : notesOf(ownResults, docs).map((note) => `${task.name}: ${note}`)),
  }
}
