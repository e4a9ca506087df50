/** Corpus B: response filter pipelines. */
import { buildPipeline } from '../../src/harness/filters/filters.ts'
import type { PyDict } from '../../src/python/value.ts'
import { isConfigList } from '../../src/python/yaml/yaml-value.ts'
import { findDifference } from './compare.ts'
import { expectedError, judge } from './outcome.ts'
import { dict, get, list } from './values.ts'

/** What differs from the harness's filtered responses, or null. */
export function checkFilter(input: PyDict, expected: PyDict): string | null {
  const steps = list(get(input, 'filter'))
  const run = () => [...buildPipeline(isConfigList(steps) ? steps : [])(list(get(input, 'resps')), list(get(input, 'docs')).map(dict))]
  return judge(run, expectedError(expected), (found) => findDifference(found, list(get(expected, 'filtered')), { hasTypes: true }))
}
