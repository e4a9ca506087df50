/** A tensor of a file that was read, as a weight. */
import { isEvalError } from '../../../src/base/errors.ts'
import { rowFormatOf } from '../../../src/weights/row-format.ts'
import { readExactly } from '../../../src/weights/source.ts'
import type { TensorEntry } from '../../../src/weights/tensor-table.ts'

/** Reads its first rows, where it is a weight; throws what isn't a refusal. */
export async function readWeight(entry: TensorEntry): Promise<void> {
  try {
    const { rows, columns, bytesPerRow, unpack } = await rowFormatOf(entry)
    const count = Math.min(rows, 3)
    const bytes = await readExactly(entry.source, entry.start, entry.start + count * bytesPerRow, entry.name)
    unpack(bytes, new Float32Array(count * columns))
  } catch (error) {
    if (!isEvalError(error) || error.code === 'internal') throw error
  }
}
