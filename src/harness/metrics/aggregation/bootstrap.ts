/** The harness's bootstrap: the standard deviation of a statistic over resampled documents. lm_eval 0.4.13, `bootstrap_stderr`. */
import { EvalError } from '../../../base/errors.ts'
import { sampleStddev } from '../means.ts'
import { Resampler } from '../resampler.ts'

/** A statistic of a resample, given as indices into the documents, in drawing order. The array is reused between calls. */
export type Statistic = (indices: Int32Array) => number

export interface BootstrapHooks {
  /** Asked after every chunk of at most 1000 resamples; true abandons the work with `run/stopped`. */
  readonly shouldStop?: () => boolean
  /** Told after every chunk how many resamples of how many are done. */
  readonly onProgress?: (done: number, total: number) => void
}

/**
 * Sample standard deviation of `statistic` over `floor(iterations / chunk) * chunk` resamples of `count` documents, where chunk is
 * `min(1000, iterations)` and chunk i draws with a generator seeded with i. NaN for a single resample. Throws `run/stopped` when a
 * hook says so.
 */
export function bootstrapStderr(statistic: Statistic, count: number, iterations: number, hooks: BootstrapHooks = {}): number {
  const chunk = Math.min(1000, iterations)
  const chunks = Math.floor(iterations / chunk)
  const replicates = new Float64Array(chunks * chunk)
  const indices = new Int32Array(count)
  for (let i = 0; i < chunks; i++) {
    const resampler = new Resampler(i)
    for (let k = 0; k < chunk; k++) {
      resampler.fill(indices, count)
      replicates[i * chunk + k] = statistic(indices)
    }
    hooks.onProgress?.((i + 1) * chunk, chunks * chunk)
    if (hooks.shouldStop?.() === true)
      throw new EvalError('run/stopped', `Stopped after ${(i + 1) * chunk} of ${chunks * chunk} resamples.`)
  }
  return sampleStddev(replicates)
}
