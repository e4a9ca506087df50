/** Writing one text with an engine that knows tokens and a watcher that knows stop strings. */
import type { GeneratedPart, GenerationAnswer, GenerationItem } from '../core/types.ts'
import type { TextWatcher } from './ports.ts'

/** The engine's three steps of a text. */
export interface TextEngineSteps {
  begin(item: GenerationItem): Promise<void>
  next(limit: { readonly tokens: number; readonly milliseconds: number }): Promise<GeneratedPart>
  end(): Promise<void>
}

/**
 * Tokens between two looks at the text: as many as come in a tenth of a second, so that a look (a millisecond) costs nothing beside them and
 * a text streams smoothly; never more than these, which is what a fast GPU may write beyond a stop string in vain.
 */
export const partLimit = { tokens: 16, milliseconds: 100 } as const

/**
 * Writes a text to its end. Tokens beyond a stop string are cut, so the answer doesn't depend on where parts ended. Whatever happens the
 * engine's cache is freed, and nothing is returned of a text that isn't whole.
 */
export async function writeText(item: GenerationItem, watcher: TextWatcher, engine: TextEngineSteps): Promise<GenerationAnswer> {
  let isOpen = true
  try {
    await engine.begin(item)
    watcher.begin()
    let tokens = new Int32Array()
    for (;;) {
      const seen = tokens.length
      const part = await engine.next(partLimit)
      tokens = Int32Array.from([...tokens, ...part.tokens])
      isOpen = part.end === null
      const stopAfter = await watcher.look(tokens, seen)
      if (stopAfter !== null) {
        const isLast = part.end === 'end-token' && stopAfter === tokens.length
        return { tokens: tokens.slice(0, stopAfter), end: isLast ? 'end-token' : 'stop' }
      }
      if (part.end !== null) return { tokens, end: part.end }
    }
  } finally {
    // A worker that is gone has freed it already.
    if (isOpen) await engine.end().catch(() => undefined)
  }
}
