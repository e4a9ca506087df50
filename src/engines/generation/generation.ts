/** Writing one text token by token on an open session. */
import { EvalError } from '../../base/errors.ts'
import type { Decoding, GeneratedPart, GenerationItem } from '../../contracts/items.ts'
import type { Logits } from '../logits.ts'
import { runBounds } from '../scoring/reference-scoring.ts'
import { chainPass } from '../scoring/tree-pass.ts'
import { releaseCache, type DecoderSession, type KeyValueCache } from '../session.ts'
import { TokenChooser } from './decoding.ts'

/** The part of a session that writing uses. */
export type Writer = Pick<DecoderSession, 'run' | 'runRows' | 'cut' | 'facts'>

/**
 * One continuation: the prompt is prefilled once, then each token costs one pass of one token over the cache, which stays where the session
 * keeps it (WebGPU: in device buffers) and is replaced by each pass. A graph without a cache runs the whole text again for each token. On a rewritten graph one row is
 * projected, and of a greedy text without penalties only the token's id comes back.
 *
 * The last token of a part isn't run before the next part is asked for: most often a text ends there. `release` must be called in the end.
 *
 * A text that was cut off goes on after the tokens `written`, which are read like the prompt. A graph that quantises activations over a whole pass
 * reads them one by one, as they were written: there, what shares a pass changes more than last digits.
 */
export class Generation {
  readonly #session: Writer
  readonly #item: GenerationItem
  readonly #chooser: TokenChooser
  readonly #written: number[]
  /** The last token that was written, where it hasn't been run. */
  #unread: number | null = null
  #cache: KeyValueCache | null = null
  #logits: Logits | null = null
  /** The next token, where the graph chose it. */
  #chosen: number | null = null
  readonly #canContinue: boolean
  readonly #isChosenByGraph: boolean

  constructor(session: Writer, item: GenerationItem, written: Int32Array = new Int32Array()) {
    this.#session = session
    this.#item = item
    this.#written = [...written]
    this.#canContinue = session.facts.cache.length > 0
    this.#isChosenByGraph = session.cut !== null && isPlainlyGreedy(item.decoding)
    this.#chooser = new TokenChooser(item.input, item.decoding, written)
  }

  /** Runs the prompt, and what was written before, after `kept`, which stays, in passes of at most `chunkTokens` tokens (null: in one pass). */
  async prefill(chunkTokens: number | null, kept: KeyValueCache | null): Promise<void> {
    const { input, decoding } = this.#item
    if (input.length === 0) throw new EvalError('engine/failed', 'wanted a prompt to write after, found one without tokens')
    if (decoding.maxNewTokens <= 0) return
    const done = kept?.tokens ?? 0
    const text = Int32Array.from([...input, ...this.#written])
    const isOneByOne = this.#canContinue && this.#session.facts.isDynamicallyQuantised
    const together = isOneByOne ? input.length : text.length
    for (const [start, end] of runBounds(together - done, chunkTokens))
      await this.#run(text.subarray(done + start, done + end), done + end === text.length, start === 0 ? kept : null)
    for (let at = together; at < text.length; at += 1) await this.#run(text.subarray(at, at + 1), at + 1 === text.length, null)
  }

  /** Writes at least one token, and goes on until the text ends, `tokens` are written, or `milliseconds` have passed. */
  async write({ tokens, milliseconds }: { readonly tokens: number; readonly milliseconds: number }): Promise<GeneratedPart> {
    const { decoding } = this.#item
    const startMs = performance.now()
    const part: number[] = []
    for (;;) {
      if (this.#written.length >= decoding.maxNewTokens) return { tokens: Int32Array.from(part), end: 'length' }
      if (part.length > 0 && (part.length >= tokens || performance.now() - startMs >= milliseconds))
        return { tokens: Int32Array.from(part), end: null }
      const token = await this.#next()
      part.push(token)
      this.#written.push(token)
      this.#unread = token
      if (decoding.endTokens.includes(token)) return { tokens: Int32Array.from(part), end: 'end-token' }
    }
  }

  /** Frees the cache; nothing can be written after it. */
  release(): void {
    if (this.#cache !== null) releaseCache(this.#cache)
    this.#cache = null
    this.#logits = null
    this.#chosen = null
  }

  async #next(): Promise<number> {
    const last = this.#unread
    if (last !== null) {
      if (this.#canContinue) await this.#run(Int32Array.of(last), true, null)
      else await this.#run(Int32Array.from([...this.#item.input, ...this.#written]), true, null)
      this.#unread = null
    }
    if (this.#chosen !== null) return this.#chosen
    const logits = this.#logits
    if (logits === null) throw new EvalError('internal', 'wanted the logits of the last token, found none')
    return this.#chooser.choose(logits.row(logits.rows - 1))
  }

  /** `kept` is a cache to begin with that isn't ours to free. */
  async #run(tokens: Int32Array, isLast: boolean, kept: KeyValueCache | null): Promise<void> {
    const continued = this.#cache
    this.#cache = null
    this.#logits = null
    this.#chosen = null
    if (this.#session.cut === null) {
      const outcome = await this.#session.run(tokens, continued, { logits: isLast ? 'last' : false, cache: this.#canContinue })
      this.#cache = outcome.cache
      this.#logits = outcome.logits
      return
    }
    try {
      await this.#runCut(tokens, isLast, continued ?? kept)
    } finally {
      if (continued !== null) releaseCache(continued)
    }
  }

  async #runCut(tokens: Int32Array, isLast: boolean, past: KeyValueCache | null): Promise<void> {
    const chain = chainPass(tokens, past?.tokens ?? 0)
    const row = { rows: Int32Array.of(tokens.length - 1), owners: Int32Array.of(0), targets: Int32Array.of(0) }
    const {
      cache,
      logits,
      tokens: chosen,
      logprobs,
    } = await this.#session.runRows(isLast ? { ...chain, ...row } : chain, past, {
      cache: this.#canContinue,
      tokens: isLast && this.#isChosenByGraph,
      logits: isLast && !this.#isChosenByGraph,
    })
    this.#cache = cache
    this.#logits = logits
    if (!isLast || !this.#isChosenByGraph) return
    // Any token's log-probability tells whether the row's logits are numbers.
    if (chosen[0] === undefined || Number.isNaN(logprobs[0] ?? NaN))
      throw new EvalError('engine/nonfinite', 'wanted finite logits for the next token, found some that are no numbers')
    this.#chosen = chosen[0]
  }
}

/** The next token is the largest logit's, whatever was written. */
export function isPlainlyGreedy(decoding: Decoding): boolean {
  return (
    decoding.sampling === null &&
    decoding.repetitionPenalty === 1 &&
    decoding.noRepeatNgramSize === 0 &&
    decoding.badWords.length === 0 &&
    decoding.minNewTokens === 0 &&
    decoding.suppressTokens.length === 0 &&
    decoding.beginSuppressTokens.length === 0
  )
}
