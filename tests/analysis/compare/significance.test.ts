/** Statistics of comparisons beside scipy's, on pairs that `tests/make-goldens/make_compare_goldens.py` made up. */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { pairedBootstrap } from '../../../src/analysis/compare/paired-bootstrap.ts'
import {
  holmAdjusted,
  mcnemarExact,
  minimumDetectableEffect,
  normalTwoSided,
  studentTwoSided,
} from '../../../src/analysis/compare/significance.ts'
import { mean, meanStderr } from '../../../src/harness/metrics/means.ts'

const goldens = v.parse(
  v.object({
    mcnemar: v.array(v.tuple([v.number(), v.number(), v.number()])),
    paired: v.array(v.object({ left: v.array(v.number()), right: v.array(v.number()), p: v.number(), low: v.number(), high: v.number() })),
    holm: v.array(v.object({ p: v.array(v.number()), adjusted: v.array(v.number()) })),
    detectable_per_stderr: v.number(),
  }),
  JSON.parse(readFileSync(new URL('../../goldens/compare/pairs.json', import.meta.url), 'utf8')),
)

/** Largest error beside the wanted value, as a share of it. */
function relativeError(found: number, wanted: number): number {
  return found === wanted ? 0 : Math.abs(found - wanted) / Math.abs(wanted)
}

describe('statistics of a comparison equal scipy’s', () => {
  test('McNemar’s exact p on 1,000 pairs, up to 14,000 changed docs', () => {
    expect(goldens.mcnemar).toHaveLength(1000)
    // scipy's own tails of thousands of docs carry about eleven digits; below 1e-280 doubles run out.
    const wrong = goldens.mcnemar.filter(([b, c, p]) =>
      p < 1e-280 ? mcnemarExact(b, c) > 1e-280 : relativeError(mcnemarExact(b, c), p) > 1e-9,
    )
    expect(wrong).toEqual([])
    expect(mcnemarExact(10, 2)).toBe(0.03857421875)
    expect(mcnemarExact(7000, 7000)).toBe(1)
  })

  test('the paired t-test', () => {
    for (const { left, right, p } of goldens.paired) {
      const differences = left.map((value, index) => value - (right[index] ?? NaN))
      const t = mean(differences) / meanStderr(differences)
      expect(relativeError(studentTwoSided(t, differences.length - 1), p)).toBeLessThan(1e-10)
    }
    expect(normalTwoSided(1.959963984540054)).toBeCloseTo(0.05, 9)
    expect(normalTwoSided(0)).toBe(1)
    expect(normalTwoSided(-4)).toBeCloseTo(6.334248366623996e-5, 12)
  })

  test('the paired bootstrap, draw by draw', () => {
    for (const { left, right, low, high } of goldens.paired) {
      const found = pairedBootstrap(left.map((value, index) => value - (right[index] ?? NaN)))
      expect(found.low).toBeCloseTo(low, 12)
      expect(found.high).toBeCloseTo(high, 12)
    }
    expect(() => pairedBootstrap([1])).toThrow(expect.objectContaining({ code: 'metric/failed' }))
  })

  test('Holm’s correction, which tests that couldn’t be made don’t widen', () => {
    for (const { p, adjusted } of goldens.holm) {
      holmAdjusted(p).forEach((found, index) => {
        expect(found).toBeCloseTo(adjusted[index] ?? NaN, 12)
      })
    }
    expect(holmAdjusted([0.02, null, 0.03])).toEqual([0.04, null, 0.04])
  })

  test('the smallest effect that is found in four of five repetitions', () => {
    expect(minimumDetectableEffect(0.01)).toBeCloseTo(goldens.detectable_per_stderr * 0.01, 12)
  })
})
