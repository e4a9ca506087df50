import { headsOf, isTied, ropeScaling, shareOf, vocabularyOf, type GgufArchitecture } from '../parts.ts'

/** Queries of all heads stand before all keys and these before all values. Source: llama.cpp, conversion/gptneox.py. */
export const gptNeox: GgufArchitecture = {
  className: 'GPTNeoXForCausalLM',
  config: (keys) => {
    const { hidden, heads, headSize } = headsOf(keys)
    keys.only('attention.head_count_kv', heads)
    return {
      model_type: 'gpt_neox',
      vocab_size: vocabularyOf(keys),
      hidden_size: hidden,
      intermediate_size: keys.integer('feed_forward_length'),
      num_hidden_layers: keys.integer('block_count'),
      num_attention_heads: heads,
      max_position_embeddings: keys.integer('context_length'),
      layer_norm_eps: keys.number('attention.layer_norm_epsilon'),
      use_parallel_residual: keys.boolean('use_parallel_residual', true),
      rotary_pct: shareOf(keys.optionalInteger('rope.dimension_count') ?? headSize, headSize),
      rotary_emb_base: keys.optionalNumber('rope.freq_base') ?? 10_000,
      ...ropeScaling(keys),
      tie_word_embeddings: isTied(keys),
    }
  },
  names: {
    'gpt_neox.embed_in': 'token_embd',
    'gpt_neox.final_layer_norm': 'output_norm',
    embed_out: 'output',
    'attention.query_key_value': 'attn_qkv',
    'attention.dense': 'attn_output',
    'mlp.dense_h_to_4h': 'ffn_up',
    'mlp.dense_4h_to_h': 'ffn_down',
  },
}
