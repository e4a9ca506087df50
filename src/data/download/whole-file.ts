/** A whole file, checked: in one buffer of its length, or as a Blob of which nothing stays in this worker's memory. */
import { EvalError } from '../../base/errors.ts'
import { freeBuffer } from '../../base/free-buffer.ts'
import type { Watched } from '../hub/http.ts'
import { gatherChunks } from './gather-chunks.ts'
import type { OpenFile } from './open-file.ts'

/** The file's bytes. Throws as `gatherChunks`; `engine/out-of-memory` when there is no room for the buffer. */
export async function readWhole(file: OpenFile, onBytes: Watched['onBytes']): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = allocate(file)
  const place = (index: number): Uint8Array => {
    const start = index * file.chunkBytes
    return buffer.subarray(start, start + file.lengthOf(index))
  }
  await gatherChunks(
    file,
    { place, settle: () => Promise.resolve(), use: (index, reader) => Promise.resolve(reader(place(index))) },
    onBytes,
  )
  return buffer
}

/**
 * The file as a Blob over its chunks in the store, and over memory that belongs to the browser for chunks that aren't kept: it crosses to
 * another worker without a copy, and is read there part by part. Throws as `gatherChunks`.
 */
export async function readAsBlob(file: OpenFile, onBytes: Watched['onBytes']): Promise<Blob> {
  const { store } = file.around
  const parts = new Map<number, Blob>()
  // No more than a few at once: chunks that are on their way.
  const places = new Map<number, Uint8Array<ArrayBuffer>>()
  const place = (index: number): Uint8Array<ArrayBuffer> => {
    const known = places.get(index) ?? new Uint8Array(file.lengthOf(index))
    places.set(index, known)
    return known
  }
  const giveBack = (index: number): void => {
    const done = places.get(index)
    places.delete(index)
    if (done !== undefined) freeBuffer(done.buffer)
  }
  const settle = async (index: number, isKept: boolean): Promise<void> => {
    const stored = isKept ? ((await store?.chunkBlob(file.key, index, file.lengthOf(index))) ?? null) : null
    parts.set(index, stored ?? new Blob([place(index)]))
    giveBack(index)
  }
  const partOf = (index: number): Blob => {
    const part = parts.get(index)
    if (part === undefined) throw new EvalError('internal', `Chunk ${index} of ${file.what} is missing.`)
    return part
  }
  const use = async <T>(index: number, reader: (bytes: Uint8Array) => T): Promise<T> => {
    const bytes = await partOf(index).arrayBuffer()
    try {
      return reader(new Uint8Array(bytes))
    } finally {
      freeBuffer(bytes)
    }
  }
  await gatherChunks(file, { place, settle, use }, onBytes)
  return new Blob(Array.from({ length: file.chunks }, (_, index) => partOf(index)))
}

function allocate({ bytes, what }: OpenFile): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(bytes)
  } catch (cause) {
    throw new EvalError('engine/out-of-memory', `${what} needs ${bytes} bytes of memory in one piece, which this browser does not give.`, {
      cause,
    })
  }
}
