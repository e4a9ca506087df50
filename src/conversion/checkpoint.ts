/** A checkpoint's safetensors files as one table of tensors, whose bytes are read at once when they are asked for. */
import { EvalError } from '../base/errors.ts'
import { readSafetensors } from '../weights/safetensors/header.ts'
import { joinIndexedParts, readIndex } from '../weights/safetensors/index-file.ts'
import type { ByteSource } from '../weights/source.ts'
import type { TensorEntry, TensorTable } from '../weights/tensor-table.ts'

/** A file that is read part by part, in the middle of a synchronous call. */
export interface RangeReader {
  /** In bytes. */
  readonly length: number
  /** Bytes `start` (in) to `end` (out); only good until the next read or `rest`. */
  read(start: number, end: number): Uint8Array
  /** Frees the memory of the last read now. */
  rest(): void
}

/** A file of a checkpoint by its name: weights, or the index that says which part has which tensor. */
export interface CheckpointFile {
  readonly path: string
  readonly bytes: RangeReader
}

export interface Checkpoint {
  readonly tensors: TensorTable
  /** Bytes of a tensor, counted from its first; only good until the next read. */
  read(entry: TensorEntry, start: number, end: number): Uint8Array
  /** Frees the memory of the last read. */
  rest(): void
}

/** An index is a name a tensor: the largest models have some ten thousand. */
const mostIndexBytes = 64 * 2 ** 20

/** Opens `model.safetensors`, or an index with all its parts. Throws as `readSafetensors`, `readIndex` and `joinIndexedParts`; `model/corrupt` for files without an index that are more than one. */
export async function openCheckpoint(files: readonly CheckpointFile[]): Promise<Checkpoint> {
  const indexFile = files.find(({ path }) => path.endsWith('.index.json'))
  const parts = files.filter(({ path }) => path.endsWith('.safetensors'))
  const readers = new Map<ByteSource, RangeReader>()
  const opened = new Map<string, Awaited<ReturnType<typeof readSafetensors>>>()
  for (const { path, bytes } of parts) {
    const source: ByteSource = {
      name: path,
      bytes: bytes.length,
      // What comes is good until the next read only.
      read: (start, end) => Promise.resolve(bytes.read(start, end).slice()),
    }
    readers.set(source, bytes)
    opened.set(path, await readSafetensors(source))
  }
  const tensors = indexFile === undefined ? tensorsOfOne(opened) : joinIndexedParts(readIndexFile(indexFile), opened).tensors
  const rest = (): void => {
    for (const { bytes } of files) bytes.rest()
  }
  rest()
  return {
    tensors,
    read(entry, start, end) {
      const reader = readers.get(entry.source)
      if (reader === undefined || entry.start + end > entry.end)
        throw new EvalError('internal', `wanted bytes ${start} to ${end} of the tensor ${entry.name}, found ${entry.end - entry.start}`)
      return reader.read(entry.start + start, entry.start + end)
    },
    rest,
  }
}

function readIndexFile({ path, bytes }: CheckpointFile) {
  if (bytes.length > mostIndexBytes)
    throw new EvalError('model/corrupt', `wanted an index of at most ${mostIndexBytes} bytes, found ${path} of ${bytes.length}`)
  return readIndex(new TextDecoder().decode(bytes.read(0, bytes.length)), path)
}

function tensorsOfOne(opened: ReadonlyMap<string, { readonly tensors: TensorTable }>): TensorTable {
  const [first, ...others] = opened.values()
  if (first !== undefined && others.length === 0) return first.tensors
  throw new EvalError(
    'model/corrupt',
    `wanted one safetensors file, or several with a model.safetensors.index.json, found ${[...opened.keys()].join(', ') || 'none'} and no index`,
  )
}
