/** Factors of rotary frequencies that llama.cpp keeps as tensors: Llama 3's scaling, computed once when the file was made, and Phi-3's for short and long texts. */
import type { Architecture, Rope } from '../../architectures/architecture.ts'
import { EvalError } from '../../base/errors.ts'
import { rowFormatOf } from '../../weights/row-format.ts'
import type { TensorEntry } from '../../weights/tensor-table.ts'
import type { Checkpoint } from '../checkpoint.ts'
import type { GgufFacts } from './metadata-keys.ts'
import type { GgufDecoder } from './registry.ts'

const llama3 = 'rope_freqs.weight'
const short = 'rope_factors_short.weight'
const long = 'rope_factors_long.weight'

/** Tensors that this file reads, of which a plan of weights knows nothing. */
export const factorTensors: readonly string[] = [llama3, short, long]

const { fround } = Math

/**
 * The architecture with the frequencies that the checkpoint's factors make. Phi-3's are those of texts up to the length that it was trained with first (models/phi3.ts). Throws `model/corrupt` for factors that aren't as many as frequencies, or not above zero; `model/unsupported` for factors of an architecture that has none.
 */
export async function withRopeFactors(
  { architecture, hasFactors }: GgufDecoder,
  facts: GgufFacts,
  checkpoint: Checkpoint,
): Promise<Architecture> {
  const entry = facts.tensors.get(llama3) ?? facts.tensors.get(short)
  if (entry === undefined) return architecture
  const isPhi = architecture.modelType === 'phi3'
  if (entry.name === short ? !isPhi : !hasFactors)
    throw new EvalError(
      'model/unsupported',
      `wanted no factors of frequencies for ${architecture.modelType}, found the tensor ${entry.name}`,
      {
        details: { tensor: entry.name },
      },
    )
  const factors = await valuesOf(entry, checkpoint)
  const magnitude = isPhi ? magnitudeOf(facts) : 1
  const scaled = (rope: Rope): Rope => {
    if (rope.frequencies.length !== factors.length)
      throw new EvalError(
        'model/corrupt',
        `wanted ${rope.frequencies.length} values of ${entry.name}, found ${factors.length} in ${entry.source.name}`,
        { details: { tensor: entry.name } },
      )
    return { frequencies: rope.frequencies.map((one, at) => fround(one / (factors[at] ?? 1))), magnitude }
  }
  return {
    ...architecture,
    layers: architecture.layers.map((layer) =>
      layer.mixer.kind === 'attention' && layer.mixer.rope !== null
        ? { ...layer, mixer: { ...layer.mixer, rope: scaled(layer.mixer.rope) } }
        : layer,
    ),
  }
}

async function valuesOf(entry: TensorEntry, checkpoint: Checkpoint): Promise<Float32Array> {
  const { rows, columns, unpack } = await rowFormatOf(entry)
  const values = new Float32Array(rows * columns)
  unpack(checkpoint.read(entry, 0, entry.end - entry.start), values)
  const wrong = values.findIndex((value) => !(value > 0 && value < Infinity))
  if (wrong >= 0)
    throw new EvalError(
      'model/corrupt',
      `wanted factors above zero in ${entry.name} of ${entry.source.name}, found ${String(values[wrong])}`,
      {
        details: { tensor: entry.name },
      },
    )
  return values
}

function magnitudeOf({ metadata }: GgufFacts): number {
  const said = metadata.get('phi3.rope.scaling.attn_factor')
  return typeof said === 'number' && said > 0 ? said : 1
}
