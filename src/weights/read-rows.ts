/** Weights as float32, a chunk of rows at a time, whatever file and type they come from: a tensor is never in memory twice. */
import { EvalError } from '../base/errors.ts'
import { typeByName } from './gguf/types.ts'
import { unpackableTypes, unpackerOf } from './gguf/unpack/unpack.ts'
import { readExactly } from './source.ts'
import type { TensorEntry } from './tensor-table.ts'

/** A tensor as rows of its last axis. */
export interface WeightRows {
  /** Product of all axes but the last. */
  readonly rows: number
  /** Values a row. */
  readonly columns: number
  /** Bytes that a row takes in the file. */
  readonly bytesPerRow: number
  /** Rows from `from` up to `to` (exclusive), one behind the other. Throws what `readExactly` throws. */
  readonly read: (from: number, to: number) => Promise<Float32Array>
  /** Their bytes as they are in the file. */
  readonly readBytes: (from: number, to: number) => Promise<Uint8Array>
}

/**
 * Opens a tensor as a weight. Throws `model/unsupported` that names the type when it isn't one of numbers that a weight has: F64, I64, U8, F8_E4M3 and others; `model/corrupt` when its bytes aren't as many as
 * type and shape say.
 */
export async function openWeight(entry: TensorEntry): Promise<WeightRows> {
  const { name, dtype, shape, source, start } = entry
  const type = typeByName(dtype)
  const unpack = await unpackerOf(dtype)
  if (type === null || unpack === null)
    throw new EvalError(
      'model/unsupported',
      `wanted the weight ${name} of ${source.name} as one of ${unpackableTypes.join(', ')}, found ${dtype.slice(0, 40)}`,
      { details: { tensor: name, dtype } },
    )
  const columns = shape.at(-1) ?? 1
  const rows = shape.slice(0, -1).reduce((product, size) => product * size, 1)
  const bytesPerRow = (columns / type.values) * type.bytes
  // The readers hold sizes to types that their formats know; a safetensors file may call a dtype what only GGUF has.
  if (rows * bytesPerRow !== entry.end - start || columns % type.values !== 0)
    throw new EvalError(
      'model/corrupt',
      `wanted ${rows} × ${columns} values of ${dtype} for the weight ${name} of ${source.name}, found ${entry.end - start} bytes`,
    )
  const readBytes = async (from: number, to: number): Promise<Uint8Array> => {
    if (!(from >= 0 && from <= to && to <= rows))
      throw new EvalError('internal', `wanted rows of ${name} from 0 to ${rows}, found ${from} to ${to}`)
    return readExactly(source, start + from * bytesPerRow, start + to * bytesPerRow, `the tensor ${name}`)
  }
  return {
    rows,
    columns,
    bytesPerRow,
    readBytes,
    read: async (from, to) => {
      const bytes = await readBytes(from, to)
      const out = new Float32Array((to - from) * columns)
      unpack(bytes, out)
      return out
    },
  }
}
