import type { Architecture } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { gatedMlp, layerOf, perLayer, plainAttention, readActivation, readEnds, readLayerTypes, rmsNorm } from '../parts.ts'
import { plainRope } from '../rope.ts'
import { largest, readSizes } from '../sizes.ts'

/** Source: transformers 4.57.6, models/gemma2. */
export function gemma2(config: ConfigKeys): Architecture {
  const sizes = readSizes(config, { headSize: 256, keyValueHeads: 4, positions: 8192 })
  const { hidden, layers } = sizes
  const epsilon = config.positive('rms_norm_eps', 1e-6)
  const activation = readActivation(config, 'hidden_activation', 'gelu_pytorch_tanh')
  const bias = config.boolean('attention_bias', false)
  const scale = config.positive('query_pre_attn_scalar', 256) ** -0.5
  const size = config.integer('sliding_window', { most: largest.positions }, 4096)
  const isLocal = readLayerTypes(config, layers) ?? perLayer(layers, (index) => index % 2 === 0)
  const softcap = config.positiveOrNull('attn_logit_softcapping', 50)
  const rope = plainRope(config.positive('rope_theta', 10_000), sizes.headSize)
  config.only('rope_scaling')
  config.only('use_bidirectional_attention', false)
  // Names of old that its class doesn't read.
  config.only('sliding_window_size', size)
  config.ignore('hidden_act')
  return {
    ...readEnds(config, sizes, true),
    maxPositions: sizes.positions,
    embeddingMultiplier: Math.fround(hidden ** 0.5),
    layers: perLayer(layers, (index) => {
      const name = `model.layers.${index}`
      const norm = (part: string) => rmsNorm(`${name}.${part}_layernorm`, hidden, epsilon, 1)
      return layerOf({
        mixer: {
          ...plainAttention(`${name}.self_attn`, sizes, rope, { inputs: bias, output: bias }),
          window: isLocal[index] === true ? size : null,
          softcap,
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
    logitsSoftcap: config.positiveOrNull('final_logit_softcapping', 30),
  }
}
