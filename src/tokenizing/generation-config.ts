/**
 * What a checkpoint's generation_config.json and a request's own settings make of transformers' `generate` (4.57.6:
 * `_prepare_generation_config`, `_get_logits_processor`). Settings of the request win over the checkpoint's, those over the defaults.
 */
import { EvalError, type Json, type JsonObject } from '../base/errors.ts'
import { isRecord } from '../base/guards.ts'
import type { Decoding } from '../contracts/items.ts'
import type { TokenizerFiles } from '../contracts/models.ts'
import type { GenerationKwargs } from '../harness/requests/generation-settings.ts'
import { isArray, readObject } from './tokenizer-files.ts'

/** Keys that decide tokens and are understood. */
const known = [
  'eos_token_id',
  'max_new_tokens',
  'min_length',
  'min_new_tokens',
  'repetition_penalty',
  'no_repeat_ngram_size',
  'bad_words_ids',
  'suppress_tokens',
  'begin_suppress_tokens',
  'top_k',
  'top_p',
  'min_p',
  'typical_p',
] as const

type Known = (typeof known)[number]

/** Keys that decide tokens and aren't understood, with the values that leave everything as it is. */
const foreign: { readonly [key: string]: readonly Json[] } = {
  num_beams: [1],
  num_beam_groups: [1],
  penalty_alpha: [0],
  dola_layers: [],
  guidance_scale: [1],
  sequence_bias: [],
  encoder_repetition_penalty: [1],
  encoder_no_repeat_ngram_size: [0],
  forced_bos_token_id: [],
  forced_eos_token_id: [],
  exponential_decay_length_penalty: [],
  remove_invalid_values: [false],
  epsilon_cutoff: [0],
  eta_cutoff: [0],
  watermarking_config: [],
  constraints: [],
  force_words_ids: [],
  stop_strings: [],
  max_time: [],
  num_return_sequences: [1],
  diversity_penalty: [0],
  assistant_model: [],
  prompt_lookup_num_tokens: [],
}

/** Keys that change no token: how things are computed, or what beams would need. */
const harmless: readonly string[] = [
  'bos_token_id',
  'pad_token_id',
  'decoder_start_token_id',
  'use_cache',
  'cache_implementation',
  'cache_config',
  'renormalize_logits',
  'early_stopping',
  'length_penalty',
  'output_scores',
  'output_logits',
  'output_attentions',
  'output_hidden_states',
  'return_dict_in_generate',
  'return_legacy_cache',
  'prefill_chunk_size',
  'low_memory',
  'disable_compile',
  'synced_gpus',
  'do_sample',
  'temperature',
  'max_length',
]

/** The checkpoint's settings that count when a request doesn't give them. */
export interface GenerationDefaults {
  readonly values: { readonly [key in Known]?: Json }
  /** A setting that can't be followed, and its value; null = none. */
  readonly refused: readonly [key: string, value: Json] | null
}

/**
 * Reads generation_config.json; without one, the same keys of config.json count, as transformers has it. Throws `tokenizer/broken` when the
 * file is no JSON object.
 */
export function readGenerationDefaults({
  generationConfig,
  config,
}: Pick<TokenizerFiles, 'generationConfig' | 'config'>): GenerationDefaults {
  const source =
    generationConfig === null ? withTextConfig(readObject(config, 'config.json')) : readObject(generationConfig, 'generation_config.json')
  const values: { [key in Known]?: Json } = {}
  for (const key of known) {
    const value = source[key] ?? null
    if (value !== null) values[key] = value
  }
  const refused = Object.keys(foreign).find((key) => !isNeutral(key, source[key] ?? null))
  return { values, refused: refused === undefined ? null : [refused, source[refused] ?? null] }
}

function withTextConfig(config: JsonObject): JsonObject {
  return isRecord(config['text_config']) ? { ...config['text_config'], ...config } : config
}

function isNeutral(key: string, value: Json): boolean {
  return value === null || (foreign[key] ?? []).includes(value)
}

/**
 * How a request is decoded after a prompt of `promptTokens`. Throws `task/unsupported` for a setting that is known to transformers and not
 * here, `task/invalid` for one that is known to neither or has a wrong value, `model/unsupported` when the checkpoint asks for it.
 */
export function decodingOf(kwargs: GenerationKwargs, defaults: GenerationDefaults, promptTokens: number, seed: number): Decoding {
  const { others } = kwargs
  for (const [key, value] of Object.entries(others)) {
    if (known.some((one) => one === key) || harmless.includes(key)) continue
    if (!(key in foreign)) throw invalid(key, 'a setting of generate()', value)
    if (!isNeutral(key, value))
      throw new EvalError(
        'task/unsupported',
        `generation_kwargs '${key}' is ${JSON.stringify(value)}, which isn't supported here: texts are written greedily or sampled.`,
        { details: { key } },
      )
  }
  if (defaults.refused !== null && !(defaults.refused[0] in others)) {
    const [key, value] = defaults.refused
    throw new EvalError(
      'model/unsupported',
      `The model's generation_config asks for ${key} ${JSON.stringify(value)}, which isn't supported here.`,
      { details: { key } },
    )
  }
  const values: { readonly [key: string]: Json } = { ...defaults.values, ...others }
  const number = (key: Known, fallback: number): number => readNumber(values, key) ?? fallback
  const endTokens = readTokens(values, 'eos_token_id')
  const minNewTokens = readNumber(values, 'min_new_tokens') ?? Math.max(0, number('min_length', 0) - promptTokens)
  return {
    maxNewTokens: number('max_new_tokens', kwargs.maxLength === null ? kwargs.maxGenToks : kwargs.maxLength - promptTokens),
    minNewTokens,
    endTokens,
    repetitionPenalty: number('repetition_penalty', 1),
    noRepeatNgramSize: number('no_repeat_ngram_size', 0),
    badWords: readTokenLists(values, 'bad_words_ids').filter((words) => words.length !== 1 || !endTokens.includes(words[0] ?? -1)),
    suppressTokens: readTokens(values, 'suppress_tokens'),
    beginSuppressTokens: readTokens(values, 'begin_suppress_tokens'),
    sampling: kwargs.doSample
      ? {
          temperature: kwargs.temperature,
          // The default of transformers.
          topK: number('top_k', 50),
          topP: number('top_p', 1),
          minP: readNumber(values, 'min_p'),
          typicalP: number('typical_p', 1),
          seed,
        }
      : null,
  }
}

function readNumber(values: { readonly [key: string]: Json }, key: Known): number | null {
  const value = values[key] ?? null
  if (value === null) return null
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) throw invalid(key, 'a number', value)
  return number
}

function readTokens(values: { readonly [key: string]: Json }, key: Known): readonly number[] {
  const value = values[key] ?? null
  if (value === null) return []
  const list: readonly Json[] = isArray(value) ? value : [value]
  return list.map((token) => {
    if (typeof token !== 'number' || !Number.isInteger(token)) throw invalid(key, 'token ids', value)
    return token
  })
}

function readTokenLists(values: { readonly [key: string]: Json }, key: Known): readonly (readonly number[])[] {
  const value = values[key] ?? null
  if (value === null) return []
  if (!isArray(value)) throw invalid(key, 'lists of token ids', value)
  return value.map((list) => readTokens({ [key]: list }, key))
}

function invalid(key: string, wanted: string, found: Json): EvalError {
  return new EvalError('task/invalid', `generation_kwargs '${key}': wanted ${wanted}, found ${JSON.stringify(found)}`, { details: { key } })
}
