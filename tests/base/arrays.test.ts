import { describe, expect, it } from 'vitest'
import { append, maxOf, minOf } from '../../src/base/arrays.ts'

describe('arrays of any length', () => {
  const long = Float64Array.from({ length: 1_000_000 }, (_, i) => Math.sin(i))

  it('are more than a call takes as arguments', () => {
    expect(() => Math.max(...long)).toThrow(RangeError)
  })

  it('have a largest and a smallest value', () => {
    const sorted = long.toSorted()
    expect([maxOf(long), minOf(long)]).toEqual([sorted.at(-1), sorted[0]])
  })

  it('are what Math.max and Math.min say of few', () => {
    for (const values of [[], [1], [2, -3, 2], [NaN, 1], [1, NaN], [-0, 0], [Infinity, 1], [-Infinity]]) {
      expect(maxOf(values)).toBe(Math.max(...values))
      expect(maxOf(values, 0)).toBe(Math.max(0, ...values))
      expect(minOf(values)).toBe(Math.min(...values))
    }
  })

  it('are added to a list', () => {
    const list = [7]
    append(list, long)
    expect([list.length, list[0], list.at(-1)]).toEqual([1_000_001, 7, long.at(-1)])
  })
})
