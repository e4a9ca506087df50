/** Rows of a weight as float32, put together of a checkpoint's tensors as a plan says. */
import type { Piece, Weight } from '../architectures/architecture.ts'
import { EvalError } from '../base/errors.ts'
import { unpackBfloats, unpackFloats, unpackHalves } from '../weights/convert/half.ts'
import type { TensorEntry } from '../weights/tensor-table.ts'
import type { Checkpoint } from './checkpoint.ts'

interface FloatType {
  readonly bytes: number
  readonly unpack: (bytes: Uint8Array, out: Float32Array) => void
}

const floatTypes: { readonly [dtype in string]?: FloatType } = {
  F32: { bytes: 4, unpack: unpackFloats },
  F16: { bytes: 2, unpack: unpackHalves },
  BF16: { bytes: 2, unpack: unpackBfloats },
}

/** Reads rows of weights. Of matrices that are stored with columns first it keeps the last one, turned. */
export class WeightRows {
  readonly #checkpoint: Checkpoint
  readonly #entries: ReadonlyMap<string, TensorEntry>
  #turned: { readonly tensor: string; readonly values: Float32Array } | null = null

  /** `entries`: of each tensor that a plan names. */
  constructor(checkpoint: Checkpoint, entries: ReadonlyMap<string, TensorEntry>) {
    this.#checkpoint = checkpoint
    this.#entries = entries
    for (const entry of entries.values()) typeOf(entry)
  }

  /** Rows `from` (in) to `to` (out), one after the other. Throws `storage/unavailable` when a file can't be read any more. */
  read(weight: Weight, from: number, to: number): Float32Array<ArrayBuffer> {
    const width = weight.columns ?? 1
    const out = new Float32Array((to - from) * width)
    let first = 0
    for (const piece of weight.pieces) {
      for (let time = 0; time < piece.times; time += 1, first += piece.rows) {
        const start = Math.max(from, first)
        const end = Math.min(to, first + piece.rows)
        if (start >= end) continue
        const row = piece.from + time * piece.stride + start - first
        this.#rows(piece, row, width, out.subarray((start - from) * width, (end - from) * width))
      }
    }
    return out
  }

  /** Frees what is kept. */
  rest(): void {
    this.#turned = null
    this.#checkpoint.rest()
  }

  #rows(piece: Piece, row: number, width: number, out: Float32Array): void {
    const entry = this.#entries.get(piece.tensor)
    if (entry === undefined) throw new EvalError('internal', `the tensor ${piece.tensor} wasn't looked up`)
    if (piece.isTransposed) {
      out.set(this.#turn(entry, width).subarray(row * width, row * width + out.length))
      return
    }
    const { bytes, unpack } = typeOf(entry)
    unpack(this.#checkpoint.read(entry, row * width * bytes, (row * width + out.length) * bytes), out)
  }

  /** All rows of a matrix [width, rows]. */
  #turn(entry: TensorEntry, width: number): Float32Array {
    if (this.#turned?.tensor === entry.name) return this.#turned.values
    const { bytes, unpack } = typeOf(entry)
    const count = (entry.end - entry.start) / bytes
    const stored = new Float32Array(count)
    unpack(this.#checkpoint.read(entry, 0, entry.end - entry.start), stored)
    const rows = count / width
    const values = new Float32Array(count)
    for (let column = 0; column < width; column += 1)
      for (let row = 0; row < rows; row += 1) values[row * width + column] = stored[column * rows + row] ?? 0
    this.#turned = { tensor: entry.name, values }
    return values
  }
}

/** Throws `model/unsupported` for a tensor of other numbers. */
function typeOf({ name, dtype, source }: TensorEntry): FloatType {
  const type = Object.hasOwn(floatTypes, dtype) ? floatTypes[dtype] : undefined
  if (type !== undefined) return type
  throw new EvalError(
    'model/unsupported',
    `wanted the weight ${name} of ${source.name} as one of ${Object.keys(floatTypes).join(', ')}, found ${dtype.slice(0, 40)}`,
    { details: { tensor: name, dtype } },
  )
}
