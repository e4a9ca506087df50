/** An interval of a mean difference that assumes no distribution: docs are drawn again, with both runs' values of each together. */
import { EvalError } from '../../base/errors.ts'
import { NumpyRandom } from '../../python/numpy-random.ts'
import { finish, type Steps } from './series/steps.ts'

interface BootstrapInterval {
  /** 2.5th and 97.5th percentile of the resampled means. */
  readonly low: number
  readonly high: number
  readonly resamples: number
}

/**
 * Percentile interval of the mean of paired differences, one a doc, as `scipy.stats.bootstrap(…, method='percentile')` gives it with
 * `RandomState(seed)`. Throws `metric/failed` for fewer than two docs.
 */
export function pairedBootstrap(differences: readonly number[], options: BootstrapOptions = {}): BootstrapInterval {
  const [interval] = finish(bootstrapInSteps([differences], options))
  if (interval === undefined) throw new EvalError('metric/failed', 'A bootstrap of one list gives one interval.')
  return interval
}

interface BootstrapOptions {
  readonly resamples?: number
  readonly seed?: number
}

/** Draws between two pauses: a few milliseconds. */
const drawsPerStep = 100_000

/**
 * `pairedBootstrap` of each list, with pauses. Lists of one length are drawn from together: which docs are drawn depends on the seed and the
 * length alone.
 */
export function* bootstrapInSteps(
  lists: readonly (readonly number[])[],
  { resamples = 1000, seed = 1234 }: BootstrapOptions = {},
): Steps<readonly BootstrapInterval[]> {
  const intervals: BootstrapInterval[] = []
  const byLength = new Map<number, number[]>()
  lists.forEach(({ length }, place) => byLength.set(length, [...(byLength.get(length) ?? []), place]))
  for (const [n, places] of byLength) {
    if (n < 2) throw new EvalError('metric/failed', `A paired bootstrap wants two docs in common at least, found ${n}.`)
    const random = new NumpyRandom(seed)
    const drawn = new Int32Array(n)
    const sampled = places.map((place) => ({ values: compact(lists[place] ?? []), means: new Float64Array(resamples) }))
    let sinceStep = 0
    for (let at = 0; at < resamples; at++) {
      sinceStep += n * (1 + places.length)
      if (sinceStep > drawsPerStep) {
        sinceStep = 0
        yield
      }
      random.fillBelow(drawn, n)
      for (const { values, means } of sampled) means[at] = sumAt(values, drawn) / n
    }
    sampled.forEach(({ means }, index) => {
      means.sort()
      intervals[places[index] ?? 0] = { low: quantile(means, 0.025), high: quantile(means, 0.975), resamples }
    })
  }
  return intervals
}

/** Differences of verdicts fit into a byte, and then into a processor's nearest memory. */
function compact(values: readonly number[]): Int8Array | Float64Array {
  return values.every((value) => value === 0 || value === 1 || value === -1) ? Int8Array.from(values) : Float64Array.from(values)
}

function sumAt(values: Int8Array | Float64Array, places: Int32Array): number {
  // The same loop twice: an engine makes each fast for its own kind of array.
  return values instanceof Int8Array ? sumOfBytes(values, places) : sumOfDoubles(values, places)
}

function sumOfBytes(values: Int8Array, places: Int32Array): number {
  let sum = 0
  for (let at = 0; at < places.length; at++) sum += values[places[at] ?? 0] ?? 0
  return sum
}

function sumOfDoubles(values: Float64Array, places: Int32Array): number {
  let sum = 0
  for (let at = 0; at < places.length; at++) sum += values[places[at] ?? 0] ?? 0
  return sum
}

/** numpy's default, linear between the two nearest. */
function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1)
  const below = Math.floor(place)
  const low = sorted[below] ?? NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? NaN
  return low + (high - low) * (place - below)
}
