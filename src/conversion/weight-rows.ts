/** Rows of a weight, put together of a checkpoint's tensors as a plan says: as float32, or as the bytes that the checkpoint has. */
import type { Piece, Weight } from '../architectures/architecture.ts'
import { EvalError } from '../base/errors.ts'
import { freeBuffer } from '../base/free-buffer.ts'
import { rowFormatOf, type RowFormat } from '../weights/row-format.ts'
import type { TensorEntry } from '../weights/tensor-table.ts'
import type { Checkpoint } from './checkpoint.ts'

interface OpenTensor extends RowFormat {
  readonly entry: TensorEntry
}

/** Reads rows of weights. Of matrices that are stored with columns first it keeps the last one, turned. */
export class WeightRows {
  readonly #checkpoint: Checkpoint
  readonly #tensors: ReadonlyMap<string, OpenTensor>
  // One buffer for all reads of values: a fresh one for each chunk would pile up faster than it is collected.
  #values = new Float32Array(0)
  #turned: { readonly tensor: string; readonly values: Float32Array } | null = null

  private constructor(checkpoint: Checkpoint, tensors: ReadonlyMap<string, OpenTensor>) {
    this.#checkpoint = checkpoint
    this.#tensors = tensors
  }

  /** `entries`: of each tensor that a plan names. Throws as `rowFormatOf`. */
  static async open(checkpoint: Checkpoint, entries: ReadonlyMap<string, TensorEntry>): Promise<WeightRows> {
    const tensors = new Map<string, OpenTensor>()
    for (const [name, entry] of entries) tensors.set(name, { entry, ...(await rowFormatOf(entry)) })
    return new WeightRows(checkpoint, tensors)
  }

  /** Rows `from` (in) to `to` (out), one after the other; good until the next read, and the caller's to change. Throws `storage/unavailable` when a file can't be read any more. */
  read(weight: Weight, from: number, to: number): Float32Array<ArrayBuffer> {
    const width = weight.columns ?? 1
    const out = this.#room((to - from) * width)
    for (const { piece, row, count, at } of spansOf(weight, from, to)) {
      const part = out.subarray(at * width, (at + count) * width)
      const tensor = this.#tensor(piece)
      if (piece.isTransposed) part.set(this.#turn(tensor, width).subarray(row * width, row * width + part.length))
      // A vector is a row by itself, of which a piece's rows are values.
      else if (weight.columns === null) part.set(this.#vector(tensor, piece, row, count))
      else tensor.unpack(this.#bytes(tensor, piece, row, count), part)
    }
    return out
  }

  /** The same rows as bytes of the checkpoint's own type. */
  readBytes(weight: Weight, from: number, to: number): Uint8Array<ArrayBuffer> {
    const bytesPerRow = weight.pieces[0] === undefined ? 0 : this.#tensor(weight.pieces[0]).bytesPerRow
    const out = new Uint8Array((to - from) * bytesPerRow)
    for (const { piece, row, count, at } of spansOf(weight, from, to))
      out.set(this.#bytes(this.#tensor(piece), piece, row, count), at * bytesPerRow)
    return out
  }

  /** The type that the checkpoint has a weight in. */
  typeOf(weight: Weight): string {
    return weight.pieces[0] === undefined ? '' : this.#tensor(weight.pieces[0]).entry.dtype
  }

  /** Frees what is kept. */
  rest(): void {
    this.#turned = null
    freeBuffer(this.#values.buffer)
    this.#values = new Float32Array(0)
    this.#checkpoint.rest()
  }

  #room(values: number): Float32Array<ArrayBuffer> {
    if (this.#values.length < values) {
      freeBuffer(this.#values.buffer)
      this.#values = new Float32Array(values)
    }
    return this.#values.subarray(0, values)
  }

  #tensor({ tensor }: Piece): OpenTensor {
    const open = this.#tensors.get(tensor)
    if (open === undefined) throw new EvalError('internal', `the tensor ${tensor} wasn't looked up`)
    return open
  }

  /** Bytes of `count` rows of a piece's tensor from `row` on; only good until the next read. */
  #bytes({ entry, bytesPerRow }: OpenTensor, { interleaved }: Piece, row: number, count: number): Uint8Array {
    if (interleaved === null) return this.#checkpoint.read(entry, row * bytesPerRow, (row + count) * bytesPerRow)
    // Whole heads are read, and their rows put back into order.
    const first = Math.floor(row / interleaved) * interleaved
    const end = Math.ceil((row + count) / interleaved) * interleaved
    const stored = this.#checkpoint.read(entry, first * bytesPerRow, end * bytesPerRow)
    const out = new Uint8Array(count * bytesPerRow)
    for (let at = 0; at < count; at += 1) {
      const from = (storedRow(row + at, interleaved) - first) * bytesPerRow
      out.set(stored.subarray(from, from + bytesPerRow), at * bytesPerRow)
    }
    return out
  }

  /** Values `from` to `from + count` of a vector. */
  #vector({ entry, columns, bytesPerRow, unpack }: OpenTensor, { interleaved }: Piece, from: number, count: number): Float32Array {
    const all = new Float32Array(columns)
    unpack(this.#checkpoint.read(entry, 0, bytesPerRow), all)
    if (interleaved === null) return all.subarray(from, from + count)
    return Float32Array.from({ length: count }, (_, at) => all[storedRow(from + at, interleaved)] ?? 0)
  }

  /** All rows of a matrix [width, rows]. */
  #turn({ entry, rows: width, columns: rows, unpack }: OpenTensor, wanted: number): Float32Array {
    if (this.#turned?.tensor === entry.name) return this.#turned.values
    if (width !== wanted) throw new EvalError('internal', `wanted ${wanted} rows of ${entry.name}, found ${width}`)
    const stored = new Float32Array(width * rows)
    unpack(this.#checkpoint.read(entry, 0, entry.end - entry.start), stored)
    const values = new Float32Array(width * rows)
    for (let column = 0; column < width; column += 1)
      for (let row = 0; row < rows; row += 1) values[row * width + column] = stored[column * rows + row] ?? 0
    this.#turned = { tensor: entry.name, values }
    return values
  }
}

/** Where llama.cpp has a row of heads of `size` rows: in each, row i of the first half stands at 2i, of the second at 2i + 1. */
function storedRow(row: number, size: number): number {
  const place = row % size
  const half = size / 2
  return row - place + (place < half ? 2 * place : 2 * (place - half) + 1)
}

interface Span {
  readonly piece: Piece
  /** First row of the piece's tensor. */
  readonly row: number
  readonly count: number
  /** Its place among the rows that are wanted. */
  readonly at: number
}

/** What rows `from` to `to` of a weight are made of, in their order. */
function* spansOf(weight: Weight, from: number, to: number): Generator<Span> {
  let first = 0
  for (const piece of weight.pieces)
    for (let time = 0; time < piece.times; time += 1, first += piece.rows) {
      const start = Math.max(from, first)
      const end = Math.min(to, first + piece.rows)
      if (start < end) yield { piece, row: piece.from + time * piece.stride + start - first, count: end - start, at: start - from }
    }
}
