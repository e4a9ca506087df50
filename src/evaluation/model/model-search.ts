/** From the Hub's list of models to those that can be evaluated here. */
import type { ModelHit } from '../../contracts/models.ts'
import type { FoundModel } from '../../data/hub/hub-search.ts'
import { dtypesAmong } from '../../engines/graph/dtypes.ts'

/** The models with weights where they can be loaded from (`onnx/model*.onnx`), in the Hub's order; the others are left out. */
export function toModelHits(found: readonly FoundModel[]): ModelHit[] {
  return found.flatMap(({ paths, ...facts }) => {
    const dtypes = dtypesAmong(paths)
    return dtypes.length === 0 ? [] : [{ ...facts, dtypes }]
  })
}
