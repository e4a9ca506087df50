/** The texts of one batch while they are written: how far each has come, and a copy of that in the store, so that a tab that dies loses a second of them. */
import type { Draft } from '../../contracts/items.ts'
import type { DraftPart } from '../../storage/store.ts'
import type { TextDrafts } from '../ports.ts'

/** Milliseconds from one write to the next; a batch that takes less is never written. */
export const keepEveryMs = 1_000

const nothing: Draft = { tokens: new Int32Array(), end: null }

interface BatchDraftsOptions {
  /** The keys of the texts' answers, in their order. */
  readonly keys: readonly string[]
  /** What is known of texts by their keys. */
  readonly known: ReadonlyMap<string, Draft>
  readonly keep: (parts: readonly DraftPart[]) => Promise<void>
  /** Told once when something couldn't be kept; nothing more is tried for this batch then, and its texts go on. */
  readonly onLoss: (error: unknown) => void
  /** Monotonic milliseconds. */
  readonly now: () => number
}

/**
 * Keeps what texts have grown by, once a second at most and beside the writing, which waits for nothing. `close` or `flush` must be called in the end,
 * before anything else is written about the batch.
 */
export class BatchDrafts implements TextDrafts {
  readonly #options: BatchDraftsOptions
  readonly #drafts: Draft[]
  /** Of each text, what the store has: its number of tokens, and whether it has ended. */
  readonly #kept: { tokens: number; hasEnded: boolean }[]
  #lastMs: number
  #timer: ReturnType<typeof setTimeout> | null = null
  #writing: Promise<void> | null = null
  #isOver = false

  constructor(options: BatchDraftsOptions) {
    this.#options = options
    this.#drafts = options.keys.map((key) => options.known.get(key) ?? nothing)
    this.#kept = this.#drafts.map(({ tokens, end }) => ({ tokens: tokens.length, hasEnded: end !== null }))
    this.#lastMs = options.now()
  }

  of(index: number): Draft {
    return this.#drafts[index] ?? nothing
  }

  grow(index: number, draft: Draft): void {
    this.#drafts[index] = draft
    this.#schedule()
  }

  /** Writes nothing more; resolves when a write that has begun is over. For a batch that is whole. */
  async close(): Promise<void> {
    this.#isOver = true
    this.#cancel()
    await this.#writing
  }

  /** Writes what hasn't been, and then nothing more. For a batch that is given up. */
  async flush(): Promise<void> {
    this.#cancel()
    await this.#writing
    if (!this.#isOver) await this.#write()
    await this.close()
  }

  #schedule(): void {
    if (this.#isOver || this.#timer !== null || this.#writing !== null) return
    this.#timer = setTimeout(
      () => {
        this.#timer = null
        this.#writing = this.#write().finally(() => {
          this.#writing = null
          // What came meanwhile.
          if (this.#growth().length > 0) this.#schedule()
        })
      },
      Math.max(0, this.#lastMs + keepEveryMs - this.#options.now()),
    )
  }

  #cancel(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  #growth(): { readonly index: number; readonly part: DraftPart }[] {
    return this.#drafts.flatMap(({ tokens, end }, index) => {
      const kept = this.#kept[index]
      const key = this.#options.keys[index]
      if (kept === undefined || key === undefined || kept.hasEnded || (end === null && tokens.length === kept.tokens)) return []
      return [{ index, part: { key, from: kept.tokens, tokens: tokens.slice(kept.tokens), end } }]
    })
  }

  async #write(): Promise<void> {
    const growth = this.#growth()
    if (growth.length === 0) return
    this.#lastMs = this.#options.now()
    try {
      await this.#options.keep(growth.map(({ part }) => part))
      for (const { index, part } of growth) this.#kept[index] = { tokens: part.from + part.tokens.length, hasEnded: part.end !== null }
    } catch (error) {
      this.#isOver = true
      this.#options.onLoss(error)
    }
  }
}

/** The same without a store: texts that an engine can go on with after another. */
export function draftsInMemory(): TextDrafts {
  const drafts = new Map<number, Draft>()
  return {
    of: (index) => drafts.get(index) ?? nothing,
    grow: (index, draft) => {
      drafts.set(index, draft)
    },
  }
}
