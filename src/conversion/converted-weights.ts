/**
 * A graph's file of weights that is nowhere: each part is made of the checkpoint's tensors when ONNX Runtime asks for it, so that beside the weights where they stay only
 * the rows that are being converted are in memory.
 */
import type { Weight } from '../architectures/architecture.ts'
import { rotaryTable } from '../architectures/rope.ts'
import type { Initializer } from '../architectures/weight-plan.ts'
import { EvalError } from '../base/errors.ts'
import { freeBuffer } from '../base/free-buffer.ts'
import { isRepackable, repackBlocks } from '../weights/convert/gguf-blocks.ts'
import { packBfloats, packHalves } from '../weights/convert/half.ts'
import { quantizeRows, type NBitsRows } from '../weights/convert/matmul-nbits.ts'
import { transposeInto } from '../weights/convert/transpose.ts'
import type { FileBytes } from '../weights/file-bytes.ts'
import { MadeBlocks } from './made-blocks.ts'
import type { WeightRows } from './weight-rows.ts'

/** Values that are converted at once. */
const chunkValues = 2 ** 20

/** The file of `length` bytes whose parts `initializers` (in the order of their places) describe. Reading throws `model/unsupported` for a value beyond float16, and as `WeightRows`. */
export function convertedWeights(initializers: readonly Initializer[], length: number, rows: WeightRows): FileBytes {
  const made = new MadeBlocks()
  // One buffer for all reads: a fresh one for each would pile up faster than it is collected.
  let buffer = new Uint8Array(0)
  return {
    length,
    read(start, end) {
      const one = initializerAt(initializers, start, end)
      if (buffer.length < end - start) {
        freeBuffer(buffer.buffer)
        buffer = new Uint8Array(end - start)
      }
      const out = buffer.subarray(0, end - start)
      fill(out, one, { rows, made }, start - one.offset, end - one.offset)
      return out
    },
    fill(out, start) {
      const one = initializerAt(initializers, start, start + out.length)
      fill(out, one, { rows, made }, start - one.offset, start - one.offset + out.length)
    },
    rest() {
      freeBuffer(buffer.buffer)
      buffer = new Uint8Array(0)
      made.clear()
      rows.rest()
    },
  }
}

function initializerAt(initializers: readonly Initializer[], start: number, end: number): Initializer {
  let [low, high] = [0, initializers.length]
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if ((initializers[middle]?.offset ?? Infinity) <= start) low = middle
    else high = middle
  }
  const found = initializers[low]
  if (found === undefined || start < found.offset || end > found.offset + found.bytes)
    throw new EvalError('internal', `no weight has the bytes ${start} to ${end}`)
  return found
}

/** Fills `out` with bytes `start` to `end` of an initializer, made in chunks of whole rows. */
function fill(
  out: Uint8Array,
  one: Initializer,
  { rows, made }: { readonly rows: WeightRows; readonly made: MadeBlocks },
  start: number,
  end: number,
): void {
  const { make } = one
  if (make.kind === 'rotary') {
    out.set(stored(rotaryTable(make.rope, make.part, one.shape[0] ?? 0), one).subarray(start, end))
    return
  }
  const { source } = make
  if (make.kind === 'values' && make.isTurned === true) {
    if (start !== 0 || end !== one.bytes) throw new EvalError('internal', `wanted ${one.name} whole, found bytes ${start} to ${end}`)
    fillTurned(out, source, rows)
    return
  }
  const rowBytes = one.bytes / source.rows
  const step = Math.max(1, Math.floor(chunkValues / (source.columns ?? 1)))
  for (let row = Math.floor(start / rowBytes); row * rowBytes < end; row += step) {
    const to = Math.min(source.rows, row + step)
    let bytes: Uint8Array
    if (make.kind === 'values') {
      const values = rows.read(source, row, to)
      if (make.add === 1) for (let at = 0; at < values.length; at += 1) values[at] = (values[at] ?? 0) + 1
      bytes = stored(values, one)
    } else {
      const first = row
      const { packed, scales } = make.isStored
        ? storedBlocks(one, rows, source, first, to)
        : made.of(make, first, to, () => madeBlocks(one, rows, make, first, to))
      bytes = make.part === 'blocks' ? packed : stored(Float32Array.from(scales), one)
    }
    const at = row * rowBytes - start
    const from = Math.max(0, -at)
    out.set(bytes.subarray(from, Math.min(bytes.length, out.length - at)), at + from)
  }
}

/** Fills `out` with a float32 matrix whose columns stand first, a chunk of rows at a time. */
function fillTurned(out: Uint8Array, source: Weight, rows: WeightRows): void {
  const columns = source.columns ?? 1
  const values = new Float32Array(out.buffer, out.byteOffset, out.length / 4)
  const step = Math.max(1, Math.floor(chunkValues / columns))
  for (let row = 0; row < source.rows; row += step) {
    const chunk: Float32Array = rows.read(source, row, Math.min(source.rows, row + step))
    transposeInto(chunk, columns, values, { outColumns: source.rows, firstColumn: row })
  }
}

type Quantised = Extract<Initializer['make'], { readonly kind: 'quantised' }>

/** Symmetric, since the graph's products have no zero points; scales are rounded before values are divided by them where they are float16. */
function madeBlocks({ dtype, tensor }: Initializer, rows: WeightRows, { source, bits }: Quantised, from: number, to: number): NBitsRows {
  const scaleType = dtype === 'float16' ? 'float16' : 'float32'
  return quantizeRows(rows.read(source, from, to), source.columns ?? 1, { bits, isSymmetric: true, scaleType }, tensor)
}

/** The checkpoint's own blocks, whose scales are float16 already. */
function storedBlocks({ tensor }: Initializer, rows: WeightRows, source: Weight, from: number, to: number): NBitsRows {
  const type = rows.typeOf(source)
  if (!isRepackable(type)) throw new EvalError('internal', `wanted ${tensor} in blocks of Q4_0 or Q8_0, found ${type}`)
  return repackBlocks(type, rows.readBytes(source, from, to))
}

function stored(values: Float32Array<ArrayBuffer>, { dtype, tensor }: Initializer): Uint8Array<ArrayBuffer> {
  if (dtype === 'float32') return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  if (dtype === 'bfloat16') return packBfloats(values)
  const halves = new Uint16Array(values.length)
  const beyond = packHalves(values, halves)
  if (beyond > 0)
    throw new EvalError(
      'model/unsupported',
      `wanted values of ${tensor} that 16 bits hold, found ${beyond} of 65,520 or more: choose fp32, q8 or q4`,
      { details: { tensor } },
    )
  return new Uint8Array(halves.buffer)
}
