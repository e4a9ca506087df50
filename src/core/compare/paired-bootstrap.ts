/** An interval of a mean difference that assumes no distribution: docs are drawn again, with both runs' values of each together. */
import { EvalError } from '../errors.ts'
import { NumpyRandom } from '../python/numpy-random.ts'

export interface BootstrapInterval {
  /** 2.5th and 97.5th percentile of the resampled means. */
  readonly low: number
  readonly high: number
  readonly resamples: number
}

/**
 * Percentile interval of the mean of paired differences, one a doc, as `scipy.stats.bootstrap(…, method='percentile')` gives it with
 * `RandomState(seed)`. Throws `metric/failed` for fewer than two docs.
 */
export function pairedBootstrap(differences: readonly number[], { resamples = 1000, seed = 1234 } = {}): BootstrapInterval {
  const n = differences.length
  if (n < 2) throw new EvalError('metric/failed', `A paired bootstrap wants two docs in common at least, found ${n}.`)
  const random = new NumpyRandom(seed)
  const drawn = new Int32Array(n)
  const values = Float64Array.from(differences)
  const means = new Float64Array(resamples)
  for (let at = 0; at < resamples; at++) {
    random.fillBelow(drawn, n)
    let sum = 0
    for (const index of drawn) sum += values[index] ?? 0
    means[at] = sum / n
  }
  means.sort()
  return { low: quantile(means, 0.025), high: quantile(means, 0.975), resamples }
}

/** numpy's default, linear between the two nearest. */
function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1)
  const below = Math.floor(place)
  const low = sorted[below] ?? NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? NaN
  return low + (high - low) * (place - below)
}
