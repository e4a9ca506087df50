import { expect, it } from 'vitest'
import { tokenLogProbabilities } from '../../src/second-opinion/token-log-probabilities.ts'

const rows = [Float32Array.of(9, 9, 9), Float32Array.of(0, Math.log(3), -Infinity), Float32Array.of(1000, 1000, 1000)]

it('takes a target’s log-probabilities off the last rows, for logits of any size', () => {
  const [first = NaN, second = NaN] = tokenLogProbabilities(Int32Array.of(1, 2), rows)
  expect(first).toBeCloseTo(Math.log(3 / 4), 6)
  expect(second).toBeCloseTo(-Math.log(3), 6)
})

it('refuses a target that is longer than the rows', () => {
  expect(() => tokenLogProbabilities(Int32Array.of(0, 0, 0, 0), rows)).toThrow(RangeError)
})
