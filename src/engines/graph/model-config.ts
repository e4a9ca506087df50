import { EvalError } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'

/** What of a model's config.json decides shapes. Null where the file doesn't say. */
export interface DecoderConfig {
  readonly architecture: string
  readonly layers: number | null
  readonly hiddenSize: number | null
  readonly attentionHeads: number | null
  readonly keyValueHeads: number | null
  readonly headSize: number | null
  readonly vocabularySize: number | null
  readonly maxPositions: number | null
  /** Positions that some layers see at most; null when all see everything. */
  readonly slidingWindow: number | null
}

/**
 * Shapes from the text of a Hugging Face config.json; `text_config` wins where there is one.
 *
 * Missing `num_key_value_heads` means as many as attention heads, missing `head_dim` means hidden size by heads, as transformers
 * reads them. Throws `model/corrupt` when the text isn't a JSON object.
 */
export function readDecoderConfig(text: string): DecoderConfig {
  const { outer: top, inner, architecture } = parseConfig(text)
  const number = (...keys: readonly string[]): number | null =>
    firstPositive([...keys.map((key) => inner[key]), ...keys.map((key) => top[key])])
  const heads = number('num_attention_heads', 'n_head', 'num_heads', 'n_heads')
  const hiddenSize = number('hidden_size', 'n_embd', 'd_model')
  return {
    architecture: architecture ?? (typeof top.model_type === 'string' ? top.model_type : 'unknown'),
    layers: number('num_hidden_layers', 'n_layer', 'num_layers', 'n_layers'),
    hiddenSize,
    attentionHeads: heads,
    keyValueHeads: number('num_key_value_heads', 'num_kv_heads', 'n_head_kv') ?? heads,
    headSize: number('head_dim') ?? (hiddenSize === null || heads === null ? null : Math.floor(hiddenSize / heads)),
    vocabularySize: number('vocab_size'),
    maxPositions: number('n_positions', 'max_position_embeddings', 'n_ctx'),
    // Qwen names a window that it doesn't use.
    slidingWindow: [inner.use_sliding_window, top.use_sliding_window].includes(false) ? null : number('sliding_window'),
  }
}

/** A config.json as it stands: `inner` is its `text_config`, empty where there is none; `architecture` the first that it names. */
export interface ConfigObject {
  readonly outer: { readonly [key: string]: unknown }
  readonly inner: { readonly [key: string]: unknown }
  readonly architecture: string | null
}

/** Throws `model/corrupt` when the text isn't a JSON object. */
export function parseConfig(text: string): ConfigObject {
  const outer = parseObject(text)
  const architectures: unknown = outer.architectures
  const named: unknown = Array.isArray(architectures) ? architectures[0] : null
  return { outer, inner: isRecord(outer.text_config) ? outer.text_config : {}, architecture: typeof named === 'string' ? named : null }
}

function parseObject(text: string): { readonly [key: string]: unknown } {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new EvalError('model/corrupt', `wanted JSON in the model's config.json, found text that doesn't parse: ${String(cause)}`, {
      cause,
    })
  }
  if (!isRecord(value))
    throw new EvalError('model/corrupt', `wanted an object in the model's config.json, found ${JSON.stringify(value).slice(0, 40)}`)
  return value
}

function firstPositive(values: readonly unknown[]): number | null {
  const found = values.find((value) => typeof value === 'number' && Number.isInteger(value) && value > 0)
  return typeof found === 'number' ? found : null
}
