/** Comparison of values whose floats may differ in the last digits, as sums of other orders do. */
import { expect } from 'vitest'
import type { PyValue } from '../../src/python/value.ts'
import { findDifference, metricTolerance } from '../conformance/compare.ts'

/** Numbers within `relative` of one another (1e-9), NaN equal to NaN; everything else equal. */
export function expectClose(found: PyValue, wanted: PyValue, relative = metricTolerance): void {
  expect(findDifference(found, wanted, { relative })).toBeNull()
}
