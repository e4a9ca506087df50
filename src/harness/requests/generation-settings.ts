/** Settings of `generate_until` requests, and what is made of the generated text. lm_eval 0.4.13, models/utils.py and HFLM. */
import { EvalError, type Json } from '../../base/errors.ts'
import { lstrip } from '../../python/string.ts'

/** `generation_kwargs` as the harness's hf backend understands them. */
export interface GenerationKwargs {
  /** Stop strings in the order of the task, without the EOS text. */
  readonly until: readonly string[]
  readonly maxGenToks: number
  readonly doSample: boolean
  /** Positive when sampling. */
  readonly temperature: number
  /** In place of context and `maxGenToks`: prompt and continuation together. Null = not given. */
  readonly maxLength: number | null
  /** Everything else: handed to `generate` as it is. */
  readonly others: { readonly [key: string]: Json }
}

/** HFLM.max_gen_toks. */
const defaultMaxGenToks = 256
const lengthKeys = ['max_gen_toks', 'max_new_tokens', 'max_tokens', 'max_completion_tokens'] as const
const ownKeys: readonly string[] = [...lengthKeys, 'until', 'do_sample', 'temperature', 'max_length']

/**
 * Normalises `generation_kwargs`: a single stop string counts as a list, the first of four names gives the length, and sampling is on when
 * a temperature above 0 is given or `do_sample` says so. Throws `task/invalid` for what the harness or transformers would refuse.
 * Source: `normalize_gen_kwargs`, `handle_stop_sequences`, `HFLM._model_generate`.
 */
export function readGenerationKwargs(kwargs: { readonly [key: string]: Json }): GenerationKwargs {
  const maxGenToks = lengthKeys.map((key) => readNumber(kwargs, key)).find((value) => value !== null) ?? defaultMaxGenToks
  const doSample = readFlag(kwargs, 'do_sample')
  const given = readNumber(kwargs, 'temperature') ?? 0
  const temperature = doSample === false ? 0 : given
  const samples = doSample ?? temperature > 0
  if (samples && !(temperature > 0))
    throw invalid('temperature', 'a number above 0, since do_sample is true', kwargs['temperature'] ?? null)
  return {
    until: readUntil(kwargs['until']),
    maxGenToks: Math.trunc(maxGenToks),
    doSample: samples,
    temperature,
    maxLength: readNumber(kwargs, 'max_length'),
    others: Object.fromEntries(Object.entries(kwargs).filter(([key]) => !ownKeys.includes(key))),
  }
}

/** What a user should know of these settings before believing the texts; the harness logs the same. */
export function generationWarnings(kwargs: { readonly [key: string]: Json }): readonly string[] {
  const given = lengthKeys.filter((key) => (kwargs[key] ?? null) !== null)
  const temperature = readNumber(kwargs, 'temperature') ?? 0
  return [
    ...(kwargs['do_sample'] === false && temperature !== 0
      ? [
          `generation_kwargs: do_sample is false, so the temperature of ${temperature} counts as 0 and texts are greedy; sampling wants do_sample=true.`,
        ]
      : []),
    ...(given.length > 1 ? [`generation_kwargs: ${given.join(', ')} are given; ${given[0] ?? ''} counts.`] : []),
  ]
}

/** The stop strings of a request with the EOS text as the last, unless it is among them. */
export function withEos(until: readonly string[], eos: string | null): readonly string[] {
  return eos === null || until.includes(eos) ? until : [...until, eos]
}

/**
 * What counts of a generated text: what follows the last end of thinking, if one is given, and of that what comes before the stop strings,
 * cut one after the other in their order (so not at the first to occur). Source: `postprocess_generated_text`.
 */
export function cutGeneration(text: string, stops: readonly string[], thinkEnd: string | null): string {
  let rest = text
  if (thinkEnd !== null && thinkEnd !== '')
    rest = lstrip(rest.slice(rest.lastIndexOf(thinkEnd) < 0 ? 0 : rest.lastIndexOf(thinkEnd) + thinkEnd.length))
  for (const stop of stops) {
    const at = stop === '' ? -1 : rest.indexOf(stop)
    if (at >= 0) rest = rest.slice(0, at)
  }
  return rest
}

function readUntil(value: Json | undefined): readonly string[] {
  if (value === undefined) return []
  const list: readonly Json[] = Array.isArray(value) ? value : [value] // Array.isArray doesn't narrow readonly arrays away.
  return list.map((stop) => {
    if (typeof stop !== 'string') throw invalid('until', 'a text or a list of texts', value)
    return stop
  })
}

function readNumber(kwargs: { readonly [key: string]: Json }, key: string): number | null {
  const value = kwargs[key] ?? null
  if (value === null) return null
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) throw invalid(key, 'a number', value)
  return number
}

function readFlag(kwargs: { readonly [key: string]: Json }, key: string): boolean | null {
  const value = kwargs[key] ?? null
  if (value === null || typeof value === 'boolean') return value
  if (value === 0 || value === 1) return value === 1
  throw invalid(key, 'true or false', value)
}

function invalid(key: string, wanted: string, found: Json): EvalError {
  return new EvalError('task/invalid', `generation_kwargs '${key}': wanted ${wanted}, found ${JSON.stringify(found)}`, { details: { key } })
}
