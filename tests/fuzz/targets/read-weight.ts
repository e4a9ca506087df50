/** A tensor of a file that was read, as a weight. */
import { isEvalError } from '../../../src/base/errors.ts'
import { openWeight } from '../../../src/weights/read-rows.ts'
import type { TensorEntry } from '../../../src/weights/tensor-table.ts'

/** Reads its first rows, where it is a weight; throws what isn't a refusal. */
export async function readWeight(entry: TensorEntry): Promise<void> {
  try {
    const { rows, read } = await openWeight(entry)
    await read(0, Math.min(rows, 3))
  } catch (error) {
    if (!isEvalError(error) || error.code === 'internal') throw error
  }
}
