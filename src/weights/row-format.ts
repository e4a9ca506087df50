/** How a weight's rows lie in its file, and what makes float32 of them, whatever file and type they come from. */
import { EvalError } from '../base/errors.ts'
import { typeByName } from './gguf/types.ts'
import { unpackableTypes, unpackerOf } from './gguf/unpack/unpack.ts'
import type { TensorEntry } from './tensor-table.ts'

/** A tensor as rows of its last axis. */
export interface RowFormat {
  /** Product of all axes but the last. */
  readonly rows: number
  /** Values a row. */
  readonly columns: number
  /** Bytes that a row takes in the file; rows follow each other without gaps. */
  readonly bytesPerRow: number
  /** Writes whole rows as float32. */
  readonly unpack: (bytes: Uint8Array, out: Float32Array) => void
}

/**
 * The rows of a tensor that is a weight. Throws `model/unsupported` that names the type when it isn't one of numbers that a weight has: F64, I64, U8, F8_E4M3 and others; `model/corrupt` when its bytes
 * aren't as many as type and shape say.
 */
export async function rowFormatOf({ name, dtype, shape, source, start, end }: TensorEntry): Promise<RowFormat> {
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
  if (rows * bytesPerRow !== end - start || columns % type.values !== 0)
    throw new EvalError(
      'model/corrupt',
      `wanted ${rows} × ${columns} values of ${dtype} for the weight ${name} of ${source.name}, found ${end - start} bytes`,
    )
  return { rows, columns, bytesPerRow, unpack }
}
