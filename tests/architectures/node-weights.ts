/** The bytes of a graph's weights, made as its plan says: plainly, with rounding to the nearest for blocks. */
import { rotaryTable } from '../../src/architectures/rope.ts'
import type { Weight } from '../../src/architectures/architecture.ts'
import type { DecoderGraph } from '../../src/architectures/graph/decoder-graph.ts'
import type { Initializer } from '../../src/architectures/weight-plan.ts'
import type { Checkpoint } from './tiny-models.ts'

/** The whole file of weights. */
export function makeWeights(
  { initializers, bytes }: Pick<DecoderGraph, 'initializers' | 'bytes'>,
  checkpoint: Checkpoint,
): Uint8Array<ArrayBuffer> {
  const file = new Uint8Array(bytes)
  for (const one of initializers) {
    const made = bytesOf(one, checkpoint)
    if (made.length !== one.bytes) throw new Error(`${one.name}: ${made.length} bytes were made where the plan has ${one.bytes}`)
    file.set(made, one.offset)
  }
  return file
}

function bytesOf({ make, dtype, shape }: Initializer, checkpoint: Checkpoint): Uint8Array {
  switch (make.kind) {
    case 'rotary':
      return stored(rotaryTable(make.rope, make.part, shape[0] ?? 0), dtype)
    case 'values':
      return stored(
        valuesOf(make.source, checkpoint).map((value) => value + make.add),
        dtype,
      )
    case 'quantised': {
      const { blocks, scales } = roundToNearest(valuesOf(make.source, checkpoint), make.source.columns ?? 1, make.bits, make.block)
      return make.part === 'blocks' ? blocks : stored(scales, dtype)
    }
  }
}

/** Rows of the source, one after the other. */
export function valuesOf({ rows, columns, pieces }: Weight, checkpoint: Checkpoint): Float32Array {
  const width = columns ?? 1
  const values = new Float32Array(rows * width)
  let row = 0
  for (const piece of pieces) {
    const { shape, values: from } = checkpoint.read(piece.tensor)
    if (shape.join() !== piece.shape.join())
      throw new Error(`${piece.tensor} is [${shape.join()}] where the plan has [${piece.shape.join()}]`)
    for (let time = 0; time < piece.times; time += 1)
      for (let i = 0; i < piece.rows; i += 1, row += 1) {
        const source = piece.from + time * piece.stride + i
        for (let column = 0; column < width; column += 1)
          values[row * width + column] =
            (piece.isTransposed ? from[column * (shape[1] ?? 1) + source] : from[source * width + column]) ?? NaN
      }
  }
  if (row !== rows) throw new Error(`pieces of ${row} rows where the plan has ${rows}`)
  return values
}

/** Blocks of a row's values around zero, by the largest: value = (q - 2^(bits - 1)) * scale. */
export function roundToNearest(
  values: Float32Array,
  columns: number,
  bits: 4 | 8,
  block: number,
): { readonly blocks: Uint8Array; readonly scales: Float32Array } {
  const rows = values.length / columns
  const count = Math.ceil(columns / block)
  const blocks = new Uint8Array((rows * count * block * bits) / 8)
  const scales = new Float32Array(rows * count)
  const middle = 2 ** (bits - 1)
  for (let at = 0; at < rows * count; at += 1) {
    const start = Math.floor(at / count) * columns + (at % count) * block
    const length = Math.min(block, columns - (at % count) * block)
    const own = values.subarray(start, start + length)
    const peak = own.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0)
    const scale = Math.fround(peak / -middle)
    scales[at] = scale
    for (let i = 0; i < block; i += 1) {
      const q = Math.min(2 * middle - 1, Math.max(0, Math.round((scale === 0 ? 0 : (own[i] ?? 0) / scale) + middle)))
      const place = at * block + i
      if (bits === 8) blocks[place] = q
      else blocks[place >> 1] = (blocks[place >> 1] ?? 0) | (q << (4 * (place & 1)))
    }
  }
  return { blocks, scales }
}

function stored(values: Float32Array, dtype: Initializer['dtype']): Uint8Array {
  if (dtype === 'float32') return new Uint8Array(Float32Array.from(values).buffer)
  return new Uint8Array(Uint16Array.from(values, halfBits).buffer)
}

const single = new Float32Array(1)
const bitsOfSingle = new Uint32Array(single.buffer)

/** IEEE half precision, to the nearest even; subnormals too. */
export function halfBits(value: number): number {
  single[0] = value
  const [bits = 0] = bitsOfSingle
  const sign = (bits >>> 16) & 0x8000
  const magnitude = Math.abs(single[0] ?? 0)
  if (magnitude >= 65520) return sign | 0x7c00
  if (magnitude < 2 ** -14) return sign | Math.round(magnitude * 2 ** 24)
  const rounded = (bits & 0x7fffffff) + 0x0fff + ((bits >>> 13) & 1)
  return sign | ((rounded - 0x38000000) >>> 13)
}
