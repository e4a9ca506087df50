/** What most architectures' metadata have in common, as keys of config.json; and their tensors' names. */
import type { MetadataKeys } from './metadata-keys.ts'

/** An architecture of llama.cpp: how its metadata become a config.json, and where its tensors are. */
export interface GgufArchitecture {
  /** transformers' class, which a config.json would name. */
  readonly className: string
  /** The config.json, as transformers names its keys. */
  readonly config: (keys: MetadataKeys) => { readonly [key: string]: unknown }
  /** Names of tensors by those that transformers gives them, without `.weight` and `.bias`, of a layer's without its number; where they differ from `commonNames`. */
  readonly names?: { readonly [name: string]: string }
  /** Rows of queries and keys stand by turns, as Meta's own code had them. */
  readonly isInterleaved?: boolean
  /** Norms' weights were stored plus one. */
  readonly normsAreWhole?: boolean
  /** `rope_freqs.weight` divides the frequencies of the rotary embedding, where it is there. */
  readonly hasFactors?: boolean
}

/** Source: gguf 0.19, tensor_mapping.py. */
export const commonNames: { readonly [name: string]: string } = {
  'model.embed_tokens': 'token_embd',
  'model.norm': 'output_norm',
  lm_head: 'output',
  'self_attn.q_proj': 'attn_q',
  'self_attn.k_proj': 'attn_k',
  'self_attn.v_proj': 'attn_v',
  'self_attn.o_proj': 'attn_output',
  'self_attn.q_norm': 'attn_q_norm',
  'self_attn.k_norm': 'attn_k_norm',
  'mlp.gate_proj': 'ffn_gate',
  'mlp.up_proj': 'ffn_up',
  'mlp.down_proj': 'ffn_down',
  input_layernorm: 'attn_norm',
  post_attention_layernorm: 'ffn_norm',
}

/** Sizes and rotary embedding of a decoder with Llama's names in its config.json. Throws as `MetadataKeys`. */
export function commonConfig(keys: MetadataKeys, modelType: string): { readonly [key: string]: unknown } {
  const { hidden, heads, headSize } = headsOf(keys)
  return {
    model_type: modelType,
    vocab_size: vocabularyOf(keys),
    hidden_size: hidden,
    intermediate_size: keys.integer('feed_forward_length'),
    num_hidden_layers: keys.integer('block_count'),
    num_attention_heads: heads,
    num_key_value_heads: keys.optionalInteger('attention.head_count_kv') ?? heads,
    head_dim: headSize,
    max_position_embeddings: keys.integer('context_length'),
    rope_theta: keys.optionalNumber('rope.freq_base') ?? 10_000,
    tie_word_embeddings: isTied(keys),
  }
}

/** As most architectures have them besides. */
export function rmsEpsilon(keys: MetadataKeys): { readonly rms_norm_eps: number } {
  return { rms_norm_eps: keys.number('attention.layer_norm_rms_epsilon') }
}

export function headsOf(keys: MetadataKeys): { readonly hidden: number; readonly heads: number; readonly headSize: number } {
  const hidden = keys.integer('embedding_length')
  const heads = keys.integer('attention.head_count')
  const headSize = keys.optionalInteger('attention.key_length') ?? Math.floor(hidden / heads)
  keys.only('attention.value_length', headSize)
  return { hidden, heads, headSize }
}

/** Rows of the embedding, which `vocab_size` and the tokenizer's tokens must not contradict. */
export function vocabularyOf(keys: MetadataKeys): number {
  const rows = keys.tensors.get('token_embd.weight')?.shape[0]
  const said = keys.optionalInteger('vocab_size')
  if (rows === undefined) {
    if (said === null) throw keys.wrong('vocab_size', 'the size of the vocabulary, or the tensor token_embd.weight that has it,')
    return said
  }
  if (said !== null && said !== rows) throw keys.wrong('vocab_size', `as many as token_embd.weight has rows (${rows})`)
  return rows
}

export function isTied({ tensors }: MetadataKeys): boolean {
  return !tensors.has('output.weight')
}

/** Whether the first layer has a tensor: biases aren't in the metadata. */
export function hasLayerTensor({ tensors }: MetadataKeys, name: string): boolean {
  return tensors.has(`blk.0.${name}`)
}

/** All values of a head are rotated. */
export function requireWholeRotation(keys: MetadataKeys, headSize: number): void {
  keys.only('rope.dimension_count', headSize)
}

/** A share of which `Math.trunc(size · share)` is exactly `part`. */
export function shareOf(part: number, size: number): number {
  return part === size ? 1 : (part + 0.5) / size
}

/**
 * `rope_scaling` of config.json: none, or the linear one. llama.cpp takes a factor without a type for linear (llama-model.cpp, load_hparams). Throws `model/unsupported` for YaRN and others.
 */
export function ropeScaling(keys: MetadataKeys): { readonly rope_scaling?: { readonly rope_type: 'linear'; readonly factor: number } } {
  const type = keys.text('rope.scaling.type') ?? 'linear'
  const factor = keys.optionalNumber('rope.scaling.factor') ?? keys.optionalNumber('rope.scale_linear') ?? 0
  keys.only('rope.scaling.attn_factor', 1)
  keys.ignore('rope.scaling.original_context_length', 'rope.scaling.finetuned')
  if (type === 'none') return {}
  if (type !== 'linear') throw keys.unsupported('rope.scaling.type', 'none or linear')
  return factor === 0 || factor === 1 ? {} : { rope_scaling: { rope_type: 'linear', factor } }
}
