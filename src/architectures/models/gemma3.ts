import type { Architecture } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { gatedMlp, layerOf, perLayer, plainAttention, readActivation, readEnds, readLayerTypes, rmsNorm } from '../parts.ts'
import { plainRope, readRope } from '../rope.ts'
import { largest, readSizes } from '../sizes.ts'

/** Gemma 3's text models. Source: transformers 4.57.6, models/gemma3. */
export function gemma3(config: ConfigKeys): Architecture {
  const sizes = readSizes(config, { headSize: 256, keyValueHeads: 4, positions: 131_072 })
  const { hidden, headSize, layers } = sizes
  const epsilon = config.positive('rms_norm_eps', 1e-6)
  const activation = readActivation(config, 'hidden_activation', 'gelu_pytorch_tanh')
  const bias = config.boolean('attention_bias', false)
  const scale = config.positive('query_pre_attn_scalar', 256) ** -0.5
  const size = config.integer('sliding_window', { most: largest.positions }, 4096)
  const isLocal = readLocalLayers(config, layers)
  // Layers with a window have a base of their own, and no scaling.
  const globalRope = readRope(config, config.positive('rope_theta', 1_000_000), headSize)
  const localRope = plainRope(config.positive('rope_local_base_freq', 10_000), headSize)
  // Its class has the cap, and its attention leaves it out.
  config.only('attn_logit_softcapping')
  config.only('use_bidirectional_attention', false)
  config.ignore('hidden_act')
  return {
    ...readEnds(config, sizes, true),
    maxPositions: sizes.positions,
    embeddingMultiplier: Math.fround(hidden ** 0.5),
    layers: perLayer(layers, (index) => {
      const name = `model.layers.${index}`
      const norm = (part: string) => rmsNorm(`${name}.${part}_layernorm`, hidden, epsilon, 1)
      const local = isLocal[index] === true
      return layerOf({
        mixer: {
          ...plainAttention(`${name}.self_attn`, sizes, local ? localRope : globalRope, { inputs: bias, output: bias }),
          norms: {
            over: 'head',
            query: rmsNorm(`${name}.self_attn.q_norm`, headSize, epsilon, 1),
            key: rmsNorm(`${name}.self_attn.k_norm`, headSize, epsilon, 1),
          },
          window: local ? size : null,
          scale,
        },
        mlp: gatedMlp(`${name}.mlp`, hidden, sizes.intermediate, activation),
        beforeMixer: norm('input'),
        afterMixer: norm('post_attention'),
        beforeMlp: norm('pre_feedforward'),
        afterMlp: norm('post_feedforward'),
      })
    }),
    finalNorm: rmsNorm('model.norm', hidden, epsilon, 1),
    logitsSoftcap: config.positiveOrNull('final_logit_softcapping', null),
  }
}

/** By `layer_types`, else all but every sixth, or as `sliding_window_pattern` says. */
function readLocalLayers(config: ConfigKeys, layers: number): readonly boolean[] {
  const types = readLayerTypes(config, layers)
  const pattern = config.integer('sliding_window_pattern', { most: largest.layers }, 6)
  // What transformers notes for itself; where it decided, it would be the other key.
  if (types === null) config.only('_sliding_window_pattern', pattern)
  else config.ignore('_sliding_window_pattern')
  return types ?? perLayer(layers, (index) => (index + 1) % pattern !== 0)
}
