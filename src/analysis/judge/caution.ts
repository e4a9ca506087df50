/** What should be known of a judge before its verdicts are believed: who it is beside the model that it judges. */
import type { RunManifest } from '../../contracts/runs.ts'

/** A model as far as a judge is compared with it. */
export interface ModelSize {
  readonly id: string
  /** Weights, as its files' sizes say; null where that isn't known. */
  readonly parameters: number | null
  /** Its graph files together, and their dtype. */
  readonly file?: { readonly dtype: string; readonly bytes: number }
}

/** `same-model`: it marks its own work. `smaller`: it has no more weights. `size-unknown`: which is larger can't be told. */
export type JudgeCaution = 'same-model' | 'smaller' | 'size-unknown'

export function judgeCautions(candidate: ModelSize, judge: ModelSize): readonly JudgeCaution[] {
  if (candidate.id === judge.id) return ['same-model']
  const sizes = comparableSizes(candidate, judge)
  if (sizes === null) return ['size-unknown']
  // Sizes from files are good to a few per cent.
  return sizes.judge <= sizes.candidate * 1.05 ? ['smaller'] : []
}

/** Weights where both are known, else the bytes of files of the same dtype. */
function comparableSizes(
  candidate: ModelSize,
  judge: ModelSize,
): { readonly candidate: number; readonly judge: number; readonly unit: 'weights' | 'bytes' } | null {
  if (candidate.parameters !== null && judge.parameters !== null)
    return { candidate: candidate.parameters, judge: judge.parameters, unit: 'weights' }
  const [left, right] = [candidate.file, judge.file]
  if (left === undefined || right === undefined || left.dtype !== right.dtype) return null
  return { candidate: left.bytes, judge: right.bytes, unit: 'bytes' }
}

/** The same in a sentence, for the command line and files. */
export function cautionText(caution: JudgeCaution, candidate: ModelSize, judge: ModelSize): string {
  switch (caution) {
    case 'same-model':
      return `The judge is the judged model itself (${judge.id}): it marks its own work.`
    case 'smaller':
      return `The judge ${judge.id} is not larger than the judged model ${candidate.id}${sizesInWords(comparableSizes(candidate, judge))}.`
    case 'size-unknown':
      return `Whether the judge ${judge.id} is larger than the judged model ${candidate.id} is not known.`
  }
}

function sizesInWords(sizes: ReturnType<typeof comparableSizes>): string {
  if (sizes === null) return ''
  const [judge, candidate] = [sizes.judge, sizes.candidate].map((size) => (size / 1e6).toPrecision(3))
  return sizes.unit === 'weights'
    ? ` (about ${judge} against ${candidate} million weights)`
    : ` (files of ${judge} against ${candidate} MB)`
}

/** Bits a weight. Of other dtypes the files don't tell: embeddings and scales stay wider, by as much as the weights of a small model. */
const bitsOf: { readonly [dtype: string]: number } = { fp32: 32, fp16: 16 }

/** The model of a run, with the number of weights that its graph files have room for. */
export function modelSizeOf({ model, engine }: Pick<RunManifest, 'model' | 'engine'>): ModelSize {
  const bits = bitsOf[engine.dtype]
  const bytes = model.files.filter(({ path }) => /\.onnx(?:_data(?:_\d+)?)?$/.test(path)).reduce((sum, file) => sum + file.bytes, 0)
  return {
    id: model.id,
    parameters: bits === undefined || bytes === 0 ? null : Math.round((bytes * 8) / bits),
    ...(bytes === 0 ? {} : { file: { dtype: engine.dtype, bytes } }),
  }
}
