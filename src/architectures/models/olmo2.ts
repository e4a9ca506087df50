import type { Architecture } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { gatedMlp, layerOf, perLayer, plainAttention, readActivation, readEnds, rmsNorm } from '../parts.ts'
import { readRope } from '../rope.ts'
import { readSizes } from '../sizes.ts'

/** Source: transformers 4.57.6, models/olmo2. Norms stand behind mixer and MLP only; queries and keys have one over all heads. */
export function olmo2(config: ConfigKeys): Architecture {
  const sizes = readSizes(config, { positions: 2048 })
  const { hidden, heads, keyValueHeads, headSize } = sizes
  const epsilon = config.positive('rms_norm_eps', 1e-5)
  const activation = readActivation(config, 'hidden_act', 'silu')
  const bias = config.boolean('attention_bias', false)
  const rope = readRope(config, config.positive('rope_theta', 10_000), headSize)
  return {
    ...readEnds(config, sizes, false),
    maxPositions: sizes.positions,
    layers: perLayer(sizes.layers, (index) => {
      const name = `model.layers.${index}`
      return layerOf({
        mixer: {
          ...plainAttention(`${name}.self_attn`, sizes, rope, { inputs: bias, output: bias }),
          norms: {
            over: 'all',
            query: rmsNorm(`${name}.self_attn.q_norm`, heads * headSize, epsilon),
            key: rmsNorm(`${name}.self_attn.k_norm`, keyValueHeads * headSize, epsilon),
          },
        },
        mlp: gatedMlp(`${name}.mlp`, hidden, sizes.intermediate, activation),
        beforeMixer: null,
        afterMixer: rmsNorm(`${name}.post_attention_layernorm`, hidden, epsilon),
        beforeMlp: null,
        afterMlp: rmsNorm(`${name}.post_feedforward_layernorm`, hidden, epsilon),
      })
    }),
    finalNorm: rmsNorm('model.norm', hidden, epsilon),
  }
}
