import type { Architecture, Attention, ShortConvolution } from '../architecture.ts'
import type { ConfigKeys } from '../config-keys.ts'
import { layerOf, linear, perLayer, plainAttention, readEnds, rmsNorm, whole } from '../parts.ts'
import { readRope } from '../rope.ts'
import { largest, readSizes, type DecoderSizes } from '../sizes.ts'

/** Source: transformers 4.57.6, models/lfm2. Most layers are short convolutions. */
export function lfm2(config: ConfigKeys): Architecture {
  // `block_ff_dim` is the intermediate size's name of old, and wins.
  const widthKey = config.has('block_ff_dim') ? 'block_ff_dim' : 'intermediate_size'
  const sizes = readSizes(config, { keyValueHeads: 8, positions: 128_000, intermediate: widthKey })
  const { hidden, headSize, layers } = sizes
  const epsilon = config.positive('norm_eps', 1e-5)
  const bias = config.boolean('conv_bias', false)
  const reach = config.integer('conv_L_cache', { least: 2, most: largest.reach }, 3)
  const base = config.positive(config.has('theta') ? 'theta' : 'rope_theta', 1_000_000)
  config.ignore('rope_theta', 'intermediate_size', 'tie_word_embeddings')
  const rope = readRope(config, base, headSize)
  const attends = readAttentionLayers(config, layers)
  const width = readWidth(config, sizes)
  // What the code that trained it wrote, and its class doesn't read.
  config.only('block_dim', hidden)
  config.only('conv_dim', hidden)
  config.only('conv_dim_out', hidden)
  config.only('num_heads', sizes.heads)
  config.only('block_norm_eps', epsilon)
  config.only('block_use_swiglu', true)
  config.only('use_pos_enc', true)
  config.ignore('block_mlp_init_scale', 'block_out_init_scale', 'block_use_xavier_init', 'conv_use_xavier_init')
  return {
    ...readEnds(config, sizes, true, config.has('tie_embedding') ? 'tie_embedding' : 'tie_word_embeddings'),
    maxPositions: sizes.positions,
    layers: perLayer(layers, (index) => {
      const name = `model.layers.${index}`
      return layerOf({
        mixer:
          attends[index] === true ? attention(`${name}.self_attn`, sizes, rope, epsilon) : convolution(`${name}.conv`, hidden, reach, bias),
        mlp: {
          kind: 'gated',
          activation: 'silu',
          gate: linear(`${name}.feed_forward.w1`, width, hidden),
          up: linear(`${name}.feed_forward.w3`, width, hidden),
          down: linear(`${name}.feed_forward.w2`, hidden, width),
        },
        beforeMixer: rmsNorm(`${name}.operator_norm`, hidden, epsilon),
        beforeMlp: rmsNorm(`${name}.ffn_norm`, hidden, epsilon),
      })
    }),
    finalNorm: rmsNorm('model.embedding_norm', hidden, epsilon),
  }
}

function attention(name: string, sizes: DecoderSizes, rope: Attention['rope'], epsilon: number): Attention {
  return {
    ...plainAttention(name, sizes, rope),
    output: linear(`${name}.out_proj`, sizes.hidden, sizes.heads * sizes.headSize),
    norms: {
      over: 'head',
      query: rmsNorm(`${name}.q_layernorm`, sizes.headSize, epsilon),
      key: rmsNorm(`${name}.k_layernorm`, sizes.headSize, epsilon),
    },
  }
}

function convolution(name: string, hidden: number, reach: number, hasBias: boolean): ShortConvolution {
  const kernel = whole(`${name}.conv.weight`, hidden, reach)
  return {
    kind: 'convolution',
    input: linear(`${name}.in_proj`, 3 * hidden, hidden, hasBias),
    kernel: {
      // torch keeps a dimension for the channels that a kernel sums over: one.
      weight: { ...kernel, pieces: kernel.pieces.map((piece) => ({ ...piece, shape: [hidden, 1, reach] })) },
      bias: hasBias ? whole(`${name}.conv.bias`, hidden, null) : null,
    },
    reach,
    output: linear(`${name}.out_proj`, hidden, hidden, hasBias),
  }
}

function readAttentionLayers(config: ConfigKeys, layers: number): readonly boolean[] {
  const kinds = config.layerList(
    'layer_types',
    layers,
    (one) => (one === 'full_attention' ? true : one === 'conv' ? false : null),
    '"full_attention" and "conv"',
  )
  const indices: unknown = config.value('full_attn_idxs')
  if (indices !== null && !(Array.isArray(indices) && indices.every((one) => Number.isInteger(one))))
    throw config.wrong('full_attn_idxs', 'a list of layers')
  return kinds ?? perLayer(layers, (index) => indices === null || indices.includes(index))
}

/** Two thirds of the intermediate size, times a factor, up to a multiple, unless that is switched off. */
function readWidth(config: ConfigKeys, { intermediate }: DecoderSizes): number {
  const multiple = config.integer('block_multiple_of', { most: largest.intermediate }, 256)
  const factor = config.positiveOrNull('block_ffn_dim_multiplier', 1)
  if (!config.boolean('block_auto_adjust_ff_dim', true)) return intermediate
  const share = Math.trunc((2 * intermediate) / 3)
  if (factor === null) return share
  const width = multiple * Math.ceil(Math.trunc(factor * share) / multiple)
  if (width > largest.intermediate || width < 1)
    throw config.wrong('block_ffn_dim_multiplier', `a factor that makes a width up to ${largest.intermediate}`)
  return width
}
