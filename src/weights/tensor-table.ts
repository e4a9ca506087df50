/** Tensors of a model by name, and where in which file each lies. */
import { EvalError } from '../base/errors.ts'
import type { ByteSource } from './source.ts'

export interface TensorEntry {
  readonly name: string
  /** As the file calls it: `F32`, `BF16`, `Q4_K`. */
  readonly dtype: string
  /** Sizes from the slowest axis to the fastest; a linear layer's weight is [out, in]. */
  readonly shape: readonly number[]
  readonly source: ByteSource
  /** Its first byte in `source`. */
  readonly start: number
  /** The byte behind its last. */
  readonly end: number
}

export type TensorTable = ReadonlyMap<string, TensorEntry>

/** The tensor of a name. Throws `model/corrupt` that says where it was looked for. */
export function requireTensor(table: TensorTable, name: string): TensorEntry {
  const entry = table.get(name)
  if (entry !== undefined) return entry
  const sources = [...new Set([...table.values()].slice(0, 1000).map(({ source }) => source.name))]
  throw new EvalError(
    'model/corrupt',
    `wanted the tensor ${name}, found ${table.size} others${sources.length === 0 ? '' : ` in ${sources.slice(0, 3).join(', ')}`}`,
  )
}

/** Number of elements of a shape, or null when no tensor can have as many: beyond 2^53. */
export function countElements(shape: readonly number[]): number | null {
  // An empty axis makes an empty tensor, whatever the others' product.
  if (shape.includes(0)) return 0
  let count = 1
  for (const size of shape) {
    count *= size
    if (!Number.isSafeInteger(count)) return null
  }
  return count
}
