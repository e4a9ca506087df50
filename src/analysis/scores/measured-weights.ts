/** Which weights a run measured: an ONNX file's, which its maker converted and may have quantised, a repository's own in a dtype that was made of them here, or a GGUF file's. */
import { modelFormats, type ModelFormat } from '../../contracts/models.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { RunManifest } from '../../contracts/runs.ts'

/** As `yardstick.model_format` has it. */
export function modelFormat({ model }: Pick<RunManifest, 'model'>): ModelFormat {
  return modelFormats.find((format) => model.files.some(({ path }) => path.endsWith(`.${format}`))) ?? 'onnx'
}

/** Path of the graph, or of the weights where they have none, in the model's folder; null where the run doesn't say. */
export function measuredFile(manifest: Pick<RunManifest, 'model'>): string | null {
  const extension = `.${modelFormat(manifest)}`
  return manifest.model.files.find(({ path }) => path.endsWith(extension))?.path ?? null
}

/**
 * The settings of a run, for lm_eval: of the repository's own weights with the dtype that they ran in, since its default would be the stored one, and of a GGUF file with its name, which `gguf_file` takes.
 */
export function settingsAsRun({ settings, model, engine }: Pick<RunManifest, 'settings' | 'model' | 'engine'>): RunSettings {
  const format = modelFormat({ model })
  if (format === 'onnx') return settings
  return { ...settings, dtype: format === 'gguf' ? measuredFile({ model }) : engine.dtype }
}

/** What was done to a checkpoint's weights, by dtype. */
const madeHere: { readonly [dtype in string]?: string } = {
  fp32: 'as float32',
  fp16: 'as float16',
  q8: 'with weights rounded here to 8 bits (blocks of 32, to the nearest)',
  q4: 'with weights rounded here to 4 bits (blocks of 32, to the nearest)',
  q4f16: 'with weights rounded here to 4 bits (blocks of 32, to the nearest) and computed in float16',
}

/** What was done to a GGUF file's weights that aren't run as they are stored. */
const ggufRun: { readonly [dtype in string]?: string } = {
  fp32: 'with all its weights unpacked to float32',
  fp16: 'with all its weights unpacked to float16',
}

/** One sentence for results files, the report and the command line. */
export function measuredWeights(manifest: Pick<RunManifest, 'model' | 'engine'>): string {
  const file = measuredFile(manifest)
  if (modelFormat(manifest) === 'onnx')
    return `Measured: the ONNX file${file === null ? '' : ` ${file}`}, not the repository’s original weights.`
  const { dtype } = manifest.engine
  if (modelFormat(manifest) === 'gguf')
    return `Measured: the GGUF file ${file ?? ''}, ${ggufRun[dtype] ?? `with its weights as they are stored (${dtype})`}; activations are not rounded, where llama.cpp itself rounds them to 8 bits for products with quantised weights.`
  return `Measured: the repository’s own weights (${file ?? 'safetensors'}), ${madeHere[dtype] ?? `as ${dtype}`}.`
}
