/** Weights in blocks of 4 or 8 bits as a file of float32, whose parts are unpacked when ONNX Runtime asks for them. */
import { EvalError } from '../../base/errors.ts'
import { halfTable } from '../../weights/convert/half.ts'
import type { FileBytes } from '../../weights/file-bytes.ts'

/** Bytes in a file, to be read from `offset`. */
export interface FilePlace {
  readonly file: FileBytes
  readonly offset: number
}

/**
 * A weight of com.microsoft.MatMulNBits, [rows, columns]. Each row is stored as blocks of `blockSize` values, of which each is (q − zero point) · scale; the last
 * block may be longer than what is left of the row. Source: docs/ContribOperators.md of ONNX Runtime 1.30.
 */
export interface PackedWeight {
  readonly rows: number
  readonly columns: number
  readonly bits: 4 | 8
  readonly blockSize: number
  /** Row by row and block by block; of 4 bits the first of two values is the low half of its byte. */
  readonly blocks: FilePlace
  /** One a block. */
  readonly scales: FilePlace
  readonly scaleType: 'float32' | 'float16'
  /** One a block, in `bits` bits, each row filled up to a byte; null: all 2^(bits − 1). */
  readonly zeroPoints: FilePlace | null
}

/** Bytes that one weight takes unpacked. */
export function unpackedBytes({ rows, columns }: Pick<PackedWeight, 'rows' | 'columns'>): number {
  return 4 * rows * columns
}

/** Bytes that one weight takes as it is stored. */
export function packedBytes(weight: PackedWeight): number {
  const { blockBytes, scaleBytes, zeroBytes } = rowSizes(weight)
  return weight.rows * (blockBytes + scaleBytes + (weight.zeroPoints === null ? 0 : zeroBytes))
}

/**
 * A file of the weights behind each other, [rows, columns] in float32, with the values that ONNX Runtime's own kernel unpacks on WASM. Bytes are read within one
 * weight. Reading throws what the files throw.
 */
export function unpackedFile(weights: readonly PackedWeight[]): FileBytes {
  const ends: number[] = []
  for (const weight of weights) ends.push((ends.at(-1) ?? 0) + unpackedBytes(weight))
  // One buffer for all reads: a fresh one for each would pile up faster than it is collected.
  let buffer = new Float32Array(0)
  return {
    length: ends.at(-1) ?? 0,
    read(start, end) {
      const index = ends.findIndex((one) => one > start)
      const weight = weights[index]
      if (weight === undefined || end > (ends[index] ?? 0)) throw new EvalError('internal', `no weight has the bytes ${start} to ${end}`)
      const base = ends[index - 1] ?? 0
      const rowBytes = 4 * weight.columns
      const first = Math.floor((start - base) / rowBytes)
      const values = (Math.ceil((end - base) / rowBytes) - first) * weight.columns
      if (buffer.length < values) buffer = new Float32Array(values)
      unpackRows(weight, first, buffer.subarray(0, values))
      const from = start - base - first * rowBytes
      return new Uint8Array(buffer.buffer, from, end - start)
    },
    rest() {
      buffer = new Float32Array(0)
      for (const { blocks } of weights) blocks.file.rest()
    },
  }
}

/** Bytes of a row. */
function rowSizes({ columns, bits, blockSize, scaleType }: PackedWeight) {
  const count = Math.ceil(columns / blockSize)
  return {
    count,
    blockBytes: (count * blockSize * bits) / 8,
    scaleBytes: count * (scaleType === 'float16' ? 2 : 4),
    zeroBytes: Math.ceil((count * bits) / 8),
  }
}

/** Fills `out` with whole rows from `first` on. */
function unpackRows(weight: PackedWeight, first: number, out: Float32Array): void {
  const { columns, bits, blockSize, blocks, zeroPoints } = weight
  const { count, blockBytes, zeroBytes } = rowSizes(weight)
  const rows = out.length / columns
  const scales = readScales(weight, first, rows)
  const zeros = zeroPoints === null ? null : readCopy(zeroPoints, first * zeroBytes, rows * zeroBytes)
  const middle = 2 ** (bits - 1)
  const from = blocks.offset + first * blockBytes
  const packed = blocks.file.read(from, from + rows * blockBytes)
  for (let row = 0; row < rows; row += 1) {
    for (let block = 0; block < count; block += 1) {
      const scale = scales[row * count + block] ?? 0
      const zero = zeros === null ? middle : valueAt(zeros, row * zeroBytes, block, bits)
      let at = row * blockBytes + (block * blockSize * bits) / 8
      const start = row * columns + block * blockSize
      const end = Math.min(start + blockSize, (row + 1) * columns)
      // Differences of small whole numbers are exact, so that a product is rounded once, as in the kernel.
      if (bits === 8) for (let to = start; to < end; to += 1) out[to] = ((packed[at++] ?? 0) - zero) * scale
      else
        for (let to = start; to < end; to += 2) {
          const byte = packed[at++] ?? 0
          out[to] = ((byte & 15) - zero) * scale
          if (to + 1 < end) out[to + 1] = ((byte >> 4) - zero) * scale
        }
    }
  }
}

/** The `index`-th value of `bits` bits behind byte `start`. */
function valueAt(bytes: Uint8Array, start: number, index: number, bits: 4 | 8): number {
  if (bits === 8) return bytes[start + index] ?? 0
  const byte = bytes[start + (index >> 1)] ?? 0
  return index % 2 === 0 ? byte & 15 : byte >> 4
}

function readScales(weight: PackedWeight, first: number, rows: number): Float32Array {
  const { scaleBytes } = rowSizes(weight)
  const bytes = readCopy(weight.scales, first * scaleBytes, rows * scaleBytes)
  if (weight.scaleType === 'float32') return new Float32Array(bytes.buffer)
  const table = halfTable()
  return Float32Array.from(new Uint16Array(bytes.buffer), (half) => table[half] ?? 0)
}

/** What a file gives is good until its next read only. */
function readCopy({ file, offset }: FilePlace, start: number, bytes: number): Uint8Array<ArrayBuffer> {
  return file.read(offset + start, offset + start + bytes).slice()
}
