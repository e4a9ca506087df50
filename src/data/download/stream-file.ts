/** A file in order, a chunk at a time, so that memory doesn't grow with its length; and single parts of one. */
import { EvalError } from '../../base/errors.ts'
import type { Watched } from '../hub/http.ts'
import { fetchChunks } from './chunk-reader.ts'
import { contentCheck } from './file-key.ts'
import type { OpenFile } from './open-file.ts'

/** Chunks that are fetched before somebody asks for them. */
const ahead = 2

/**
 * The file's chunks in order, each only good until the next one is asked for: its memory is filled again. The file's hash is checked after
 * the last one: `hub/corrupt` there means that nothing of it may be used. Chunks that are kept aren't fetched again, and one that was
 * changed since is fetched anew.
 */
export async function* streamChunks(file: OpenFile, { onBytes }: Watched): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const stop = new AbortController()
  const source = { ...file.source, signal: joined(file.source.signal, stop.signal) }
  const reader: OpenFile = { ...file, source }
  const check = await contentCheck(file.key, file.bytes)
  const hashes: (string | null)[] = []
  const pending = new Map<number, Promise<Chunk>>()
  // Chunks that are done with: new memory for each would lie about until the browser collects it.
  const spares: Uint8Array<ArrayBuffer>[] = []
  const placeFor = (index: number): Uint8Array<ArrayBuffer> => {
    const spare = spares.pop()
    return spare?.length === file.lengthOf(index) ? spare : new Uint8Array(file.lengthOf(index))
  }
  const request = (index: number): Promise<Chunk> => {
    const chunk = pending.get(index) ?? readChunk(reader, index, placeFor(index))
    // Whoever asks for it hears of its failure; one that nobody asks for any more is no matter.
    chunk.catch(() => undefined)
    pending.set(index, chunk)
    return chunk
  }
  let loaded = 0
  try {
    for (let index = 0; index < file.chunks; index++) {
      for (let next = index; next <= Math.min(index + ahead, file.chunks - 1); next++) request(next).catch(() => undefined)
      const { bytes, hash } = await request(index)
      pending.delete(index)
      check.update(bytes)
      hashes.push(hash)
      loaded += bytes.length
      onBytes?.(loaded)
      yield bytes
      spares.push(bytes)
    }
  } finally {
    stop.abort()
  }
  const mismatch = check.mismatch()
  if (mismatch !== null) {
    await file.around.store?.remove(file.key)
    const message = `${file.what}: its content is not what the Hub lists (${mismatch}). It was dropped; the next try fetches it anew.`
    throw new EvalError('hub/corrupt', message, { details: { file: file.source.path } })
  }
  const all = hashes.flatMap((hash) => hash ?? [])
  if (all.length === file.chunks) await file.finish(all)
}

interface Chunk {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** As it is kept; null when it isn't. */
  readonly hash: string | null
}

/** One chunk, from the store or the network, in `bytes`, which are of its length. */
async function readChunk(file: OpenFile, index: number, bytes: Uint8Array<ArrayBuffer>): Promise<Chunk> {
  const { store, waiter, slots } = file.around
  const marker = (await store?.readMarker(file.key)) ?? null
  const kept = (await store?.readChunk(file.key, index, bytes)) ?? null
  if (kept !== null && (marker === null || marker.chunks[index] === kept)) return { bytes, hash: kept }
  let hash: string | null = null
  await fetchChunks({
    source: file.source,
    waiter,
    slots,
    chunkBytes: file.chunkBytes,
    wanted: [index],
    placeOf: () => bytes,
    onBytes: () => undefined,
    onChunk: async () => {
      hash = await file.keep(index, bytes)
    },
  })
  return { bytes, hash }
}

/** Bytes `start` (in) to `end` (out) of a file of several chunks, from whole chunks that are kept, or fetched and kept. */
export async function readParts(file: OpenFile, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
  const part = new Uint8Array(end - start)
  const first = Math.floor(start / file.chunkBytes)
  const last = Math.floor((end - 1) / file.chunkBytes)
  const indexes = Array.from({ length: last - first + 1 }, (_, offset) => first + offset)
  await Promise.all(
    indexes.map(async (index) => {
      const from = index * file.chunkBytes
      const { bytes } = await readChunk(file, index, new Uint8Array(file.lengthOf(index)))
      part.set(bytes.subarray(Math.max(0, start - from), end - from), Math.max(0, from - start))
    }),
  )
  return part
}

function joined(signal: AbortSignal | undefined, own: AbortSignal): AbortSignal {
  return signal === undefined ? own : AbortSignal.any([signal, own])
}
