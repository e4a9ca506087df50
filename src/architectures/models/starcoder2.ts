import type { Architecture } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { layerNorm, layerOf, linear, perLayer, plainAttention, readActivation, readEnds } from '../parts.ts'
import { readRope } from '../rope.ts'
import { largest, readSizes } from '../sizes.ts'

/** Source: transformers 4.57.6, models/starcoder2. */
export function starcoder2(config: ConfigKeys): Architecture {
  const sizes = readSizes(config, { keyValueHeads: 2, positions: 4096 })
  const { hidden, intermediate } = sizes
  const epsilon = config.positive('norm_epsilon', 1e-5)
  const activation = readActivation(config, 'hidden_act', 'gelu_pytorch_tanh')
  const bias = config.boolean('use_bias', true)
  const window = config.optionalInteger('sliding_window', { most: largest.positions })
  const rope = readRope(config, config.positive('rope_theta', 10_000), sizes.headSize)
  // Of the code that trained it: its class reads none of them.
  config.only('mlp_type', 'default')
  config.only('norm_type', 'layer_norm')
  config.only('scale_attn_weights', true)
  config.ignore('activation_function', 'layer_norm_epsilon', 'attention_softmax_in_fp32', 'scale_attention_softmax_in_fp32')
  return {
    ...readEnds(config, sizes, true),
    maxPositions: sizes.positions,
    layers: perLayer(sizes.layers, (index) => {
      const name = `model.layers.${index}`
      return layerOf({
        mixer: { ...plainAttention(`${name}.self_attn`, sizes, rope, { inputs: bias, output: bias }), window },
        mlp: {
          kind: 'plain',
          activation,
          up: linear(`${name}.mlp.c_fc`, intermediate, hidden, bias),
          down: linear(`${name}.mlp.c_proj`, hidden, intermediate, bias),
        },
        beforeMixer: layerNorm(`${name}.input_layernorm`, hidden, epsilon),
        beforeMlp: layerNorm(`${name}.post_attention_layernorm`, hidden, epsilon),
      })
    }),
    finalNorm: layerNorm('model.norm', hidden, epsilon),
  }
}
