/** Shapes of real models, as the config.json of each: random weights in them cost what the real ones cost. */

/** A config.json, as far as the made models need it. */
export interface ShapeConfig {
  readonly model_type: 'llama' | 'qwen2'
  readonly vocab_size: number
  readonly hidden_size: number
  readonly intermediate_size: number
  readonly num_hidden_layers: number
  readonly num_attention_heads: number
  readonly num_key_value_heads: number
  readonly head_dim?: number
  readonly max_position_embeddings: number
  readonly rms_norm_eps: number
  readonly rope_theta: number
  readonly rope_scaling?: { readonly [key: string]: number | string } | null
  readonly tie_word_embeddings: true
  readonly [key: string]: unknown
}

export const shapeNames = ['135M', '360M', '0.5B', '1B'] as const
export type ShapeName = (typeof shapeNames)[number]

const llama = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_act: 'silu',
  attention_bias: false,
  mlp_bias: false,
  bos_token_id: 1,
  eos_token_id: 2,
  tie_word_embeddings: true,
  torch_dtype: 'bfloat16',
} as const

/** Sources: config.json of SmolLM2-135M, SmolLM2-360M, Qwen2.5-0.5B and Llama-3.2-1B. */
export const shapes: { readonly [name in ShapeName]: ShapeConfig } = {
  '135M': {
    ...llama,
    vocab_size: 49_152,
    hidden_size: 576,
    intermediate_size: 1536,
    num_hidden_layers: 30,
    num_attention_heads: 9,
    num_key_value_heads: 3,
    max_position_embeddings: 8192,
    rms_norm_eps: 1e-5,
    rope_theta: 100_000,
  },
  '360M': {
    ...llama,
    vocab_size: 49_152,
    hidden_size: 960,
    intermediate_size: 2560,
    num_hidden_layers: 32,
    num_attention_heads: 15,
    num_key_value_heads: 5,
    max_position_embeddings: 8192,
    rms_norm_eps: 1e-5,
    rope_theta: 100_000,
  },
  '0.5B': {
    architectures: ['Qwen2ForCausalLM'],
    model_type: 'qwen2',
    hidden_act: 'silu',
    bos_token_id: 1,
    eos_token_id: 2,
    torch_dtype: 'bfloat16',
    vocab_size: 151_936,
    hidden_size: 896,
    intermediate_size: 4864,
    num_hidden_layers: 24,
    num_attention_heads: 14,
    num_key_value_heads: 2,
    max_position_embeddings: 32_768,
    rms_norm_eps: 1e-6,
    rope_theta: 1_000_000,
    tie_word_embeddings: true,
  },
  '1B': {
    ...llama,
    vocab_size: 128_256,
    hidden_size: 2048,
    intermediate_size: 8192,
    num_hidden_layers: 16,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    head_dim: 64,
    max_position_embeddings: 131_072,
    rms_norm_eps: 1e-5,
    rope_theta: 500_000,
    rope_scaling: {
      rope_type: 'llama3',
      factor: 32,
      low_freq_factor: 1,
      high_freq_factor: 4,
      original_max_position_embeddings: 8192,
    },
  },
}

/** Two layers of next to nothing, for `--quick` and tests. */
export const tinyShape: ShapeConfig = {
  ...llama,
  vocab_size: 512,
  hidden_size: 64,
  intermediate_size: 96,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  max_position_embeddings: 2048,
  rms_norm_eps: 1e-5,
  rope_theta: 10_000,
}

/** Values of a head. */
export function headSizeOf({ head_dim: size, hidden_size: hidden, num_attention_heads: heads }: ShapeConfig): number {
  return size ?? hidden / heads
}

/** Parameters, a tied embedding counted once. */
export function parametersOf(config: ShapeConfig): number {
  return tensorsOf(config).reduce((sum, { rows, columns }) => sum + rows * (columns ?? 1), 0)
}

/** A tensor of a checkpoint: a matrix [rows, columns], or a vector where `columns` is null. */
export interface CheckpointTensor {
  readonly name: string
  readonly rows: number
  readonly columns: number | null
  /** What its values have to be for activations to stay of the size that they have in real models. */
  readonly kind: 'embedding' | 'inner' | 'output' | 'norm' | 'bias'
}

/** The tensors of a checkpoint of this shape, under the names that transformers gives them. */
export function tensorsOf(config: ShapeConfig): CheckpointTensor[] {
  const { hidden_size: hidden, intermediate_size: inner, vocab_size: vocabulary } = config
  const queries = config.num_attention_heads * headSizeOf(config)
  const keys = config.num_key_value_heads * headSizeOf(config)
  const matrix = (name: string, rows: number, columns: number, kind: 'inner' | 'output' = 'inner'): CheckpointTensor => ({
    name: `${name}.weight`,
    rows,
    columns,
    kind,
  })
  const vector = (name: string, rows: number, kind: 'norm' | 'bias'): CheckpointTensor => ({ name, rows, columns: null, kind })
  const layer = (index: number): CheckpointTensor[] => {
    const at = `model.layers.${index}`
    return [
      vector(`${at}.input_layernorm.weight`, hidden, 'norm'),
      matrix(`${at}.self_attn.q_proj`, queries, hidden),
      matrix(`${at}.self_attn.k_proj`, keys, hidden),
      matrix(`${at}.self_attn.v_proj`, keys, hidden),
      matrix(`${at}.self_attn.o_proj`, hidden, queries, 'output'),
      ...(config.model_type === 'qwen2'
        ? (['q_proj', 'k_proj', 'v_proj'] as const).map((part) =>
            vector(`${at}.self_attn.${part}.bias`, part === 'q_proj' ? queries : keys, 'bias'),
          )
        : []),
      vector(`${at}.post_attention_layernorm.weight`, hidden, 'norm'),
      matrix(`${at}.mlp.gate_proj`, inner, hidden),
      matrix(`${at}.mlp.up_proj`, inner, hidden),
      matrix(`${at}.mlp.down_proj`, hidden, inner, 'output'),
    ]
  }
  return [
    { name: embeddingName, rows: vocabulary, columns: hidden, kind: 'embedding' },
    ...Array.from({ length: config.num_hidden_layers }, (_, index) => layer(index)).flat(),
    vector('model.norm.weight', hidden, 'norm'),
  ]
}

export const embeddingName = 'model.embed_tokens.weight'
