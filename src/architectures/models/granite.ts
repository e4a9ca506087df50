import type { Architecture } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { gatedMlp, layerOf, perLayer, plainAttention, readActivation, readEnds, rmsNorm } from '../parts.ts'
import { readRope } from '../rope.ts'
import { readSizes } from '../sizes.ts'

/** Source: transformers 4.57.6, models/granite. */
export function granite(config: ConfigKeys): Architecture {
  const sizes = readSizes(config, { positions: 2048 })
  const epsilon = config.positive('rms_norm_eps', 1e-6)
  const activation = readActivation(config, 'hidden_act', 'silu')
  const bias = config.boolean('attention_bias', false)
  const mlpBias = config.boolean('mlp_bias', false)
  const rope = readRope(config, config.positive('rope_theta', 10_000), sizes.headSize)
  const residualMultiplier = config.positive('residual_multiplier', 1)
  const scale = config.positive('attention_multiplier', 1)
  return {
    ...readEnds(config, sizes, false),
    maxPositions: sizes.positions,
    embeddingMultiplier: config.positive('embedding_multiplier', 1),
    layers: perLayer(sizes.layers, (index) => {
      const name = `model.layers.${index}`
      return layerOf({
        mixer: { ...plainAttention(`${name}.self_attn`, sizes, rope, { inputs: bias, output: bias }), scale },
        mlp: gatedMlp(`${name}.mlp`, sizes.hidden, sizes.intermediate, activation, mlpBias),
        beforeMixer: rmsNorm(`${name}.input_layernorm`, sizes.hidden, epsilon),
        beforeMlp: rmsNorm(`${name}.post_attention_layernorm`, sizes.hidden, epsilon),
        residualMultiplier,
      })
    }),
    finalNorm: rmsNorm('model.norm', sizes.hidden, epsilon),
    logitsDivisor: config.positive('logits_scaling', 1),
  }
}
