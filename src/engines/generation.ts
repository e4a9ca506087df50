/** Writing one text token by token on an open session. */
import { EvalError } from '../core/errors.ts'
import type { GeneratedPart, GenerationItem } from '../core/types.ts'
import { TokenChooser } from './decoding.ts'
import { runBounds, type Runner } from './reference-scoring.ts'
import { releaseCache, type KeyValueCache, type Logits } from './session.ts'

/**
 * One continuation: the prompt is prefilled once, then each token costs one run of one token over the cache, which stays where the session
 * keeps it (WebGPU: in device buffers) and is replaced by each run. A graph without a cache runs the whole text again for each token.
 *
 * The last token of a part isn't run before the next part is asked for: most often a text ends there. `release` must be called in the end.
 */
export class Generation {
  readonly #session: Runner
  readonly #item: GenerationItem
  readonly #chooser: TokenChooser
  readonly #written: number[] = []
  #cache: KeyValueCache | null = null
  #logits: Logits | null = null
  readonly #canContinue: boolean

  constructor(session: Runner, item: GenerationItem, hasCache: boolean) {
    this.#session = session
    this.#item = item
    this.#canContinue = hasCache
    this.#chooser = new TokenChooser(item.input, item.decoding)
  }

  /** Runs the prompt, in runs of at most `chunkTokens` tokens (null: in one run). */
  async prefill(chunkTokens: number | null): Promise<void> {
    const { input, decoding } = this.#item
    if (input.length === 0) throw new EvalError('engine/failed', 'wanted a prompt to write after, found one without tokens')
    if (decoding.maxNewTokens <= 0) return
    for (const [start, end] of runBounds(input.length, chunkTokens)) await this.#run(input.subarray(start, end), end === input.length)
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
      if (decoding.endTokens.includes(token)) return { tokens: Int32Array.from(part), end: 'end-token' }
    }
  }

  /** Frees the cache; nothing can be written after it. */
  release(): void {
    if (this.#cache !== null) releaseCache(this.#cache)
    this.#cache = null
    this.#logits = null
  }

  async #next(): Promise<number> {
    const last = this.#written.at(-1)
    if (last !== undefined) {
      if (this.#canContinue) await this.#run(Int32Array.of(last), true)
      else await this.#run(Int32Array.from([...this.#item.input, ...this.#written]), true)
    }
    const logits = this.#logits
    if (logits === null) throw new EvalError('internal', 'wanted the logits of the last token, found none')
    return this.#chooser.choose(logits.row(logits.rows - 1))
  }

  async #run(tokens: Int32Array, wantsLogits: boolean): Promise<void> {
    const continued = this.#cache
    this.#cache = null
    this.#logits = null
    const { cache, logits } = await this.#session.run(tokens, continued, { logits: wantsLogits ? 'last' : false, cache: this.#canContinue })
    this.#cache = cache
    this.#logits = logits
  }
}
