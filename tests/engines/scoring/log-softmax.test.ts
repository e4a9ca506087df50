import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { halfToFloat } from '../../../src/engines/logits.ts'
import { logProbability, summariseRow, sumLogProbabilities } from '../../../src/engines/scoring/log-softmax.ts'

const logit = fc.float({ noNaN: true, min: -100, max: 100 })

describe('summariseRow', () => {
  it('gives probabilities that sum to one', () => {
    fc.assert(
      fc.property(fc.array(logit, { minLength: 1, maxLength: 200 }), (values) => {
        const row = Float32Array.from(values)
        const summary = summariseRow(row)
        expect(row.reduce((sum, value) => sum + Math.exp(logProbability(value, summary)), 0)).toBeCloseTo(1, 4)
      }),
    )
  })

  it('matches torch 2 on a fixed row', () => {
    // torch.log_softmax(torch.tensor([1.5, -2.25, 0.125, 7.75]), -1)
    const row = Float32Array.from([1.5, -2.25, 0.125, 7.75])
    const summary = summariseRow(row)
    const wanted = [-6.252460956573486, -10.002460479736328, -7.627460956573486, -0.002460906282067299]
    for (const [i, value] of wanted.entries()) expect(logProbability(row[i] ?? NaN, summary)).toBeCloseTo(value, 6)
  })

  it('breaks ties by the lowest id, also ties that only rounding makes', () => {
    expect(summariseRow(Float32Array.from([1, 5, 5, 2])).argmax).toBe(1)
    // 2e-8 below the maximum: equal once the log of the sum is subtracted in float32.
    expect(summariseRow(Float32Array.from([-2e-8, 0, 0, 0])).argmax).toBe(0)
    expect(summariseRow(Float32Array.from([-1e-3, 0, 0, 0])).argmax).toBe(1)
  })

  it('never gives a number for a row with NaN or infinity anywhere', () => {
    fc.assert(
      fc.property(
        fc.array(logit, { minLength: 1, maxLength: 50 }),
        fc.nat(),
        fc.constantFrom(NaN, Infinity, -Infinity),
        (values, at, bad) => {
          const row = Float32Array.from(values)
          row[at % row.length] = bad
          expect(() => summariseRow(row)).toThrow(expect.objectContaining({ code: 'engine/nonfinite' }))
        },
      ),
    )
  })
})

describe('sumLogProbabilities', () => {
  it('is a float32, and the rounded exact sum', () => {
    const sum = sumLogProbabilities(Float32Array.from([-0.1, -0.2, -16777216]))
    expect(sum).toBe(Math.fround(-0.1 - 0.2 - 16777216))
    expect(sumLogProbabilities(new Float32Array(0))).toBe(0)
  })
})

describe('halfToFloat', () => {
  it.each([
    [0x3c00, 1],
    [0xc000, -2],
    [0x7bff, 65504],
    [0x0001, 2 ** -24],
    [0x3555, 0.333251953125],
    [0x7c00, Infinity],
    [0x7e00, NaN],
  ])('%i is %d', (bits, value) => {
    expect(halfToFloat(bits)).toBe(value)
  })
})
