/** Bytes that come in pieces of any size. */

/** One array of all pieces; the piece itself when there is just one. */
export function joinPieces(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces
  if (only !== undefined && pieces.length === 1) return only
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
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
    taken.push(step.value)
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

/** The same bytes in pieces of exactly `size`, but for the last. */
export async function* evenPieces(pieces: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let buffer = new Uint8Array(size)
  let filled = 0
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length;) {
      const part = piece.subarray(at, at + size - filled)
      buffer.set(part, filled)
      filled += part.length
      at += part.length
      if (filled === size) {
        yield buffer
        buffer = new Uint8Array(size)
        filled = 0
      }
    }
  }
  if (filled > 0) yield buffer.subarray(0, filled)
}
