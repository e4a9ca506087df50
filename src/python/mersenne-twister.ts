/** MT19937, seeded as in Matsumoto and Nishimura's `init_genrand` and `init_by_array`: what numpy's and CPython's generators draw from. */

const N = 624
const M = 397

/** A generator of 32-bit outputs. */
export class MersenneTwister {
  private readonly state = new Uint32Array(N)
  private position = N

  /** `seed` is a non-negative integer below 2^32. */
  constructor(seed: number) {
    const { state } = this
    state[0] = seed
    for (let i = 1; i < N; i++) {
      const before = state[i - 1] ?? 0
      state[i] = Math.imul(1812433253, before ^ (before >>> 30)) + i
    }
  }

  /** `key` holds at least one 32-bit word, the lowest first. */
  static seededByArray(key: readonly number[]): MersenneTwister {
    const twister = new MersenneTwister(19650218)
    const { state } = twister
    const at = (index: number): number => state[index] ?? 0
    let i = 1
    let j = 0
    const advance = (): void => {
      i++
      if (i < N) return
      state[0] = at(N - 1)
      i = 1
    }
    for (let count = Math.max(N, key.length); count > 0; count--) {
      state[i] = (at(i) ^ Math.imul(at(i - 1) ^ (at(i - 1) >>> 30), 1664525)) + (key[j] ?? 0) + j
      advance()
      j = (j + 1) % key.length
    }
    for (let count = N - 1; count > 0; count--) {
      state[i] = (at(i) ^ Math.imul(at(i - 1) ^ (at(i - 1) >>> 30), 1566083941)) - i
      advance()
    }
    state[0] = 0x80000000
    return twister
  }

  /** The next output, from 0 to 2^32 - 1. */
  next32(): number {
    if (this.position === N) this.twist()
    let y = this.state[this.position++] ?? 0
    y ^= y >>> 11
    y ^= (y << 7) & 0x9d2c5680
    y ^= (y << 15) & 0xefc60000
    return (y ^ (y >>> 18)) >>> 0
  }

  private twist(): void {
    const { state } = this
    for (let k = 0; k < N; k++) {
      const next = k + 1 < N ? k + 1 : 0
      const far = k + M < N ? k + M : k + M - N
      const y = ((state[k] ?? 0) & 0x80000000) | ((state[next] ?? 0) & 0x7fffffff)
      state[k] = (state[far] ?? 0) ^ (y >>> 1) ^ (-(y & 1) & 0x9908b0df)
    }
    this.position = 0
  }
}
