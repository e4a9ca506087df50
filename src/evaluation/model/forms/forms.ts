/** Which forms of weights are read here, and which of a repository's is taken. */
import { EvalError } from '../../../base/errors.ts'
import { modelFormats, type ModelFormat, type RepoSnapshot } from '../../../contracts/models.ts'
import { noWeights } from '../../../engines/graph/dtypes.ts'
import type { FormReader } from './form.ts'
import { ggufForm } from './gguf-form.ts'
import { onnxForm } from './onnx-form.ts'
import { safetensorsForm } from './safetensors-form.ts'

const readers: readonly FormReader[] = [onnxForm, safetensorsForm, ggufForm]

/** The forms among a repository's files that can be read here, in the order in which one is taken. */
export function formsAmong(paths: readonly string[]): readonly FormReader[] {
  return modelFormats.flatMap((format) => readers.filter((reader) => reader.format === format && reader.isAmong(paths)))
}

/**
 * The form that was asked for, or the first that there is. Throws `model/no-form` that names what is there instead, `model/no-onnx` where the
 * repository has no weights that are read here.
 */
export function takeForm({ files, id }: RepoSnapshot, wanted: ModelFormat | null): FormReader {
  const found = formsAmong(files.map(({ path }) => path))
  const [first] = found
  if (first === undefined) throw noWeights(files, id)
  const taken = wanted === null ? first : found.find(({ format }) => format === wanted)
  if (taken !== undefined) return taken
  const formats = found.map(({ format }) => format)
  throw new EvalError('model/no-form', `wanted the weights of ${id} as ${String(wanted)}, found ${formats.join(' and ')}`, {
    details: { wanted, found: formats },
  })
}
