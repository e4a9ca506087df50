/** Writing a batch of texts with an engine that knows tokens and a watcher that knows stop strings. */
import { EvalError } from '../../base/errors.ts'
import type { GeneratedPart, GenerationAnswer, GenerationItem } from '../../contracts/items.ts'
import type { TextWatcher } from '../ports.ts'

/** The engine's three steps of a batch of texts. */
export interface TextEngineSteps {
  begin(items: readonly GenerationItem[]): Promise<void>
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
 * Writes texts to their ends. Tokens beyond a stop string are cut, so an answer doesn't depend on where parts ended. Whatever happens the
 * engine's cache is freed, and nothing is returned of texts that aren't whole.
 */
export async function writeTexts(
  items: readonly GenerationItem[],
  watcher: TextWatcher,
  engine: TextEngineSteps,
): Promise<readonly GenerationAnswer[]> {
  const answers = new Map<number, GenerationAnswer>()
  const written = items.map(() => new Int32Array())
  // Whether the engine still holds a cache.
  let isOpen = true
  try {
    await engine.begin(items)
    watcher.begin()
    let cut: number[] = []
    while (answers.size < items.length) {
      const parts = await engine.next(partLimit, cut)
      cut = []
      isOpen = parts.some((part) => part !== null && part.end === null)
      for (const [index, part] of parts.entries()) {
        if (part === null || answers.has(index)) continue
        const seen = written[index]?.length ?? 0
        const tokens = Int32Array.from([...(written[index] ?? []), ...part.tokens])
        written[index] = tokens
        const stopAfter = await watcher.look(index, tokens, seen)
        if (stopAfter !== null) {
          const isWhole = part.end === 'end-token' && stopAfter === tokens.length
          answers.set(index, { tokens: tokens.slice(0, stopAfter), end: isWhole ? 'end-token' : 'stop' })
          if (part.end === null) cut.push(index)
        } else if (part.end !== null) answers.set(index, { tokens, end: part.end })
      }
    }
    return items.map((_, index) => {
      const answer = answers.get(index)
      if (answer === undefined) throw new EvalError('internal', `wanted a text for item ${index}, found none`)
      return answer
    })
  } finally {
    // A worker that is gone has freed it already.
    if (isOpen) await engine.end().catch(() => undefined)
  }
}
