/** What should be known of a judge before its verdicts are believed: who it is beside the model that it judges. */
import type { RunManifest } from '../types.ts'

/** A model as far as a judge is compared with it. */
export interface ModelSize {
  readonly id: string
  /** Weights, as its files' sizes say; null where that isn't known. */
  readonly parameters: number | null
}

/** `same-model`: it marks its own work. `smaller`: it has no more weights. `size-unknown`: which is larger can't be told. */
export type JudgeCaution = 'same-model' | 'smaller' | 'size-unknown'

export function judgeCautions(candidate: ModelSize, judge: ModelSize): readonly JudgeCaution[] {
  if (candidate.id === judge.id) return ['same-model']
  if (candidate.parameters === null || judge.parameters === null) return ['size-unknown']
  // Sizes from files are good to a few per cent: embeddings may stay in 32 bits.
  return judge.parameters <= candidate.parameters * 1.05 ? ['smaller'] : []
}

/** The same in a sentence, for the command line and files. */
export function cautionText(caution: JudgeCaution, candidate: ModelSize, judge: ModelSize): string {
  switch (caution) {
    case 'same-model':
      return `The judge is the judged model itself (${judge.id}): it marks its own work.`
    case 'smaller':
      return `The judge ${judge.id} is not larger than the judged model ${candidate.id} (about ${millions(judge.parameters)} against ${millions(candidate.parameters)} weights).`
    case 'size-unknown':
      return `Whether the judge ${judge.id} is larger than the judged model ${candidate.id} is not known.`
  }
}

function millions(parameters: number | null): string {
  return parameters === null ? 'an unknown number of' : `${(parameters / 1e6).toPrecision(3)} million`
}

/** Bits a weight of a dtype's files, scales and zero points of the block formats counted. */
const bitsOf: { readonly [dtype: string]: number } = {
  fp32: 32,
  fp16: 16,
  q8: 8,
  int8: 8,
  uint8: 8,
  quantized: 8,
  q4: 4.5,
  bnb4: 4.5,
  q4f16: 4.5,
}

/** The model of a run, with the number of weights that its graph files have room for. */
export function modelSizeOf({ model, engine }: Pick<RunManifest, 'model' | 'engine'>): ModelSize {
  const bits = bitsOf[engine.dtype]
  const bytes = model.files.filter(({ path }) => /\.onnx(?:_data(?:_\d+)?)?$/.test(path)).reduce((sum, file) => sum + file.bytes, 0)
  return { id: model.id, parameters: bits === undefined || bytes === 0 ? null : Math.round((bytes * 8) / bits) }
}
