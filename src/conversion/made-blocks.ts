/** Rows rounded to blocks last, since a graph asks for a weight's blocks and for its scales apart, and rounding gives both. */
import type { Weight } from '../architectures/architecture.ts'
import type { NBitsRows } from '../weights/convert/matmul-nbits.ts'

/**
 * Values of whose blocks are kept: a piece of 16 MiB that is unpacked to float32 has 2^22, and reads its scales first, its blocks then (engines/graph/unpacked-weights.ts). A whole weight that is asked for
 * as it is stored is larger, and its other part comes at any later time; keeping all such parts would take the model's size once more.
 */
const keptValues = 2 ** 22

/** Keeps what was rounded of one weight, as long as that stays small. */
export class MadeBlocks {
  #source: Weight | null = null
  readonly #chunks = new Map<string, NBitsRows>()
  #values = 0

  /** The blocks of rows `from` to `to`, made by `make` where they aren't kept. A graph has each weight in one number of bits. */
  of({ source }: { readonly source: Weight }, from: number, to: number, make: () => NBitsRows): NBitsRows {
    if (source !== this.#source) {
      this.clear()
      this.#source = source
    }
    const key = `${from}-${to}`
    const kept = this.#chunks.get(key)
    if (kept !== undefined) return kept
    const made = make()
    const values = (to - from) * (source.columns ?? 1)
    if (this.#values + values > keptValues) {
      this.#chunks.clear()
      this.#values = 0
    }
    this.#chunks.set(key, made)
    this.#values += values
    return made
  }

  /** Frees what is kept. */
  clear(): void {
    this.#source = null
    this.#chunks.clear()
    this.#values = 0
  }
}
