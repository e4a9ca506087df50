import { headsOf, isTied, vocabularyOf, type GgufArchitecture } from '../parts.ts'

/** Its matrices were turned to [outputs, inputs]. Source: llama.cpp, conversion/gpt2.py. */
export const gpt2: GgufArchitecture = {
  className: 'GPT2LMHeadModel',
  config: (keys) => {
    const { hidden, heads } = headsOf(keys)
    keys.only('attention.head_count_kv', heads)
    return {
      model_type: 'gpt2',
      vocab_size: vocabularyOf(keys),
      n_embd: hidden,
      n_head: heads,
      n_layer: keys.integer('block_count'),
      n_positions: keys.integer('context_length'),
      n_inner: keys.integer('feed_forward_length'),
      layer_norm_epsilon: keys.number('attention.layer_norm_epsilon'),
      tie_word_embeddings: isTied(keys),
    }
  },
  names: {
    'transformer.wte': 'token_embd',
    'transformer.wpe': 'position_embd',
    'transformer.ln_f': 'output_norm',
    'attn.c_attn': 'attn_qkv',
    'attn.c_proj': 'attn_output',
    ln_1: 'attn_norm',
    ln_2: 'ffn_norm',
    'mlp.c_fc': 'ffn_up',
    'mlp.c_proj': 'ffn_down',
  },
}
