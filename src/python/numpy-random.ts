/** numpy's legacy generator: `numpy.random.seed(seed)` and `numpy.random.choice` with replacement. Source: numpy 2, `mt19937`, `RandomState`. */
import { MersenneTwister } from './mersenne-twister.ts'

/** Draws as `numpy.random.RandomState(seed)` makes them. */
export class NumpyRandom {
  private readonly twister: MersenneTwister

  /** `seed` is a non-negative integer below 2^32. */
  constructor(seed: number) {
    this.twister = new MersenneTwister(seed)
  }

  /** Fills `indices` with `randint(0, count)`: outputs cut to the bits of `count - 1`, those above it thrown away. One index draws nothing. */
  fillBelow(indices: Int32Array, count: number): void {
    const highest = count - 1
    if (highest <= 0) {
      indices.fill(0)
      return
    }
    const mask = 2 ** (32 - Math.clz32(highest)) - 1
    for (let i = 0; i < indices.length; i++) {
      let value: number
      do value = (this.twister.next32() & mask) >>> 0
      while (value > highest)
      indices[i] = value
    }
  }
}
