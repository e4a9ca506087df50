/**
 * Weights as the operator MatMulNBits (com.microsoft) takes them: each row of a [out, in] matrix in blocks of 32 values, of which each is (q - zero point) × scale.
 * Source: https://github.com/microsoft/onnxruntime/blob/main/docs/ContribOperators.md#com.microsoft.MatMulNBits and, for the rounding, `BlockwiseQuantizer` in
 * onnxruntime/core/mlas/lib/q4_dq.cpp, which `DefaultWeightOnlyQuantizer` of onnxruntime.quantization calls.
 */
import { EvalError } from '../../base/errors.ts'
import { halfTable, packHalves } from './half.ts'

/** Values a block. */
const blockSize = 32

/** Rows of a [N, K] matrix in blocks; B = ceil(K / 32) blocks a row. */
export interface NBitsRows {
  readonly bits: 4 | 8
  /** [N, B, 32 × bits / 8]: with 4 bits the first of two values is the low half of its byte. */
  readonly packed: Uint8Array
  /** [N, B]. */
  readonly scales: Float32Array
  /** [N, ceil(B × bits / 8)], packed as the values are; null where each is 2^(bits - 1), the operator's default. */
  readonly zeroPoints: Uint8Array | null
}

export interface Quantization {
  readonly bits: 4 | 8
  /** No zero points of their own: the value farthest from 0 becomes -2^(bits - 1). */
  readonly isSymmetric: boolean
  /** `float16`: scales are rounded to float16 before values are divided by them, as onnxruntime does for float16 weights. They stay in a Float32Array. */
  readonly scaleType: 'float32' | 'float16'
}

/**
 * Rounds rows of `columns` values (K) each to blocks of 4 or 8 bits: the bits that onnxruntime 1.31's own quantiser gives for the matrix's transpose on x86-64.
 * That holds for what no product looks at, too: behind the last of an odd number of values stands a half byte that the pair before it left there, and bytes behind K are 0.
 * A quotient that isn't a number (0 / 0 where a block's scale has no reciprocal) becomes 0. `name` names the tensor in errors. Throws `model/corrupt` for a value that isn't finite,
 * for which onnxruntime's result is undefined.
 */
export function quantizeRows(rows: Float32Array, columns: number, how: Quantization, name: string): NBitsRows {
  const count = columns === 0 ? 0 : rows.length / columns
  const blocks = Math.ceil(columns / blockSize)
  const { bits, isSymmetric } = how
  const bytesPerRow = (blocks * blockSize * bits) / 8
  const zeroBytesPerRow = Math.ceil((blocks * bits) / 8)
  const packed = new Uint8Array(count * bytesPerRow)
  const scales = new Float32Array(count * blocks)
  const zeroPoints = isSymmetric ? null : new Uint8Array(count * zeroBytesPerRow)
  const values = new Uint8Array(blockSize * 2)
  const middle = 2 ** (bits - 1)
  const largest = 2 ** bits - 1
  for (let row = 0; row < count; row++) {
    for (let block = 0; block < blocks; block++) {
      const start = row * columns + block * blockSize
      const size = Math.min(blockSize, columns - block * blockSize)
      const { scale, zeroPoint } = rangeOf(rows, start, size, how)
      if (Number.isNaN(scale)) throw notFinite(rows, start, size, columns, name)
      scales[row * blocks + block] = scale
      // Half a byte of zero points without a block is the middle.
      if (zeroPoints !== null && bits === 8) zeroPoints[row * zeroBytesPerRow + block] = zeroPoint
      else if (zeroPoints !== null) {
        const at = row * zeroBytesPerRow + (block >> 1)
        zeroPoints[at] = block % 2 === 0 ? zeroPoint | (middle << 4) : ((zeroPoints[at] ?? 0) & 15) | (zeroPoint << 4)
      }
      const reciprocal = scale === 0 ? 0 : Math.fround(1 / scale)
      for (let at = 0; at < size; at++) {
        const quotient = Math.fround(Math.fround((rows[start + at] ?? 0) * reciprocal) + zeroPoint)
        // Halves away from zero, as roundf; below zero all become 0. A NaN fails both comparisons.
        values[at] = quotient >= largest ? largest : quotient > 0 ? Math.floor(quotient + 0.5) : 0
      }
      const to = row * bytesPerRow + (block * blockSize * bits) / 8
      if (bits === 8) packed.set(values.subarray(0, size), to)
      else {
        // Of an odd number of values the last pair keeps its second value from the pair before; of one alone, from the block that shares its byte of zero points.
        if (size % 2 === 1) values[size] = size > 1 ? (values[size - 2] ?? 0) : block % 2 === 1 ? (packed[to - 1] ?? 0) >> 4 : 0
        for (let at = 0; at < size; at += 2) packed[to + (at >> 1)] = (values[at] ?? 0) | ((values[at + 1] ?? 0) << 4)
      }
    }
  }
  return { bits, packed, scales, zeroPoints }
}

/** Scale and zero point of one block, in float32 steps. The scale is NaN when a value isn't finite. */
function rangeOf(
  rows: Float32Array,
  start: number,
  size: number,
  how: Quantization,
): { readonly scale: number; readonly zeroPoint: number } {
  const { bits, isSymmetric } = how
  let low = Infinity
  let high = -Infinity
  for (let at = start; at < start + size; at++) {
    const value = rows[at] ?? 0
    // False for NaN and both infinities.
    if (!(Math.abs(value) < Infinity)) return { scale: NaN, zeroPoint: 0 }
    if (value < low) low = value
    if (value > high) high = value
  }
  const rounded = how.scaleType === 'float16' ? asHalf : Math.fround
  const middle = 2 ** (bits - 1)
  const largest = 2 ** bits - 1
  if (isSymmetric) {
    const farthest = Math.abs(high) > Math.abs(low) ? high : low
    return { scale: rounded(Math.fround(-farthest / middle)), zeroPoint: middle }
  }
  if (low > 0) low = 0
  if (high < 0) high = 0
  const scale = Math.fround(Math.fround(high - low) / largest)
  const exact = scale === 0 ? low : Math.fround(0 - Math.fround(low / scale))
  return { scale: rounded(scale), zeroPoint: exact < 0 ? 0 : exact > largest ? largest : Math.floor(exact + 0.5) }
}

const oneValue = new Float32Array(1)
const oneHalf = new Uint16Array(1)

/** The nearest float16, infinite where it is too large for one. */
function asHalf(value: number): number {
  oneValue[0] = value
  packHalves(oneValue, oneHalf)
  return halfTable()[oneHalf[0] ?? 0] ?? 0
}

function notFinite(rows: Float32Array, start: number, size: number, columns: number, name: string): EvalError {
  const at = start + rows.subarray(start, start + size).findIndex((value) => !Number.isFinite(value))
  return new EvalError(
    'model/corrupt',
    `wanted finite numbers in ${name}, found ${String(rows[at])} in row ${Math.floor(at / columns)} of the chunk, column ${at % columns}`,
  )
}
