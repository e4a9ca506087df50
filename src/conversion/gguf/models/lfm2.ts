import { headsOf, isTied, requireWholeRotation, ropeScaling, vocabularyOf, type GgufArchitecture } from '../parts.ts'

/** A layer without heads for keys and values is a convolution. Source: llama.cpp, conversion/lfm2.py and src/models/lfm2.cpp. */
export const lfm2: GgufArchitecture = {
  className: 'Lfm2ForCausalLM',
  config: (keys) => {
    const { hidden, heads, headSize } = headsOf(keys)
    requireWholeRotation(keys, headSize)
    keys.only('attention.sliding_window', 0)
    const layers = keys.integer('block_count')
    const perLayer = keys.list('attention.head_count_kv')
    if (perLayer?.length !== layers) throw keys.wrong('attention.head_count_kv', `a number for each of the ${layers} layers`)
    const [keyValueHeads = heads, ...others] = new Set(perLayer.filter((one) => one !== 0))
    if (others.length > 0) throw keys.unsupported('attention.head_count_kv', 'one number of heads besides 0')
    return {
      model_type: 'lfm2',
      vocab_size: vocabularyOf(keys),
      hidden_size: hidden,
      intermediate_size: keys.integer('feed_forward_length'),
      block_auto_adjust_ff_dim: false,
      num_hidden_layers: layers,
      num_attention_heads: heads,
      num_key_value_heads: keyValueHeads,
      head_dim: headSize,
      layer_types: perLayer.map((one) => (one === 0 ? 'conv' : 'full_attention')),
      max_position_embeddings: keys.integer('context_length'),
      norm_eps: keys.number('attention.layer_norm_rms_epsilon'),
      rope_theta: keys.optionalNumber('rope.freq_base') ?? 10_000,
      ...ropeScaling(keys),
      conv_L_cache: keys.integer('shortconv.l_cache'),
      conv_bias: keys.tensors.has('blk.0.shortconv.conv.bias'),
      tie_word_embeddings: isTied(keys),
    }
  },
  names: {
    // So called by llama.cpp by mistake, and kept since.
    'model.embedding_norm': 'token_embd_norm',
    operator_norm: 'attn_norm',
    ffn_norm: 'ffn_norm',
    'feed_forward.w1': 'ffn_gate',
    'feed_forward.w2': 'ffn_down',
    'feed_forward.w3': 'ffn_up',
    'self_attn.q_layernorm': 'attn_q_norm',
    'self_attn.k_layernorm': 'attn_k_norm',
    'self_attn.out_proj': 'attn_output',
    'conv.conv': 'shortconv.conv',
    'conv.in_proj': 'shortconv.in_proj',
    'conv.out_proj': 'shortconv.out_proj',
  },
}
