/** CPython 3.11's `random.Random`: the Mersenne Twister MT19937 and the draws that the harness makes with it. */
import { EvalError } from '../base/errors.ts'
import { MersenneTwister } from './mersenne-twister.ts'

const two32 = 0x1_0000_0000n

/**
 * A generator with the state and the draws of `random.Random(seed)`. The sign of a seed is ignored, as in CPython.
 * Only what reads the state is here: integers, floats, samples, choices and shuffles. Source: CPython 3.11, Lib/random.py and
 * Modules/_randommodule.c.
 */
export class PyRandom {
  private readonly twister: MersenneTwister

  constructor(seed: number | bigint) {
    const big = BigInt(seed)
    let rest = big < 0n ? -big : big
    const key: number[] = []
    do {
      key.push(Number(rest % two32))
      rest /= two32
    } while (rest > 0n)
    this.twister = MersenneTwister.seededByArray(key)
  }

  /** A float in [0, 1) with 53 random bits. */
  random(): number {
    const high = this.twister.next32() >>> 5
    const low = this.twister.next32() >>> 6
    return (high * 67108864 + low) / 2 ** 53
  }

  /** An integer of `bits` random bits. */
  getrandbits(bits: number): bigint {
    if (bits <= 0) return 0n
    let value = 0n
    for (let done = 0; done < bits; done += 32) {
      const wanted = Math.min(32, bits - done)
      value |= BigInt(this.twister.next32() >>> (32 - wanted)) << BigInt(done)
    }
    return value
  }

  /** An integer in [0, n). Also n = 1 draws, as in CPython. */
  randbelow(n: number): number {
    if (n <= 0) throw new EvalError('fewshot/failed', `wanted a random number below ${n}, which is not above 0`)
    const bits = n > 0xffffffff ? BigInt(n).toString(2).length : 32 - Math.clz32(n)
    for (;;) {
      const value = bits <= 32 ? this.twister.next32() >>> (32 - bits) : Number(this.getrandbits(bits))
      if (value < n) return value
    }
  }

  /** An integer in [start, stop), or in [0, start) when only one bound is given. */
  randrange(start: number, stop: number | null = null): number {
    return stop === null ? this.randbelow(start) : start + this.randbelow(stop - start)
  }

  /** One element. */
  choice<T>(population: readonly T[]): T {
    return pick(population, this.randbelow(population.length))
  }

  /** `k` elements with replacement. */
  choices<T>(population: readonly T[], k: number): T[] {
    return Array.from({ length: k }, () => pick(population, Math.floor(this.random() * population.length)))
  }

  /** `k` elements without replacement, in drawing order. Throws `fewshot/failed` when the population has fewer. */
  sample<T>(population: readonly T[], k: number): T[] {
    const n = population.length
    if (k < 0 || k > n)
      throw new EvalError('fewshot/failed', `wanted ${k} examples, but there are only ${n} to draw from`, {
        details: { wanted: k, found: n },
      })
    if (n <= poolLimit(k)) return this.sampleFromPool(population, k)
    const taken = new Set<number>()
    while (taken.size < k) taken.add(this.randbelow(n))
    return [...taken].map((index) => pick(population, index))
  }

  /** Shuffles in place. */
  shuffle<T>(items: T[]): void {
    for (let last = items.length - 1; last > 0; last--) {
      const other = this.randbelow(last + 1)
      const kept = pick(items, last)
      items[last] = pick(items, other)
      items[other] = kept
    }
  }

  private sampleFromPool<T>(population: readonly T[], k: number): T[] {
    const pool = [...population]
    const drawn: T[] = []
    for (let i = 0; i < k; i++) {
      const index = this.randbelow(pool.length - i)
      drawn.push(pick(pool, index))
      pool[index] = pick(pool, pool.length - i - 1)
    }
    return drawn
  }
}

/** Largest population that is copied rather than drawn from by index: 21, plus for k > 5 the smallest power of 4 that is >= 3k. */
function poolLimit(k: number): number {
  if (k <= 5) return 21
  let power = 1
  while (power < 3 * k) power *= 4
  return 21 + power
}

function pick<T>(items: readonly T[], index: number): T {
  if (index >= items.length) throw new EvalError('internal', `index ${index} is beyond ${items.length} items`)
  // The bound is checked above; T may itself include undefined.
  return items[index] as T
}
