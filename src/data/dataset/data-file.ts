/** A file of a dataset, to be read in pieces, wherever it is. */
import { createSHA256 } from 'hash-wasm'
import { EvalError } from '../../base/errors.ts'
import { sha256Hex } from '../digests.ts'

/** Length and SHA-256 (hex) of a whole file, as it was fetched (packed files packed). */
export interface FileFacts {
  readonly bytes: number
  readonly sha256: string
}

export interface DataFile {
  /** For messages. */
  readonly name: string
  /**
   * Its content from the first byte, in pieces of any size; each call begins anew. A piece is only good until the next one is asked for.
   * Leaving the loop early stops the transfer.
   */
  stream(): AsyncIterable<Uint8Array>
  /** Its length in bytes. */
  length(): Promise<number>
  /** Bytes from `start` up to `end` (exclusive), without the rest where the source can do that; fewer at the end of the file. */
  read(start: number, end: number): Promise<Uint8Array>
  /** Facts about the whole file; reads it once more when nobody has read it to its end yet. */
  facts(): Promise<FileFacts>
}

/** A file whose bytes come whole; they are fetched once, when first asked for. */
export function bytesFile(name: string, fetchBytes: () => Promise<Uint8Array>): DataFile {
  let fetched: Promise<Uint8Array> | null = null
  const bytes = (): Promise<Uint8Array> => (fetched ??= fetchBytes())
  return {
    name,
    async *stream() {
      yield await bytes()
    },
    length: async () => (await bytes()).length,
    read: async (start, end) => (await bytes()).subarray(start, end),
    facts: async () => {
      const whole = await bytes()
      return { bytes: whole.length, sha256: await sha256Hex(whole) }
    },
  }
}

/** A file that the browser holds: dropped by the user, or kept by the download layer (on disk, not in memory). */
export function blobFile(name: string, open: () => Promise<Blob>): DataFile {
  let opened: Promise<Blob> | null = null
  const blob = (): Promise<Blob> => (opened ??= open())
  return hashedFile({
    name,
    async *stream() {
      yield* piecesOf((await blob()).stream(), name)
    },
    length: async () => (await blob()).size,
    read: async (start, end) => new Uint8Array(await (await blob()).slice(start, end).arrayBuffer()),
  })
}

const readBytes = 128 * 1024

/**
 * The pieces of a stream, in one buffer that is used again and again where the browser can do that. The stream is cancelled when the reader
 * leaves early; what it fails with goes through.
 */
export async function* piecesOf(stream: ReadableStream<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const reader = openReader(stream)
  let isDone = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done || value === undefined) break
      yield value
    }
    isDone = true
  } finally {
    if (!isDone) await reader.cancel(new EvalError('run/stopped', `Nobody reads ${name} any further.`)).catch(() => undefined)
  }
}

interface PieceReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>
  cancel(reason: unknown): Promise<void>
}

function openReader(stream: ReadableStream<Uint8Array>): PieceReader {
  let reader: ReadableStreamBYOBReader
  try {
    reader = stream.getReader({ mode: 'byob' })
  } catch {
    // Only streams of bytes can fill a buffer of ours.
    return stream.getReader()
  }
  let buffer = new ArrayBuffer(readBytes)
  return {
    read: async () => {
      const step = await reader.read(new Uint8Array(buffer))
      if (step.value !== undefined) buffer = step.value.buffer
      return step
    },
    cancel: (reason) => reader.cancel(reason),
  }
}

/** Adds facts to a file without: its hash is taken while it is first read to its end. */
export function hashedFile(file: Omit<DataFile, 'facts'>): DataFile {
  let known: FileFacts | null = null
  async function* watch(): AsyncGenerator<Uint8Array> {
    const hash = await createSHA256()
    hash.init()
    let bytes = 0
    for await (const piece of file.stream()) {
      hash.update(piece)
      bytes += piece.length
      yield piece
    }
    known = { bytes, sha256: hash.digest() }
  }
  return {
    name: file.name,
    length: () => file.length(),
    read: (start, end) => file.read(start, end),
    stream: () => (known === null ? watch() : file.stream()),
    facts: async () => {
      if (known === null) for await (const _ of watch()) void _
      if (known === null) throw new EvalError('internal', `${file.name} was read to its end without a hash.`)
      return known
    },
  }
}
