/** Corpus C, `aggregation`: one aggregation over a list, and its standard error. */
import { aggregate, estimateStderr, type Aggregation } from '../../src/harness/metrics/aggregation/aggregate.ts'
import { aggregationNames } from '../../src/harness/metrics/metric-list.ts'
import { str, type PyDict } from '../../src/python/value.ts'
import { findDifference, metricTolerance } from './compare.ts'
import { expectedError, judge } from './outcome.ts'
import { get, list, number, reviveFloats } from './values.ts'

// Two helpers stand in the corpus beside what task files may name.
const named: ReadonlyMap<string, Aggregation> = new Map(
  [...aggregationNames, 'weighted_f1_score' as const, 'acc_all' as const].map((name) => [name, name]),
)

/** What differs from the harness's value and standard error, or null. */
export function checkAggregation(input: PyDict, expected: PyDict): string | null {
  const items = list(reviveFloats(get(input, 'items')))
  const name = str(get(input, 'aggregation'))
  const aggregation = named.get(name)
  if (aggregation === undefined) return `there is no aggregation ${name}`
  const within = { relative: metricTolerance }
  const value = judge(
    () => aggregate(items, aggregation),
    expectedError(expected),
    (found) => findDifference(found, reviveFloats(get(expected, 'value')), within, 'value'),
  )
  if (value !== null || (!expected.has('stderr') && !expected.has('stderr_error'))) return value
  return judge(
    () => estimateStderr(items, { metric: str(get(input, 'metric')), aggregation, bootstrapIters: number(input, 'bootstrap_iters') }),
    get(expected, 'stderr_error'),
    (found) => findDifference(found, reviveFloats(get(expected, 'stderr')), within, 'stderr'),
  )
}
