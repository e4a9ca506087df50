/** Writing several texts at once: each pass holds one token of every text that still goes on. */
import { EvalError } from '../../base/errors.ts'
import type { GeneratedPart, GenerationItem } from '../../contracts/items.ts'
import { mostTextsTogether } from '../../planning/token-tree.ts'
import { layOutTree, type Readers } from '../scoring/tree-pass.ts'
import { releaseCache, type KeyValueCache, type ScoringPassOutcome } from '../session.ts'
import { TokenChooser } from './decoding.ts'
import { isPlainlyGreedy, type Writer } from './generation.ts'

interface Text {
  readonly item: GenerationItem
  /** The prompt, and what was written of the text before it was cut off. */
  readonly read: Int32Array
  readonly chooser: TokenChooser
  readonly bit: number
  written: number
  /** Written, but not run yet. */
  unread: number | null
  /** Chosen, but not handed out yet. */
  next: number | null
  isOpen: boolean
}

/**
 * Texts that begin with the same kept prefix, on a rewritten graph whose mask is given from outside: their tokens stand in one cache, behind each other, and each
 * sees its own text's alone. A run of eight tokens costs hardly more than one of a single token where reading the weights is what takes the time.
 *
 * Tokens of a text that has ended stay in the cache, unseen. `release` must be called in the end.
 */
export class BatchedGeneration {
  readonly #session: Writer
  readonly #texts: readonly Text[]
  readonly #isChosenByGraph: boolean
  #cache: KeyValueCache | null = null
  /** Of each token of the cache, which texts read it. */
  #readers = new Uint8Array(0)
  /** Of each token of the cache, its place in its text. */
  #positions = new Int32Array(0)

