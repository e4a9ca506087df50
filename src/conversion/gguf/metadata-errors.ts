/** Errors about a config.json that was made of a GGUF file's metadata, in the metadata's own words: whoever has the file has no config.json. */
import { EvalError, isEvalError } from '../../base/errors.ts'

/** Keys of a config.json by those of the metadata that they are made of, without the architecture. Source: `parts.ts` and `models/`. */
const metadataKeys: { readonly [key: string]: string } = {
  hidden_size: 'embedding_length',
  n_embd: 'embedding_length',
  intermediate_size: 'feed_forward_length',
  n_inner: 'feed_forward_length',
  num_hidden_layers: 'block_count',
  n_layer: 'block_count',
  num_attention_heads: 'attention.head_count',
  n_head: 'attention.head_count',
  num_key_value_heads: 'attention.head_count_kv',
  head_dim: 'attention.key_length',
  max_position_embeddings: 'context_length',
  n_positions: 'context_length',
  rope_theta: 'rope.freq_base',
  rope_scaling: 'rope.scaling.type',
  partial_rotary_factor: 'rope.dimension_count',
  rotary_pct: 'rope.dimension_count',
  rms_norm_eps: 'attention.layer_norm_rms_epsilon',
  norm_eps: 'attention.layer_norm_rms_epsilon',
  layer_norm_eps: 'attention.layer_norm_epsilon',
  layer_norm_epsilon: 'attention.layer_norm_epsilon',
  norm_epsilon: 'attention.layer_norm_epsilon',
  sliding_window: 'attention.sliding_window',
  attn_logit_softcapping: 'attn_logit_softcapping',
  final_logit_softcapping: 'final_logit_softcapping',
  embedding_multiplier: 'embedding_scale',
  residual_multiplier: 'residual_scale',
  attention_multiplier: 'attention.scale',
  logits_scaling: 'logit_scale',
  conv_L_cache: 'shortconv.l_cache',
  num_experts: 'expert_count',
  num_experts_per_tok: 'expert_used_count',
  moe_intermediate_size: 'expert_feed_forward_length',
  vocab_size: 'vocab_size',
}

/** What `read` gives; its errors about config.json name the metadata's key instead, or the metadata where it was made of several. */
export function inMetadataTerms<T>(architecture: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!isEvalError(error)) throw error
    const { key } = error.details
    const own = typeof key === 'string' ? metadataKeys[key] : undefined
    const message = error.message
      .replace(/"[^"]*" of config\.json \([^)]*\)/, own === undefined ? '$&' : `the key "${architecture}.${own}" of a GGUF file`)
      .replace(/\ba config\.json\b/, 'a GGUF file')
      .replace(/ of config\.json \([^)]*\)/, ` of a GGUF file’s metadata (${architecture})`)
    if (message === error.message) throw error
    const details = own === undefined ? error.details : { ...error.details, key: `${architecture}.${own}` }
    throw new EvalError(error.code, message, { details, cause: error })
  }
}
