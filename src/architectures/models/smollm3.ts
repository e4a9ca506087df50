import type { Architecture } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { gatedMlp, layerOf, perLayer, plainAttention, readActivation, readEnds, readLayerTypes, rmsNorm } from '../parts.ts'
import { readRope } from '../rope.ts'
import { largest, readSizes } from '../sizes.ts'

/** Source: transformers 4.57.6, models/smollm3. Some layers are told no positions. */
export function smollm3(config: ConfigKeys): Architecture {
  const sizes = readSizes(config, { keyValueHeads: 4, positions: 32_768 })
  const { hidden, layers } = sizes
  const epsilon = config.positive('rms_norm_eps', 1e-6)
  const activation = readActivation(config, 'hidden_act', 'silu')
  const bias = config.boolean('attention_bias', false)
  const mlpBias = config.boolean('mlp_bias', false)
  const rope = readRope(config, config.positive('rope_theta', 2_000_000), sizes.headSize)
  const isRotated = readRotatedLayers(config, layers)
  const windows = readWindows(config, isRotated)
  // Of the code that trained it: its class reads neither.
  config.ignore('pretraining_tp', 'max_window_layers')
  return {
    ...readEnds(config, sizes, true),
    maxPositions: sizes.positions,
    layers: perLayer(layers, (index) => {
      const name = `model.layers.${index}`
      return layerOf({
        mixer: {
          ...plainAttention(`${name}.self_attn`, sizes, isRotated[index] === true ? rope : null, { inputs: bias, output: bias }),
          window: windows[index] ?? null,
        },
        mlp: gatedMlp(`${name}.mlp`, hidden, sizes.intermediate, activation, mlpBias),
        beforeMixer: rmsNorm(`${name}.input_layernorm`, hidden, epsilon),
        beforeMlp: rmsNorm(`${name}.post_attention_layernorm`, hidden, epsilon),
      })
    }),
    finalNorm: rmsNorm('model.norm', hidden, epsilon),
  }
}

function readRotatedLayers(config: ConfigKeys, layers: number): readonly boolean[] {
  const interval = config.integer('no_rope_layer_interval', { most: largest.layers }, 4)
  const listed = config.layerList('no_rope_layers', layers, (one) => (one === 1 ? true : one === 0 ? false : null), '0 and 1')
  return listed ?? perLayer(layers, (index) => (index + 1) % interval !== 0)
}

function readWindows(config: ConfigKeys, isRotated: readonly boolean[]): readonly (number | null)[] {
  const size = config.optionalInteger('sliding_window', { most: largest.positions })
  const isUsed = config.boolean('use_sliding_window', false) && size !== null
  const isLocal = readLayerTypes(config, isRotated.length) ?? isRotated.map((one) => isUsed && !one)
  // transformers masks these layers whatever `use_sliding_window` says, and fails without a size.
  if (!isUsed && isLocal.includes(true))
    throw config.unsupported('layer_types', '"sliding_attention" only with "use_sliding_window" and "sliding_window"')
  return isLocal.map((one) => (one ? size : null))
}
