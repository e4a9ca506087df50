/** Bytes that come in pieces of any size; each is only good until the next one is asked for. */
import { joinBytes } from '../../base/bytes.ts'

/** One array of all pieces; the piece itself when there is just one. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return only
  return joinBytes(pieces)
}

/** The first `count` bytes (fewer when there are no more), and all pieces with those that had to be read for them. */
export async function peekPieces(
  pieces: AsyncIterable<Uint8Array>,
  count: number,
): Promise<{ readonly head: Uint8Array; readonly whole: AsyncIterable<Uint8Array> }> {
  const source = pieces[Symbol.asyncIterator]()
  const taken: Uint8Array[] = []
  let bytes = 0
  while (bytes < count) {
    const step = await source.next()
    if (step.done === true) break
    taken.push(step.value.slice())
    bytes += step.value.length
  }
  return { head: joinPieces(taken).subarray(0, count), whole: continuePieces(taken, source) }
}

async function* continuePieces(taken: readonly Uint8Array[], source: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* taken
    for (;;) {
      const step = await source.next()
      if (step.done === true) return
      yield step.value
    }
  } finally {
    await source.return?.()
  }
}

/** Fills buffers from pieces. */
export class PieceFiller {
  readonly #pieces: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]()
  }

  /** How many bytes were filled in: fewer than there is room for only at the end. */
  async fill(buffer: Uint8Array): Promise<number> {
    let filled = 0
    while (filled < buffer.length) {
      if (this.#rest.length === 0) {
        const step = await this.#pieces.next()
        if (step.done === true) break
        this.#rest = step.value
      }
      const part = this.#rest.subarray(0, buffer.length - filled)
      buffer.set(part, filled)
      filled += part.length
      this.#rest = this.#rest.subarray(part.length)
    }
    return filled
  }

  async close(): Promise<void> {
    await this.#pieces.return?.()
  }
}

/** The same bytes in pieces of exactly `size`, but for the last, all in one buffer. */
export async function* evenPieces(pieces: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  const filler = new PieceFiller(pieces)
  const buffer = new Uint8Array(size)
  try {
    for (;;) {
      const filled = await filler.fill(buffer)
      if (filled > 0) yield buffer.subarray(0, filled)
      if (filled < size) return
    }
  } finally {
    await filler.close()
  }
}
