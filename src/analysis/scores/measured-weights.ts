/** Which weights a run measured: until others can be opened, always an ONNX file's, which its maker converted and may have quantised. */
import type { RunManifest } from '../../contracts/runs.ts'

/** As `yardstick.model_format` has it. */
export const modelFormat = 'onnx'

/** Path of the graph in the model's folder; null where the run doesn't say. */
export function measuredFile({ model }: Pick<RunManifest, 'model'>): string | null {
  return model.files.find(({ path }) => path.endsWith('.onnx'))?.path ?? null
}

/** One sentence for results files, the report and the command line. */
export function measuredWeights(manifest: Pick<RunManifest, 'model'>): string {
  const file = measuredFile(manifest)
  return `Measured: the ONNX file${file === null ? '' : ` ${file}`}, not the repository’s original weights.`
}
