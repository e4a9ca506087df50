import type { Architecture } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { gatedMlp, layerOf, perLayer, plainAttention, readActivation, readEnds, rmsNorm } from '../parts.ts'
import { plainRope } from '../rope.ts'
import { largest, readSizes } from '../sizes.ts'

/** Source: transformers 4.57.6, models/mistral. */
export function mistral(config: ConfigKeys): Architecture {
  const sizes = readSizes(config, { keyValueHeads: 8, positions: 131_072 })
  const epsilon = config.positive('rms_norm_eps', 1e-6)
  const activation = readActivation(config, 'hidden_act', 'silu')
  const window = config.integerOrNull('sliding_window', { most: largest.positions }, 4096)
  const rope = plainRope(config.positive('rope_theta', 10_000), sizes.headSize)
  // Its class reads no scaling, but its embedding would.
  config.only('rope_scaling')
  return {
    ...readEnds(config, sizes, false),
    maxPositions: sizes.positions,
    layers: perLayer(sizes.layers, (index) => {
      const name = `model.layers.${index}`
      return layerOf({
        mixer: { ...plainAttention(`${name}.self_attn`, sizes, rope), window },
        mlp: gatedMlp(`${name}.mlp`, sizes.hidden, sizes.intermediate, activation),
        beforeMixer: rmsNorm(`${name}.input_layernorm`, sizes.hidden, epsilon),
        beforeMlp: rmsNorm(`${name}.post_attention_layernorm`, sizes.hidden, epsilon),
      })
    }),
    finalNorm: rmsNorm('model.norm', sizes.hidden, epsilon),
  }
}
