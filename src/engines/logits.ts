/** Logits as a session gives them back, float32 or float16. */
import type { Tensor } from 'onnxruntime-common'
import { EvalError } from '../base/errors.ts'
import { freeBuffer } from '../base/free-buffer.ts'

/** Logits of one pass: `row(i)` is row i (V) as float32, valid until the next call of `row`. */
export interface Logits {
  readonly rows: number
  readonly vocabularySize: number
  /** What came back for them. */
  readonly bytes: number
  row(index: number): Float32Array
  /** Gives their memory back now: 128 rows of a vocabulary of 50,000 take 25 MB, and those of several passes wait to be collected. No row is valid after it. */
  free(): void
}

/** The logits in an output tensor of shape (1, T, V). Throws `engine/failed` and `model/unsupported`. */
export function readLogits(tensor: Tensor | undefined): Logits {
  const [, rows = 0, vocabularySize = 0] = tensor?.dims ?? []
  if (tensor === undefined || tensor.dims.length !== 3 || rows * vocabularySize === 0) {
    throw new EvalError('engine/failed', `wanted logits (1, T, V), found shape [${tensor?.dims.join(', ') ?? 'none'}]`)
  }
  const values = tensor.data
  if (values instanceof Float32Array)
    return {
      rows,
      vocabularySize,
      bytes: values.byteLength,
      row: (index) => values.subarray(index * vocabularySize, (index + 1) * vocabularySize),
      free: () => freeWhole(values),
    }
  if (tensor.type !== 'float16' || !ArrayBuffer.isView(values))
    throw new EvalError('model/unsupported', `wanted float32 or float16 logits, found ${tensor.type}`)
  const halves = new Uint16Array(values.buffer, values.byteOffset, rows * vocabularySize)
  const scratch = new Float32Array(vocabularySize)
  return {
    rows,
    vocabularySize,
    bytes: halves.byteLength,
    row(index) {
      for (let id = 0; id < vocabularySize; id += 1) scratch[id] = halfToFloat(halves[index * vocabularySize + id] ?? 0)
      return scratch
    },
    free: () => freeWhole(halves),
  }
}

/** A view of a part leaves its buffer to whoever has the rest. */
function freeWhole({ buffer, byteLength }: Float32Array | Uint16Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) freeBuffer(buffer)
}

/** The value of an IEEE 754 binary16 given by its bits. */
export function halfToFloat(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
