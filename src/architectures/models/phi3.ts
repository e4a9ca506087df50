import type { Architecture, Rope } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { layerOf, linear, perLayer, readActivation, readEnds, rmsNorm, rowsOf } from '../parts.ts'
import { longRope, plainRope } from '../rope.ts'
import { largest, readSizes } from '../sizes.ts'

/**
 * Source: transformers 4.57.6, models/phi3. Its frequencies hang on how long a sequence is where they are scaled (longrope): up to the window that it was first trained with they
 * are the short ones, so that is as far as it goes here.
 */
export function phi3(config: ConfigKeys): Architecture {
  const sizes = readSizes(config, { positions: 4096 })
  const { hidden, intermediate, heads, keyValueHeads, headSize } = sizes
  const epsilon = config.positive('rms_norm_eps', 1e-5)
  const activation = readActivation(config, 'hidden_act', 'silu')
  const window = config.optionalInteger('sliding_window', { most: largest.positions })
  const { rope, positions } = readPhiRope(config, headSize, sizes.positions)
  // Names that its class doesn't read.
  config.only('attention_bias', false)
  config.only('mlp_bias', false)
  config.only('lm_head_bias', false)
  config.only('full_attn_mod', 1)
  config.only('interpolate_factor', 1)
  config.only('use_sliding_window', window !== null)
  const queries = heads * headSize
  const keys = keyValueHeads * headSize
  return {
    ...readEnds(config, sizes, false),
    maxPositions: positions,
    layers: perLayer(sizes.layers, (index) => {
      const name = `model.layers.${index}`
      const part = (from: number, rows: number) => ({
        weight: rowsOf(`${name}.self_attn.qkv_proj.weight`, queries + 2 * keys, hidden, { from, rows }),
        bias: null,
      })
      const half = (from: number) => ({
        weight: rowsOf(`${name}.mlp.gate_up_proj.weight`, 2 * intermediate, hidden, { from, rows: intermediate }),
        bias: null,
      })
      return layerOf({
        mixer: {
          kind: 'attention',
          heads,
          keyValueHeads,
          headSize,
          query: part(0, queries),
          key: part(queries, keys),
          value: part(queries + keys, keys),
          output: linear(`${name}.self_attn.o_proj`, hidden, queries),
          norms: null,
          rope,
          window,
          softcap: null,
          scale: headSize ** -0.5,
        },
        mlp: {
          kind: 'gated',
          activation,
          gate: half(0),
          up: half(intermediate),
          down: linear(`${name}.mlp.down_proj`, hidden, intermediate),
        },
        beforeMixer: rmsNorm(`${name}.input_layernorm`, hidden, epsilon),
        beforeMlp: rmsNorm(`${name}.post_attention_layernorm`, hidden, epsilon),
      })
    }),
    finalNorm: rmsNorm('model.norm', hidden, epsilon),
  }
}

function readPhiRope(config: ConfigKeys, headSize: number, positions: number): { readonly rope: Rope; readonly positions: number } {
  const share = config.positive('partial_rotary_factor', 1)
  const size = Math.trunc(headSize * share)
  if (share > 1 || size % 2 !== 0 || size === 0)
    throw config.wrong('partial_rotary_factor', `a share that makes an even part of the head size ${headSize}`)
  const base = config.positive('rope_theta', 10_000)
  const trained = config.integer('original_max_position_embeddings', { most: largest.positions }, 4096)
  if (!config.has('rope_scaling')) return { rope: plainRope(base, size), positions }
  return { rope: longRope(config, base, size, { positions, trained }), positions: Math.min(positions, trained) }
}
