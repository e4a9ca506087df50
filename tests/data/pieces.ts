/** Bytes in pieces, for tests. */
import type { RowFile } from '../../src/data/stream/stream-rows.ts'

/** A generator of numbers in [0, 1) that starts anew for each seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** The bytes cut anywhere: mostly into small pieces, some of them empty, sometimes into large ones. */
export async function* cutUp(bytes: Uint8Array, random: () => number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length;) {
    const size = Math.floor(random() ** 4 * Math.max(20, bytes.length))
    yield bytes.slice(at, at + size)
    at += size
  }
}

/** A file that comes in the pieces of `cutUp`; without `random` in one. */
export function fileOf(name: string, bytes: Uint8Array, random: (() => number) | null = null): RowFile {
  return {
    name,
    length: () => Promise.resolve(bytes.length),
    read: (start, end) => Promise.resolve(bytes.subarray(start, end)),
    async *stream() {
      if (random === null) yield bytes
      else yield* cutUp(bytes, random)
    },
  }
}

/** All bytes of the pieces. */
export async function collectBytes(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece.slice())
  return new Uint8Array(Buffer.concat(parts))
}

export function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}
