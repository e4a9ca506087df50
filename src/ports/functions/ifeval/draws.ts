/** What IFEval's checks draw at random where a doc leaves a parameter out. */
import { PyRandom } from '../../../python/random.ts'
import { ifevalData } from './data.ts'

/**
 * The draws of one doc, from seed 0. The harness draws from one generator for the whole run, so that a doc's draws hang on the docs before it;
 * here a doc gets the same ones in any run.
 */
export class Draws {
  readonly #random = new PyRandom(0)
  #count = 0

  /** How often something was drawn. */
  get count(): number {
    return this.#count
  }

  /** `random.randint(first, last)` */
  whole(first: number, last: number): number {
    this.#count++
    return this.#random.randrange(first, last + 1)
  }

  /** `random.choice(options)` */
  one<T>(options: readonly T[]): T {
    this.#count++
    return this.#random.choice(options)
  }

  /** `instructions_util.generate_keywords` */
  words(count: number): string[] {
    this.#count++
    return this.#random.sample(ifevalData().words, count)
  }
}
