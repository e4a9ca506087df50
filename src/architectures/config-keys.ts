/** A config.json's keys, each asked for by name: one that nobody asked for is refused, since it may change what the model computes. */
import { EvalError } from '../base/errors.ts'

interface Bounds {
  readonly least?: number
  readonly most?: number
}

/**
 * Keys that change no sum: identity, files, training, dropout, what generation draws, names of classes. Source: transformers 4.57.6, configuration_utils.py,
 * and the configuration of each architecture here.
 */
const inertKeys: ReadonlySet<string> = new Set(
  `model_type architectures _name_or_path name_or_path _commit_hash auto_map transformers_version torch_dtype dtype use_bfloat16 tf_legacy_loss torchscript
  transformers.js_config unsloth_version unsloth_fixed attn_implementation _attn_implementation _attn_implementation_autoset gradient_checkpointing
  use_cache cache_implementation return_dict output_attentions output_hidden_states output_scores return_dict_in_generate output_router_logits router_aux_loss_coef
  initializer_range tokenizer_class max_sequence_length loss_type _flash_attn_2_enabled prefix finetuning_task id2label label2id num_labels
  task_specific_params problem_type is_decoder tie_encoder_decoder chunk_size_feed_forward cross_attention_hidden_size
  attention_dropout attn_pdrop embd_pdrop resid_pdrop hidden_dropout residual_dropout embedding_dropout classifier_dropout summary_first_dropout
  summary_type summary_use_proj summary_activation summary_proj_to_labels
  max_length min_length do_sample early_stopping num_beams num_beam_groups diversity_penalty temperature top_k top_p typical_p repetition_penalty length_penalty
  no_repeat_ngram_size encoder_no_repeat_ngram_size bad_words_ids num_return_sequences remove_invalid_values
  exponential_decay_length_penalty suppress_tokens begin_suppress_tokens`.split(/\s+/),
)

/** Special tokens, whichever a tokenizer has: `unk_token_id`, `mask_token_id`, `forced_bos_token_id`. */
const tokenId = /_token_ids?$/

/** Keys of any architecture that would change its sums, and the values with which they don't. */
const onlyValues: { readonly [key: string]: readonly unknown[] } = {
  is_encoder_decoder: [false],
  add_cross_attention: [false],
  pretraining_tp: [1],
  pruned_heads: [null],
  quantization_config: [null],
}

/**
 * Reads values with their bounds and notes what was read. Throws `model/corrupt` for a value of a wrong type or out of bounds, `model/unsupported` for one that
 * isn't computed here, both with the key's name.
 */
export class ConfigKeys {
  readonly kind: string
  readonly #values: { readonly [key: string]: unknown }
  readonly #read = new Set<string>()

  constructor(values: { readonly [key: string]: unknown }, kind: string) {
    this.#values = values
    this.kind = kind
  }

  /** The key is there and not null. */
  has(key: string): boolean {
    return this.value(key) !== null
  }

  /** The key is there, and null. */
  isNull(key: string): boolean {
    return this.#isThere(key) && !this.has(key)
  }