  /**
   * `written`: what a text begins with that was cut off, in the order of the items; absent: none. Throws `internal` for a graph without an own
   * mask, and for more texts than `mostTextsTogether`.
   */
  constructor(session: Writer, items: readonly GenerationItem[], written: readonly Int32Array[] = []) {
    if (session.cut?.packing === null || session.cut === null || items.length > mostTextsTogether)
      throw new EvalError('internal', `wanted at most ${mostTextsTogether} texts and a graph that packs, found ${items.length} texts`)
    this.#session = session
    this.#isChosenByGraph = items.every(({ decoding }) => isPlainlyGreedy(decoding))
    this.#texts = items.map((item, index) => ({
      item,
      read: Int32Array.from([...item.input, ...(written[index] ?? [])]),
      chooser: new TokenChooser(item.input, item.decoding, written[index]),
      bit: 1 << index,
      written: written[index]?.length ?? 0,
      unread: null,
      next: null,
      isOpen: true,
    }))
  }

  /** Runs the prompts, and what was written before, after `kept`, which stays and which all of them begin with, in passes of at most `runTokens` tokens. */
  async prefill(runTokens: number, kept: KeyValueCache | null): Promise<void> {
    if (this.#texts.some(({ item }) => item.input.length === 0))
      throw new EvalError('engine/failed', 'wanted a prompt to write after, found one without tokens')
    const done = kept?.tokens ?? 0
    // Of each the last row is wanted.
    const tree = layOutTree(
      this.#texts.map(({ read }) => ({ input: read, targets: [Int32Array.of(0)] })),
      done,
    )
    const ends = this.#texts.map((_, index) => tree.rows[tree.owners[tree.where[index]?.[0] ?? -1] ?? -1] ?? -1)
    const readers = new Uint8Array(tree.tokens.length)
    this.#texts.forEach(({ bit }, index) => {
      for (let at = ends[index] ?? -1; at >= 0; at = tree.parents[at] ?? -1) readers[at] = (readers[at] ?? 0) | bit
    })
    this.#readers = new Uint8Array(done).fill(0xff)
    this.#positions = Int32Array.from({ length: done }, (_, at) => at)
    for (let start = 0; start < tree.tokens.length; start += runTokens) {
      const end = Math.min(tree.tokens.length, start + runTokens)
      const texts = this.#texts.filter((_, index) => (ends[index] ?? -1) >= start && (ends[index] ?? -1) < end)
      const rows = texts.map((text) => (ends[this.#texts.indexOf(text)] ?? 0) - start)
      await this.#run(
        { tokens: tree.tokens.subarray(start, end), positions: tree.positions.subarray(start, end), readers: readers.subarray(start, end) },
        { texts, rows },
        start === 0 ? kept : null,
      )
    }
  }

  /**
   * Goes on with every text, one token at least, until all have ended, each has got `tokens` more, or `milliseconds` have passed. What each got, in the
   * order of the items; null for one that had ended before.
   */
  async write({ tokens, milliseconds }: { readonly tokens: number; readonly milliseconds: number }): Promise<(GeneratedPart | null)[]> {
    const startMs = performance.now()
    const going = this.#texts.filter(({ isOpen }) => isOpen)
    const parts = new Map(going.map((text) => [text, { tokens: [] as number[], end: null as GeneratedPart['end'] }]))
    for (let steps = 0; ; steps += 1) {
      const open = going.filter(({ isOpen }) => isOpen)
      if (open.length === 0 || (steps > 0 && (steps >= tokens || performance.now() - startMs >= milliseconds))) break
      await this.#readUnread(open)
      for (const text of open) {
        const part = parts.get(text)
        if (part !== undefined) part.end = this.#hand(text, part.tokens)
      }
    }
    return this.#texts.map((text) => {
      const part = parts.get(text)
      return part === undefined ? null : { tokens: Int32Array.from(part.tokens), end: part.end }
    })
  }

  /** Whether a text still goes on. */
  get isOpen(): boolean {
    return this.#texts.some(({ isOpen }) => isOpen)
  }

  /** Text `index` takes no part any more. */
  end(index: number): void {
    const text = this.#texts[index]
    if (text !== undefined) text.isOpen = false
  }

  /** Frees the cache; nothing can be written after it. */
  release(): void {
    if (this.#cache !== null) releaseCache(this.#cache)
    this.#cache = null
    for (const text of this.#texts) text.isOpen = false
  }

  /** Hands a text's next token out, and says whether it ends the text. */
  #hand(text: Text, part: number[]): GeneratedPart['end'] {
    const { endTokens, maxNewTokens } = text.item.decoding
    if (text.written < maxNewTokens) {
      const token = text.next
      if (token === null) throw new EvalError('internal', 'wanted the next token of a text, found none')
      part.push(token)
      text.written += 1
      text.next = null
      text.unread = token
      if (endTokens.includes(token)) text.isOpen = false
      if (!text.isOpen) return 'end-token'
      if (text.written < maxNewTokens) return null
    }
    text.isOpen = false
    return 'length'
  }

  /** Runs the tokens that were handed out last. */
  async #readUnread(open: readonly Text[]): Promise<void> {
    const texts = open.filter(({ unread }) => unread !== null)
    if (texts.length === 0) return
    await this.#run(
      {
        tokens: Int32Array.from(texts, ({ unread }) => unread ?? 0),
        positions: Int32Array.from(texts, ({ item, written }) => item.input.length + written - 1),
        readers: Uint8Array.from(texts, ({ bit }) => bit),
      },
      { texts, rows: texts.map((_, row) => row) },
      null,
    )
    for (const text of texts) text.unread = null
  }

  /** `kept` is a cache to begin with that isn't ours to free. Row i of `rows` is the one after which text i of `texts` goes on. */
  async #run(
    piece: { readonly tokens: Int32Array; readonly positions: Int32Array; readonly readers: Uint8Array },
    { texts, rows: rowOfText }: { readonly texts: readonly Text[]; readonly rows: readonly number[] },
    kept: KeyValueCache | null,
  ): Promise<void> {
    const continued = this.#cache
    this.#cache = null
    const rows = Int32Array.from(new Set(rowOfText)).sort()
    const readers: Readers = { cache: this.#readers, positions: this.#positions, run: piece.readers }
    try {
      const outcome = await this.#session.runRows(
        {
          tokens: piece.tokens,
          positions: piece.positions,
          readers,
          rows,
          // Any token's log-probability tells whether a row's logits are numbers.
          owners: rows.map((_, row) => row),
          targets: new Int32Array(rows.length),
        },
        continued ?? kept,
        { cache: true, tokens: rows.length > 0 && this.#isChosenByGraph, logits: rows.length > 0 && !this.#isChosenByGraph },
      )
      this.#cache = outcome.cache
      this.#readers = Uint8Array.from([...this.#readers, ...piece.readers])
      this.#positions = Int32Array.from([...this.#positions, ...piece.positions])
      texts.forEach((text, index) => {
        text.next = this.#choose(text, outcome, rows.indexOf(rowOfText[index] ?? -1))
      })
    } finally {
      if (continued !== null) releaseCache(continued)
    }
  }

  #choose({ chooser }: Text, { tokens, logprobs, logits }: ScoringPassOutcome, row: number): number {
    // A row may be two texts', and choosing changes it.
    if (logits !== null) return chooser.choose(logits.row(row).slice())
    const token = tokens[row]
    if (token === undefined || Number.isNaN(logprobs[row] ?? NaN))
      throw new EvalError('engine/nonfinite', 'wanted finite logits for the next token, found some that are no numbers')
    return token
  }
}
