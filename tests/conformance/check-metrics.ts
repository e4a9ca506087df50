/** Corpus C, `metrics`: values per doc, their aggregates and directions. */
import { aggregateMetric } from '../../src/harness/metrics/aggregation/aggregate.ts'
import { resolveMetrics, type TaskMetric } from '../../src/harness/metrics/metric-list.ts'
import { processResults } from '../../src/harness/metrics/process-results.ts'
import { buildTask } from '../../src/harness/requests/task.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { isDict, type PyDict, type PyValue } from '../../src/python/value.ts'
import { caseConfig } from './check-requests.ts'
import { findDifference, metricTolerance } from './compare.ts'
import { expectedError, judge } from './outcome.ts'
import { untypedTable } from './tables.ts'
import { dict, get, list, number, reviveFloats } from './values.ts'

const noFunctions = { aggregation: () => null, metric: () => null }
const asMetrics = { relative: metricTolerance, hasOrder: true }

/** What differs from the harness's metrics, or null. */
export function checkMetrics(input: PyDict, expected: PyDict): string | null {
  const config = caseConfig(input)
  const task = buildTask(config, { test: untypedTable(get(input, 'dataset', 'test')) }, { functions: functionTable() })
  const metrics = resolveMetrics(config, noFunctions)
  const perDoc = list(get(expected, 'per_doc'))
  const results = list(get(input, 'results'))
  if (perDoc.length !== results.length) return `per_doc: wanted ${perDoc.length} docs, found ${results.length}`
  const collected = new Map<string, PyValue[]>()
  for (const [i, wanted] of perDoc.entries()) {
    const doc = task.evalDocs[i]
    if (doc === undefined) return `per_doc[${i}]: there is no such document`
    const error = expectedError(wanted)
    const difference = judge(
      () => processResults(task, metrics, { doc, results: list(reviveFloats(results[i] ?? null)), tokenCounts: null }),
      error,
      (found) => {
        for (const [name, value] of dict(found)) collected.set(name, [...(collected.get(name) ?? []), value])
        return findDifference(found, reviveFloats(wanted), asMetrics)
      },
    )
    if (difference !== null) return `per_doc[${i}]: ${difference}`
  }
  return (
    aggregatedDifference(collected, metrics, {
      wanted: dict(get(expected, 'aggregated')),
      bootstrapIters: number(input, 'bootstrap_iters'),
    }) ??
    findDifference(
      new Map(metrics.map(({ name, higherIsBetter }) => [name, higherIsBetter])),
      dict(get(expected, 'higher_is_better')),
      {},
      'higher_is_better',
    )
  )
}

function aggregatedDifference(
  collected: ReadonlyMap<string, readonly PyValue[]>,
  metrics: readonly TaskMetric[],
  { wanted, bootstrapIters }: { readonly wanted: PyDict; readonly bootstrapIters: number },
): string | null {
  const lacking = [...wanted.keys()].find((name) => !collected.has(name))
  if (lacking !== undefined) return `aggregated: wanted ${lacking}, which no document has`
  for (const [name, items] of collected) {
    const row = wanted.get(name) ?? null
    if (!isDict(row)) return `aggregated: found ${name}, which was not wanted`
    const aggregation = metrics.find((metric) => metric.name === name)?.aggregation ?? 'mean'
    const difference = judge(
      () => {
        const { value, stderr } = aggregateMetric(items, { metric: name, aggregation, bootstrapIters })
        return new Map<string, PyValue>([
          ['value', value],
          ['stderr', stderr],
          ['n', items.length],
        ])
      },
      expectedError(row),
      (found) => findDifference(found, reviveFloats(row), asMetrics),
    )
    if (difference !== null) return `aggregated.${name}: ${difference}`
  }
  return null
}