  /** The value as it stands; null where there is none. */
  value(key: string): unknown {
    this.#read.add(key)
    return Object.hasOwn(this.#values, key) ? (this.#values[key] ?? null) : null
  }

  /** An integer from `least` (else 1) to `most`. `fallback` stands for a key that isn't there; without one it has to be. */
  integer(key: string, { least = 1, most = largestInteger }: Bounds, fallback?: number): number {
    const value = this.value(key)
    if (fallback !== undefined && !this.#isThere(key)) return fallback
    if (typeof value !== 'number' || !Number.isInteger(value) || value < least || value > most)
      throw this.wrong(key, `an integer from ${least} to ${most}`)
    return value
  }

  /** As `integer`, null where there is none. */
  optionalInteger(key: string, bounds: Bounds): number | null {
    return this.has(key) ? this.integer(key, bounds) : null
  }

  /** As `integer`, null where the key is null, `fallback` where it isn't there at all. */
  integerOrNull(key: string, bounds: Bounds, fallback: number | null): number | null {
    if (this.isNull(key)) return null
    return fallback === null ? this.optionalInteger(key, bounds) : this.integer(key, bounds, fallback)
  }

  /** A number above zero. */
  positive(key: string, fallback?: number): number {
    const value = this.value(key)
    if (fallback !== undefined && !this.#isThere(key)) return fallback
    if (typeof value !== 'number' || !(value > 0 && value < largestNumber)) throw this.wrong(key, 'a number above zero')
    return value
  }

  /** A number above zero; null where the key is, `fallback` where it isn't there at all. */
  positiveOrNull(key: string, fallback: number | null): number | null {
    this.#read.add(key)
    if (!this.#isThere(key)) return fallback
    return this.has(key) ? this.positive(key) : null
  }

  /** Python takes null for false. */
  boolean(key: string, fallback: boolean): boolean {
    const value = this.value(key)
    if (value === null) return this.#isThere(key) ? false : fallback
    if (typeof value !== 'boolean') throw this.wrong(key, 'true or false')
    return value
  }

  /** One of some names; `model/unsupported` for another one. */
  oneOf<T extends string>(key: string, known: readonly T[], fallback: T): T {
    const value = this.value(key)
    if (value === null) return fallback
    const found = known.find((name) => name === value)
    if (found === undefined) throw this.unsupported(key, known.map((name) => JSON.stringify(name)).join(', '))
    return found
  }

  /** A list of as many values as there are layers, each of them checked; null where there is none. */
  layerList<T>(key: string, layers: number, check: (value: unknown) => T | null, wanted: string): readonly T[] | null {
    const value = this.value(key)
    if (value === null) return null
    if (!Array.isArray(value) || value.length !== layers) throw this.wrong(key, `a list of ${layers}, one for each layer`)
    return value.map((one: unknown) => {
      const checked = check(one)
      if (checked === null)
        throw typeof one === 'string' ? this.unsupported(key, `a list of ${wanted}`) : this.wrong(key, `a list of ${wanted}`)
      return checked
    })
  }

  /** Refuses a key whose value is another than these; absent and null pass. */
  only(key: string, ...values: readonly unknown[]): void {
    const value = this.value(key)
    if (value !== null && !values.includes(value)) throw this.unsupported(key, values.map((one) => JSON.stringify(one)).join(' or '))
  }

  /** Notes keys that this architecture's sums don't depend on. */
  ignore(...keys: readonly string[]): void {
    for (const key of keys) this.#read.add(key)
  }

  /** Refuses what nobody has asked for. */
  finish(): void {
    for (const [key, values] of Object.entries(onlyValues)) {
      if (this.#read.has(key)) continue
      // An empty object prunes nothing.
      const value = this.value(key)
      if (key === 'pruned_heads' && JSON.stringify(value) === '{}') continue
      this.only(key, ...values)
    }
    const unknown = Object.keys(this.#values).filter((key) => !this.#read.has(key) && !inertKeys.has(key) && !tokenId.test(key))
    if (unknown.length > 0)
      throw new EvalError(
        'model/unsupported',
        `wanted a config.json of model type ${this.kind} of which every key is known, found ${unknown
          .slice(0, 5)
          .map((key) => JSON.stringify(key.slice(0, 80)))
          .join(', ')}${unknown.length > 5 ? ` and ${unknown.length - 5} more` : ''}: it may change what the model computes`,
        { details: { modelType: this.kind, keys: unknown.slice(0, 20).map((key) => key.slice(0, 80)) } },
      )
  }

  wrong(key: string, wanted: string): EvalError {
    return new EvalError('model/corrupt', `wanted ${wanted} for "${key}" of config.json (${this.kind}), found ${this.#printed(key)}`, {
      details: { modelType: this.kind, key },
    })
  }

  unsupported(key: string, wanted: string): EvalError {
    return new EvalError(
      'model/unsupported',
      `wanted ${wanted} for "${key}" of config.json (${this.kind}), found ${this.#printed(key)}: that isn't computed here`,
      { details: { modelType: this.kind, key } },
    )
  }

  #isThere(key: string): boolean {
    return Object.hasOwn(this.#values, key)
  }

  #printed(key: string): string {
    const value = this.#values[key]
    return value === undefined ? 'nothing' : JSON.stringify(value).slice(0, 120)
  }
}

const largestInteger = 2 ** 31 - 1
const largestNumber = 1e30
