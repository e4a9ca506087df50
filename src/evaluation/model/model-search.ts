/** From the Hub's list of models to what of it can be evaluated here. */
import type { ModelHit } from '../../contracts/models.ts'
import type { FoundModel } from '../../data/hub/hub-search.ts'
import { dtypesAmong } from '../../engines/graph/dtypes.ts'
import { formsAmong } from './forms/forms.ts'

/** The models in the Hub's order, each with the forms of its weights that are read here: none for what can't be run, such as PyTorch's own files alone. */
export function toModelHits(found: readonly FoundModel[]): ModelHit[] {
  return found.map(({ paths, ...facts }) => ({
    ...facts,
    formats: formsAmong(paths).map(({ format }) => format),
    dtypes: dtypesAmong(paths),
  }))
}
