/** A checkpoint's files as one table of tensors, whose bytes are read at once when they are asked for. */
import { EvalError } from '../base/errors.ts'
import type { FileBytes } from '../weights/file-bytes.ts'
import type { ByteSource } from '../weights/source.ts'
import type { TensorEntry, TensorTable } from '../weights/tensor-table.ts'

/** A file of a checkpoint by its name: weights, or the index that says which part has which tensor. */
export interface CheckpointFile {
  readonly path: string
  readonly bytes: FileBytes
}

export interface Checkpoint {
  readonly tensors: TensorTable
  /** Bytes of a tensor, counted from its first; only good until the next read. */
  read(entry: TensorEntry, start: number, end: number): Uint8Array
  /** Frees the memory of the last read. */
  rest(): void
}

/** Files whose headers are read first, by ranges, and their tensors then: each once. */
export class OpenedFiles {
  readonly #readers = new Map<ByteSource, FileBytes>()

  /** The file for a reader of headers. */
  open({ path, bytes }: CheckpointFile): ByteSource {
    const source: ByteSource = {
      name: path,
      bytes: bytes.length,
      // What comes is good until the next read only.
      read: (start, end) => Promise.resolve(bytes.read(start, end).slice()),
    }
    this.#readers.set(source, bytes)
    return source
  }

  /** A checkpoint of tensors in these files. */
  checkpoint(tensors: TensorTable): Checkpoint {
    const rest = (): void => {
      for (const reader of this.#readers.values()) reader.rest()
    }
    rest()
    return {
      tensors,
      read: (entry, start, end) => {
        const reader = this.#readers.get(entry.source)
        if (reader === undefined || entry.start + end > entry.end)
          throw new EvalError('internal', `wanted bytes ${start} to ${end} of the tensor ${entry.name}, found ${entry.end - entry.start}`)
        return reader.read(entry.start + start, entry.start + end)
      },
      rest,
    }
  }
}
