/** Draws with replacement as `random.Random(seed).choices` makes them, many at a time. */

const N = 624
const M = 397

/**
 * The index draws of one seeded generator. The same MT19937 as `PyRandom`, kept apart because a bootstrap makes hundreds of millions
 * of draws: state and output stay in typed arrays, and a whole block is twisted at once.
 */
export class Resampler {
  private readonly state = new Uint32Array(N)
  private position = N

  /** `seed` is a non-negative integer below 2^32. */
  constructor(seed: number) {
    const { state } = this
    state[0] = 19650218
    for (let i = 1; i < N; i++) state[i] = Math.imul(1812433253, this.mixed(i - 1)) + i
    let i = 1
    for (let count = N; count > 0; count--) {
      state[i] = ((state[i] ?? 0) ^ Math.imul(this.mixed(i - 1), 1664525)) + seed
      i = this.wrap(i + 1)
    }
    for (let count = N - 1; count > 0; count--) {
      state[i] = ((state[i] ?? 0) ^ Math.imul(this.mixed(i - 1), 1566083941)) - i
      i = this.wrap(i + 1)
    }
    state[0] = 0x80000000
  }

  /** Fills `indices` with draws from `[0, count)`. */
  fill(indices: Int32Array, count: number): void {
    for (let j = 0; j < indices.length; j++) {
      // Python's random(): 53 bits of two outputs.
      if (this.position >= N) this.twist()
      const high = temper(this.state[this.position++] ?? 0) >>> 5
      if (this.position >= N) this.twist()
      const low = temper(this.state[this.position++] ?? 0) >>> 6
      indices[j] = Math.floor(((high * 67108864 + low) / 9007199254740992) * count)
    }
  }

  private mixed(i: number): number {
    const word = this.state[i] ?? 0
    return word ^ (word >>> 30)
  }

  private wrap(i: number): number {
    if (i < N) return i
    this.state[0] = this.state[N - 1] ?? 0
    return 1
  }

  private twist(): void {
    const { state } = this
    for (let k = 0; k < N - M; k++) state[k] = (state[k + M] ?? 0) ^ twistWords(state[k] ?? 0, state[k + 1] ?? 0)
    for (let k = N - M; k < N - 1; k++) state[k] = (state[k + M - N] ?? 0) ^ twistWords(state[k] ?? 0, state[k + 1] ?? 0)
    state[N - 1] = (state[M - 1] ?? 0) ^ twistWords(state[N - 1] ?? 0, state[0] ?? 0)
    this.position = 0
  }
}

function temper(word: number): number {
  let y = word
  y ^= y >>> 11
  y ^= (y << 7) & 0x9d2c5680
  y ^= (y << 15) & 0xefc60000
  return y ^ (y >>> 18)
}

function twistWords(high: number, low: number): number {
  const y = (high & 0x80000000) | (low & 0x7fffffff)
  return (y >>> 1) ^ (-(y & 1) & 0x9908b0df)
}
