/** The bytes of a chunk's blocks, kept for a second reading. Its memory is used again for the next chunk. */

export class BlockStore {
  #buffers: Uint8Array[] = []
  #lengths: number[] = []
  #bytes = 0

  /** Bytes of all blocks. */
  get bytes(): number {
    return this.#bytes
  }

  /** Adds a copy of the block. */
  add(block: Uint8Array): void {
    const at = this.#lengths.length
    const known = this.#buffers[at]
    const buffer = known !== undefined && known.length >= block.length ? known : new Uint8Array(roundUp(block.length))
    buffer.set(block)
    this.#buffers[at] = buffer
    this.#lengths.push(block.length)
    this.#bytes += block.length
  }

  /** The blocks in order; each only until `clear`. */
  *blocks(): Generator<Uint8Array> {
    for (const [at, length] of this.#lengths.entries()) {
      const buffer = this.#buffers[at]
      if (buffer !== undefined) yield buffer.subarray(0, length)
    }
  }

  clear(): void {
    this.#lengths = []
    this.#bytes = 0
  }
}

/** To the next multiple of 16 KiB, so that a block of another chunk fits in more often. */
function roundUp(bytes: number): number {
  return Math.ceil(bytes / 16_384) * 16_384
}
