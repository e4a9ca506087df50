/** The bytes of a chunk's blocks, kept for a second reading. Its memory is used again for the next chunk. */

const slabBytes = 256 * 1024

export class BlockStore {
  /** Memory for many blocks each; a block lies in one of them. */
  readonly #slabs: Uint8Array[] = []
  /** For each block its slab, and where it begins and ends there. */
  readonly #places: number[] = []
  #placesFilled = 0
  #slab = 0
  #filled = 0
  #bytes = 0

  /** Bytes of all blocks. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds a copy of the block. */
  add(block: Uint8Array): void {
    let slab = this.#slabs[this.#slab] ?? this.#newSlab(block.length)
    while (this.#filled + block.length > slab.length) {
      this.#slab += 1
      this.#filled = 0
      slab = this.#slabs[this.#slab] ?? this.#newSlab(block.length)
    }
    slab.set(block, this.#filled)
    const end = this.#filled + block.length
    this.#places[this.#placesFilled++] = this.#slab
    this.#places[this.#placesFilled++] = this.#filled
    this.#places[this.#placesFilled++] = end
    this.#filled = end
    this.#bytes += block.length
  }

  #newSlab(least: number): Uint8Array {
    const slab = new Uint8Array(Math.max(least, slabBytes))
    this.#slabs[this.#slab] = slab
    return slab
  }

  /** The blocks in order; each only until `clear`. */
  *blocks(): Generator<Uint8Array> {
    for (let at = 0; at < this.#placesFilled; at += 3) {
      const slab = this.#slabs[this.#places[at] ?? 0]
      if (slab !== undefined) yield slab.subarray(this.#places[at + 1], this.#places[at + 2])
    }
  }

  clear(): void {
    this.#placesFilled = 0
    this.#slab = 0
    this.#filled = 0
    this.#bytes = 0
  }
}
