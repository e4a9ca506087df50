/** MT19937 seeded by one number, as in Matsumoto and Nishimura's `init_genrand`. */

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
      const y = ((state[k] ?? 0) & 0x80000000) | ((state[(k + 1) % N] ?? 0) & 0x7fffffff)
      state[k] = (state[(k + M) % N] ?? 0) ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0)
    }
    this.position = 0
  }
}
