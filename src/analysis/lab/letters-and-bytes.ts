/** Where characters and bytes differ: a text character by character, and what each way of counting makes of it. */
import { flipsBetween } from './norms.ts'
import type { LabDoc } from './recorded.ts'

interface CountedCharacter {
  /** What a reader sees as one letter: a grapheme cluster. */
  readonly text: string
  /** Code points, as Python's `len` and so acc_norm count. */
  readonly codePoints: number
  /** UTF-8 bytes, as acc_bytes counts. */
  readonly bytes: number
}

/** The letters of a text with their code points and UTF-8 bytes. `language`: BCP 47, for where letters end. */
export function countCharacters(text: string, language: string): readonly CountedCharacter[] {
  const encoder = new TextEncoder()
  return [...new Intl.Segmenter(language, { granularity: 'grapheme' }).segment(text)].map(({ segment }) => ({
    text: segment,
    codePoints: [...segment].length,
    bytes: encoder.encode(segment).length,
  }))
}

interface BytesOfSet {
  readonly characters: number
  readonly bytes: number
  /** Docs, by their place, whose pick differs between acc_norm and acc_bytes. */
  readonly flips: readonly number[]
}

/** All choices of a set together. */
export function bytesOfSet(docs: readonly LabDoc[]): BytesOfSet {
  const texts = docs.flatMap(({ choices }) => choices.map(({ text }) => text))
  return {
    characters: texts.reduce((sum, text) => sum + [...text].length, 0),
    bytes: texts.reduce((sum, text) => sum + new TextEncoder().encode(text).length, 0),
    flips: flipsBetween(docs, 'acc_norm', 'acc_bytes'),
  }
}
