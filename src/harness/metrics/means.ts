/** Sums and spreads as the harness computes them, in its order of additions. */
import { maxOf } from '../../base/arrays.ts'

/** Python's `sum(values) / len(values)`: plain additions from left to right, as CPython 3.11 does. */
export function mean(values: ArrayLike<number>): number {
  return sum(values) / values.length
}

/** Left-to-right sum. */
export function sum(values: ArrayLike<number>): number {
  let total = 0
  for (let i = 0; i < values.length; i++) total += values[i] ?? 0
  return total
}

/** Sample standard deviation (n - 1); NaN for fewer than two values. */
export function sampleStddev(values: ArrayLike<number>): number {
  const mu = mean(values)
  let squares = 0
  for (let i = 0; i < values.length; i++) squares += ((values[i] ?? 0) - mu) ** 2
  return Math.sqrt(squares / (values.length - 1))
}

/** Standard error of the mean. */
export function meanStderr(values: ArrayLike<number>): number {
  return sampleStddev(values) / Math.sqrt(values.length)
}

/** numpy's `sum` of a contiguous float64 array: pairwise, in blocks of 128 with eight running sums. */
export function pairwiseSum(values: ArrayLike<number>, start = 0, length = values.length): number {
  if (length > 128) {
    const half = Math.floor(length / 2)
    const left = half - (half % 8)
    return pairwiseSum(values, start, left) + pairwiseSum(values, start + left, length - left)
  }
  let i = start
  let total = 0
  const end = start + length
  if (length >= 8) {
    const sums = runningSums.fill(0)
    for (; i + 8 <= end; i += 8) for (let k = 0; k < 8; k++) sums[k] = (sums[k] ?? 0) + (values[i + k] ?? 0)
    const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = sums
    total = a + b + (c + d) + (e + f + (g + h))
  }
  for (; i < end; i++) total += values[i] ?? 0
  return total
}

const runningSums = new Float64Array(8)

/** numpy's `argmax`: the first NaN if there is one, else the first largest. */
export function argmax(values: readonly number[]): number {
  let best = 0
  for (let i = 0; i < values.length; i++) {
    const value = values[i] ?? 0
    if (Number.isNaN(value)) return i
    if (value > (values[best] ?? 0)) best = i
  }
  return best
}

/** Softmax with the largest subtracted first, as `lm_eval.utils.softmax`. */
export function softmax(values: readonly number[]): number[] {
  const largest = values.some(Number.isNaN) ? NaN : maxOf(values)
  const exponentials = values.map((value) => Math.exp(value - largest))
  const total = pairwiseSum(exponentials)
  return exponentials.map((value) => value / total)
}
