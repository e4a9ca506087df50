import type { Architecture, Mixture } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { gatedMlp, layerOf, linear, perLayer, plainAttention, readActivation, readEnds, rmsNorm } from '../parts.ts'
import { readRope } from '../rope.ts'
import { largest, readSizes, requireFewExperts } from '../sizes.ts'

/** Source: transformers 4.57.6, models/qwen3_moe. All layers see the window, where there is one. */
export function qwen3Moe(config: ConfigKeys): Architecture {
  const sizes = readSizes(config, { keyValueHeads: 4, positions: 32_768 })
  const { hidden, headSize, layers } = sizes
  const epsilon = config.positive('rms_norm_eps', 1e-6)
  const activation = readActivation(config, 'hidden_act', 'silu')
  const bias = config.boolean('attention_bias', false)
  const size = config.integerOrNull('sliding_window', { most: largest.positions }, 4096)
  const window = config.boolean('use_sliding_window', false) ? size : null
  const rope = readRope(config, config.positive('rope_theta', 10_000), headSize)
  // Its layers have no kinds; the key came with the class that it was made of.
  config.ignore('max_window_layers')
  const isMixture = readSparseLayers(config)
  // transformers 5 writes the second name.
  const counted = config.has('num_local_experts') && !config.has('num_experts') ? 'num_local_experts' : 'num_experts'
  const count = config.integer(counted, { most: largest.experts }, 128)
  config.only('num_local_experts', count)
  const perToken = config.integer('num_experts_per_tok', { most: count }, 8)
  const width = config.integer('moe_intermediate_size', { most: largest.intermediate }, 768)
  const sumsToOne = config.boolean('norm_topk_prob', false)
  const mixture = (name: string): Mixture => ({
    kind: 'mixture',
    router: linear(`${name}.gate`, count, hidden),
    experts: Array.from({ length: count }, (_, expert) => gatedMlp(`${name}.experts.${expert}`, hidden, width, activation)),
    perToken,
    sumsToOne,
  })
  requireFewExperts(config, layers * count)
  return {
    ...readEnds(config, sizes, false),
    maxPositions: sizes.positions,
    layers: perLayer(layers, (index) => {
      const name = `model.layers.${index}`
      return layerOf({
        mixer: {
          ...plainAttention(`${name}.self_attn`, sizes, rope, { inputs: bias, output: bias }),
          norms: {
            over: 'head',
            query: rmsNorm(`${name}.self_attn.q_norm`, headSize, epsilon),
            key: rmsNorm(`${name}.self_attn.k_norm`, headSize, epsilon),
          },
          window,
        },
        mlp: isMixture(index) ? mixture(`${name}.mlp`) : gatedMlp(`${name}.mlp`, hidden, sizes.intermediate, activation),
        beforeMixer: rmsNorm(`${name}.input_layernorm`, hidden, epsilon),
        beforeMlp: rmsNorm(`${name}.post_attention_layernorm`, hidden, epsilon),
      })
    }),
    finalNorm: rmsNorm('model.norm', hidden, epsilon),
  }
}

/** Every `decoder_sparse_step`th layer is a mixture, but for those of `mlp_only_layers`. */
function readSparseLayers(config: ConfigKeys): (index: number) => boolean {
  const step = config.integer('decoder_sparse_step', { most: largest.layers }, 1)
  const dense: unknown = config.value('mlp_only_layers') ?? []
  if (!Array.isArray(dense) || !dense.every((one) => Number.isInteger(one))) throw config.wrong('mlp_only_layers', 'a list of layers')
  return (index) => !dense.includes(index) && (index + 1) % step === 0
}
