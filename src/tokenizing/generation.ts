/** From a `generate_until` request to token ids, and from written tokens to text. lm_eval 0.4.13, HFLM.generate_until and its helpers. */
import { EvalError, type Json } from '../base/errors.ts'
import { isRecord } from '../base/guards.ts'
import type { GenerationLook } from '../contracts/built-task.ts'
import type { GenerationItem } from '../contracts/items.ts'
import { cutGeneration, readGenerationKwargs, withEos } from '../harness/requests/generation-settings.ts'
import { lstrip } from '../python/string.ts'
import { decodingOf, type GenerationDefaults } from './generation-config.ts'
import type { Tokenizer } from './tokenizer.ts'

/** What a model's files and the model arguments say about generation. */
export interface GenerationModel {
  readonly tokenizer: Tokenizer
  readonly defaults: GenerationDefaults
  /** `think_end_token`: a text, or a token id. */
  readonly thinkEnd: string | number | null
  /** Further names for the chat template: `chat_template_args`, and `enable_thinking`. */
  readonly templateArgs: { readonly [name: string]: Json }
}

/**
 * The model arguments about thinking. A `think_end_token` of digits is a token id. Throws `settings/invalid` when thinking is enabled without
 * one, as the harness does. Source: HFLM.__init__.
 */
export function readThinking(modelArgs: { readonly [key: string]: Json }): Pick<GenerationModel, 'thinkEnd' | 'templateArgs'> {
  const thinkEnd = readThinkEnd(modelArgs['think_end_token'] ?? null)
  const enabled = modelArgs['enable_thinking'] ?? null
  if (enabled === true && thinkEnd === null)
    throw new EvalError('settings/invalid', 'enable_thinking=True in the model arguments wants think_end_token too, found none')
  const given = modelArgs['chat_template_args'] ?? {}
  if (!isRecord(given)) throw new EvalError('settings/invalid', `chat_template_args: wanted a mapping, found ${JSON.stringify(given)}`)
  return { thinkEnd, templateArgs: { ...given, ...(enabled === null ? {} : { enable_thinking: enabled }) } }
}

function readThinkEnd(value: Json): string | number | null {
  if (typeof value === 'string') return /^\d+$/.test(value) ? Number(value) : value
  return typeof value === 'number' ? value : null
}

/** A request as the engine gets it, and how many tokens of its context were cut. */
interface EncodedGeneration {
  readonly item: GenerationItem
  readonly cutTokens: number
}

/**
 * The item of a request: its context with the special tokens that a batch of one gets, cut from the left to `max_length - max_gen_toks`.
 * Throws `settings/invalid` when no room is left for the context, and as `readGenerationKwargs` and `decodingOf`.
 */
export function encodeGeneration(
  model: GenerationModel,
  context: string,
  kwargs: { readonly [key: string]: Json },
  seed: number,
): EncodedGeneration {
  const { tokenizer, defaults } = model
  const settings = readGenerationKwargs(kwargs)
  const room = tokenizer.maxLength - settings.maxGenToks
  if (room <= 0)
    throw new EvalError(
      'settings/invalid',
      `wanted max_gen_toks below the model's window of ${tokenizer.maxLength} tokens, found ${settings.maxGenToks}`,
      {
        details: { maxGenToks: settings.maxGenToks, maxLength: tokenizer.maxLength },
      },
    )
  const startsWithBos = tokenizer.bos !== null && context.startsWith(tokenizer.bos[0])
  const whole = tokenizer.encode(context, { addSpecialTokens: !startsWithBos && tokenizer.addsSpecialTokens })
  const tokens = whole.slice(-room)
  if (tokens.length === 0)
    throw new EvalError('engine/failed', 'A context leaves no token to write after; the harness can’t generate from it either.')
  const decoding = decodingOf(settings, defaults, tokens.length, seed)
  if (settings.maxLength !== null && decoding.maxNewTokens <= 0)
    throw new EvalError(
      'task/invalid',
      `generation_kwargs 'max_length': wanted more than the prompt's ${tokens.length} tokens, found ${settings.maxLength}`,
    )
  const item = { input: Int32Array.from(tokens), stops: withEos(settings.until, eosText(tokenizer)), decoding }
  return { item, cutTokens: whole.length - tokens.length }
}

/** The EOS token as text, special tokens kept. */
function eosText(tokenizer: Tokenizer): string | null {
  return tokenizer.eos === null ? null : tokenizer.decode([tokenizer.eos[1]])
}

/**
 * What counts of written tokens: those after the last end of thinking where that is a token, decoded without special tokens, and cut at the
 * stop strings in their order.
 */
export function textOfGeneration({ tokenizer, thinkEnd }: GenerationModel, tokens: Int32Array, stops: readonly string[]): string {
  const ids = [...tokens]
  const from = typeof thinkEnd === 'number' ? ids.lastIndexOf(thinkEnd) + 1 : 0
  const decoded = tokenizer.decode(ids.slice(from), { skipSpecialTokens: true })
  const text = typeof thinkEnd === 'number' ? lstrip(decoded) : decoded
  return cutGeneration(text, stops, typeof thinkEnd === 'string' ? thinkEnd : null)
}

/** Tokens of a text that is being written which are shown. */
const tailTokens = 160

/**
 * Looks for stop strings token by token as the harness does: each in the text of the last tokens, two more than the stop string itself has
 * (`MultiTokenEOSCriteria`, special tokens kept). Remembers how many tokens a stop string has.
 */
export class StopSequenceMatcher {
  readonly #tokenizer: Tokenizer
  readonly #lengths = new Map<string, number>()

  constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer
  }

  look(tokens: Int32Array, seen: number, stops: readonly string[]): GenerationLook {
    const ids = [...tokens]
    const stopAfter = this.#firstStop(ids, seen, stops)
    return {
      stopAfter,
      tail: this.#tokenizer.decode(ids.slice(0, stopAfter ?? ids.length).slice(-tailTokens), { skipSpecialTokens: true }),
    }
  }

  #firstStop(ids: readonly number[], seen: number, stops: readonly string[]): number | null {
    for (let count = seen + 1; count <= ids.length; count += 1) {
      // Most stop strings look back equally far.
      const texts = new Map<number, string>()
      const hit = stops.some((stop) => {
        const back = this.#tokensOf(stop) + 2
        const text = texts.get(back) ?? this.#tokenizer.decode(ids.slice(Math.max(0, count - back), count))
        texts.set(back, text)
        return text.includes(stop)
      })
      if (hit) return count
    }
    return null
  }

  #tokensOf(stop: string): number {
    const known = this.#lengths.get(stop)
    if (known !== undefined) return known
    const count = this.#tokenizer.encode(stop, { addSpecialTokens: false }).length
    this.#lengths.set(stop, count)
    return count
  }
}
