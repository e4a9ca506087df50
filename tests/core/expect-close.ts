/** Comparison of values whose floats may differ in the last digits, as sums of other orders do. */
import { expect } from 'vitest'
import { findDifference, metricTolerance } from '../../scripts/lib/conformance/compare.ts'
import type { PyValue } from '../../src/core/python/value.ts'

/** Numbers within `relative` of one another (1e-9), NaN equal to NaN; everything else equal. */
export function expectClose(found: PyValue, wanted: PyValue, relative = metricTolerance): void {
  expect(findDifference(found, wanted, { relative })).toBeNull()
}
