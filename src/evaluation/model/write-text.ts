/** Writing a batch of texts with an engine that knows tokens and a watcher that knows stop strings. */
import { EvalError } from '../../base/errors.ts'
import type { GeneratedPart, GenerationAnswer, GenerationItem } from '../../contracts/items.ts'
import type { TextDrafts, TextWatcher } from '../ports.ts'
import { draftsInMemory } from './batch-drafts.ts'

/** The engine's three steps of a batch of texts. */
export interface TextEngineSteps {
  /** `written`: the tokens that each text has already. */
  begin(items: readonly GenerationItem[], written: readonly Int32Array[]): Promise<void>
  /** Null for a text that ended before. Texts `ended` are given up. */
  next(
    limit: { readonly tokens: number; readonly milliseconds: number },
    ended: readonly number[],
  ): Promise<readonly (GeneratedPart | null)[]>
  end(): Promise<void>
}

/**
 * Tokens between two looks at a text: as many as come in a tenth of a second, so that a look (a millisecond) costs nothing beside them and
 * a text streams smoothly; never more than these, which is what a fast GPU may write beyond a stop string in vain.
 */
export const partLimit = { tokens: 16, milliseconds: 100 } as const

/**
 * Writes texts from where `drafts` has them to their ends. Tokens beyond a stop string are cut, so an answer doesn't depend on where parts ended.
 * Whatever happens the engine's cache is freed, and nothing is returned of texts that aren't whole; `drafts` has what there is of them.
 */
export async function writeTexts(
  items: readonly GenerationItem[],
  watcher: TextWatcher,
  engine: TextEngineSteps,
  drafts: TextDrafts = draftsInMemory(),
): Promise<readonly GenerationAnswer[]> {
  // What goes on, in the order in which the engine has it.
  const going = items.flatMap((item, index) => (drafts.of(index).end === null ? [{ item, index }] : []))
  // Whether the engine still holds a cache.
  let isOpen = going.length > 0
  try {
    if (isOpen) {
      await engine.begin(
        going.map(({ item }) => item),
        going.map(({ index }) => drafts.of(index).tokens),
      )
      watcher.begin()
    }
    let cut: number[] = []
    while (going.some(({ index }) => drafts.of(index).end === null)) {
      const parts = await engine.next(partLimit, cut)
      cut = []
      isOpen = parts.some((part) => part !== null && part.end === null)
      for (const [place, part] of parts.entries()) {
        const index = going[place]?.index ?? -1
        const before = drafts.of(index)
        if (part === null || before.end !== null) continue
        const tokens = Int32Array.from([...before.tokens, ...part.tokens])
        const stopAfter = await watcher.look(index, tokens, before.tokens.length)
        if (stopAfter !== null) {
          const isWhole = part.end === 'end-token' && stopAfter === tokens.length
          drafts.grow(index, { tokens: tokens.slice(0, stopAfter), end: isWhole ? 'end-token' : 'stop' })
          if (part.end === null) cut.push(place)
        } else drafts.grow(index, { tokens, end: part.end })
      }
    }
    return items.map((_, index) => {
      const { tokens, end } = drafts.of(index)
      if (end === null) throw new EvalError('internal', `wanted a text for item ${index}, found none`)
      return { tokens, end }
    })
  } finally {
    // A worker that is gone has freed it already.
    if (isOpen) await engine.end().catch(() => undefined)
  }
}
