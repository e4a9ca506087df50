/** Bounds that no model that a browser could run comes near: a config.json beyond them is damaged, or meant to take memory. */
import { EvalError } from '../base/errors.ts'
import type { Architecture, Weight } from './architecture.ts'
import type { ConfigKeys } from './config-keys.ts'

/** Largest values of the keys that decide sizes. */
export const largest = {
  vocabulary: 2 ** 22,
  hidden: 2 ** 16,
  intermediate: 2 ** 19,
  layers: 512,
  heads: 1024,
  headSize: 4096,
  positions: 2 ** 26,
  experts: 1024,
  reach: 64,
} as const

/** Experts of all layers together: each is a dozen nodes. */
const mostExperts = 2 ** 14
/** Parameters: at 4 bits 32 GB. */
const mostParameters = 2 ** 36

export interface DecoderSizes {
  readonly vocabulary: number
  readonly hidden: number
  readonly intermediate: number
  readonly layers: number
  readonly heads: number
  readonly keyValueHeads: number
  readonly headSize: number
  readonly positions: number
}

/**
 * The sizes under the names that most architectures have. `headSize`: what `head_dim` is where it isn't there; undefined: hidden size by heads. `keyValueHeads` likewise,
 * undefined: as many as heads. `intermediate`: the name of the MLP's width, where it is another. Throws `model/corrupt`.
 */
export function readSizes(
  config: ConfigKeys,
  fallback: { readonly headSize?: number; readonly keyValueHeads?: number; readonly positions: number; readonly intermediate?: string },
): DecoderSizes {
  const hidden = config.integer('hidden_size', { most: largest.hidden })
  const heads = config.integer('num_attention_heads', { most: largest.heads })
  const isShared = config.has('num_key_value_heads') || (fallback.keyValueHeads !== undefined && !config.isNull('num_key_value_heads'))
  const keyValueHeads = isShared ? config.integer('num_key_value_heads', { most: largest.heads }, fallback.keyValueHeads) : heads
  if (heads % keyValueHeads !== 0) throw config.wrong('num_key_value_heads', `a divisor of the ${heads} heads`)
  return {
    vocabulary: config.integer('vocab_size', { most: largest.vocabulary }),
    hidden,
    intermediate: config.integer(fallback.intermediate ?? 'intermediate_size', { most: largest.intermediate }),
    layers: config.integer('num_hidden_layers', { most: largest.layers }),
    heads,
    keyValueHeads,
    headSize: headSizeOf(config, fallback.headSize, Math.floor(hidden / heads)),
    positions: config.integer('max_position_embeddings', { most: largest.positions }, fallback.positions),
  }
}

function headSizeOf(config: ConfigKeys, fallback: number | undefined, share: number): number {
  const size = fallback === undefined && !config.has('head_dim') ? share : config.integer('head_dim', { most: largest.headSize }, fallback)
  if (size < 2 || size > largest.headSize || size % 2 !== 0)
    throw config.wrong('head_dim', `an even size of heads up to ${largest.headSize}`)
  return size
}

/** Refuses more experts, in all layers together, than a graph is written for: before any is described. Throws `model/too-large`. */
export function requireFewExperts(config: ConfigKeys, experts: number): void {
  if (experts > mostExperts)
    throw new EvalError(
      'model/too-large',
      `wanted at most ${mostExperts} experts in all layers, found a config.json (${config.kind}) of ${experts}`,
    )
}

/** Refuses an architecture with more weights than could be opened anywhere. Throws `model/too-large`. */
export function requireBounds(architecture: Architecture): void {
  let parameters = 0
  const count = (weight: Weight | null): void => {
    parameters += weight === null ? 0 : weight.rows * (weight.columns ?? 1)
  }
  for (const { mlp, mixer } of architecture.layers) {
    count(mixer.output.weight)
    if (mlp.kind === 'mixture') {
      parameters += 3 * mlp.experts.length * (mlp.experts[0]?.up.weight.rows ?? 0) * architecture.hiddenSize
    } else count(mlp.up.weight)
  }
  count(architecture.embedding)
  count(architecture.positionEmbedding)
  if (parameters > mostParameters)
    throw new EvalError(
      'model/too-large',
      `wanted a model of at most ${mostParameters} parameters, found a config.json (${architecture.modelType}) of ${parameters}`,
    )
}
