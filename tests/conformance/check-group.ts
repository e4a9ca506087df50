/** Corpus C, `group`: a group's row from those of its tasks. */
import { aggregateGroup, type GroupMetric, type LeafMetrics } from '../../src/harness/metrics/aggregation/groups.ts'
import { isDict, isList, str, toNumber, type PyDict, type PyValue } from '../../src/python/value.ts'
import { findDifference, metricTolerance } from './compare.ts'
import { expectedError, judge } from './outcome.ts'
import { dict, get, number } from './values.ts'

/** What differs from the harness's group row, or null. */
export function checkGroup(input: PyDict, expected: PyDict): string | null {
  const leaves = leafNames(get(input, 'tree')).map((name) => readLeaf(get(input, 'task_metrics', name)))
  const listed = get(input, 'aggregate_metric_list')
  const run = (): PyValue => {
    const { sampleLen, values, sampleCount } = aggregateGroup((isList(listed) ? listed : []).map(readMetric), leaves)
    const row = new Map<string, PyValue>([...(sampleLen === null ? [] : [['sample_len', sampleLen] as const]), ...values])
    if (sampleCount.size > 0) row.set('sample_count', new Map(sampleCount))
    return row
  }
  return judge(run, expectedError(expected), (found) => {
    // The row's names are the group's own; what is computed is the rest.
    const wanted = new Map([...dict(get(expected, 'group_metrics'))].filter(([key]) => key !== 'alias' && key !== 'name'))
    return findDifference(found, wanted, { relative: metricTolerance, hasOrder: true })
  })
}

function leafNames(tree: PyValue): readonly string[] {
  return isDict(tree) ? [...tree].flatMap(([name, child]) => (child === null ? [name] : leafNames(child))) : []
}

function readLeaf(metrics: PyValue): LeafMetrics | null {
  if (!isDict(metrics)) return null
  const values = new Map(
    [...metrics].filter(([key]) => key !== 'sample_len').map(([key, value]) => [key, toNumber(value) ?? ('N/A' as const)]),
  )
  return { sampleLen: number(metrics, 'sample_len'), values }
}

function readMetric(entry: PyValue): GroupMetric {
  const filters = get(entry, 'filter_list')
  const weight = isDict(entry) ? entry.get('weight_by_size') : undefined
  return {
    metric: str(get(entry, 'metric')),
    filterList: filters === null ? null : (isList(filters) ? filters : [filters]).map(str),
    weightBySize: weight === undefined || weight === true,
  }
}
