import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeUtf8Text } from '../../../src/data/stream/utf8.ts'

function decodeByPlatform(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Runs of characters of one to four bytes, with lengths about those of the decoder's parts. */
const texts = fc
  .array(fc.tuple(fc.constantFrom('a', '\n', '\0', 'é', '東', '\uFEFF', '\uFFFF', '😀', '\u{10FFFF}'), fc.integer({ min: 1, max: 300 })), {
    maxLength: 6,
  })
  .map((runs) => runs.map(([character, count]) => character.repeat(count)).join(''))

describe('text out of UTF-8', () => {
  it('is what was encoded, wherever characters lie', () => {
    fc.assert(
      fc.property(texts, (text) => {
        expect(decodeUtf8Text(new TextEncoder().encode(text))).toBe(text)
      }),
    )
  })

  it('keeps both halves of a character that lies across two parts', () => {
    for (let before = 250; before < 260; before++) {
      const text = `${'x'.repeat(before)}😀😀`
      expect(decodeUtf8Text(new TextEncoder().encode(text))).toBe(text)
    }
  })

  it('is refused where the platform refuses it, whatever bytes are changed', () => {
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 3 })
    fc.assert(
      fc.property(texts, changes, (text, given) => {
        const bytes = new TextEncoder().encode(text)
        for (const [at, byte] of given) if (bytes.length > 0) bytes[at % bytes.length] = byte
        expect(decodeUtf8Text(bytes)).toBe(decodeByPlatform(bytes))
      }),
      { numRuns: 500 },
    )
  })
})
