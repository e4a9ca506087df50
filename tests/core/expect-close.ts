/** Comparison of values whose floats may differ in the last digits, as sums of other orders do. */
import { expect } from 'vitest'
import { isDict, isList, toNumber } from '../../src/core/python/value.ts'
import type { PyValue } from '../../src/core/python/value.ts'

/** Numbers within `relative` of one another (1e-9), NaN equal to NaN; everything else equal. */
export function expectClose(found: PyValue, wanted: PyValue, relative = 1e-9): void {
  if (isList(wanted)) {
    expect(isList(found) ? found.length : found).toBe(wanted.length)
    wanted.forEach((item, i) => expectClose(isList(found) ? (found[i] ?? null) : null, item, relative))
    return
  }
  if (isDict(wanted)) {
    expect(isDict(found) ? [...found.keys()].sort() : found).toEqual([...wanted.keys()].sort())
    for (const [key, item] of wanted) expectClose(isDict(found) ? (found.get(key) ?? null) : null, item, relative)
    return
  }
  const [a, b] = [toNumber(found), toNumber(wanted)]
  if (a === null || b === null || !Number.isFinite(b)) expect(a ?? found).toEqual(b ?? wanted)
  else expect(Math.abs(a - b), `${a} is not ${b}`).toBeLessThanOrEqual(relative * Math.max(Math.abs(b), 1e-12))
}
