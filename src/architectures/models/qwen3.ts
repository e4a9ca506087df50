import type { Architecture } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { gatedMlp, layerOf, perLayer, plainAttention, readActivation, readEnds, readQwenWindows, rmsNorm } from '../parts.ts'
import { readRope } from '../rope.ts'
import { readSizes } from '../sizes.ts'

/** Source: transformers 4.57.6, models/qwen3. */
export function qwen3(config: ConfigKeys): Architecture {
  const sizes = readSizes(config, { headSize: 128, keyValueHeads: 32, positions: 32_768 })
  const epsilon = config.positive('rms_norm_eps', 1e-6)
  const activation = readActivation(config, 'hidden_act', 'silu')
  const bias = config.boolean('attention_bias', false)
  const windows = readQwenWindows(config, sizes.layers)
  const rope = readRope(config, config.positive('rope_theta', 10_000), sizes.headSize)
  return {
    ...readEnds(config, sizes, false),
    maxPositions: sizes.positions,
    layers: perLayer(sizes.layers, (index) => {
      const name = `model.layers.${index}`
      return layerOf({
        mixer: {
          ...plainAttention(`${name}.self_attn`, sizes, rope, { inputs: bias, output: bias }),
          norms: {
            over: 'head',
            query: rmsNorm(`${name}.self_attn.q_norm`, sizes.headSize, epsilon),
            key: rmsNorm(`${name}.self_attn.k_norm`, sizes.headSize, epsilon),
          },
          window: windows[index] ?? null,
        },
        mlp: gatedMlp(`${name}.mlp`, sizes.hidden, sizes.intermediate, activation),
        beforeMixer: rmsNorm(`${name}.input_layernorm`, sizes.hidden, epsilon),
        beforeMlp: rmsNorm(`${name}.post_attention_layernorm`, sizes.hidden, epsilon),
      })
    }),
    finalNorm: rmsNorm('model.norm', sizes.hidden, epsilon),
  }
}
