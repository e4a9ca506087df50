/** What the `tokenizers` library knows of Unicode, of every character. Golden: tests/make-goldens/probe_unicode.py. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { normalizeAsPython, RegExpOf16 } from '../../src/tokenizing/python-unicode.ts'
import { isLong } from '../support/long.ts'

// Our own script wrote the file.
const golden = JSON.parse(readFileSync(new URL('../goldens/unicode/unicode.json', import.meta.url), 'utf8')) as {
  readonly classes: { readonly [name: string]: readonly number[] }
  readonly forms: { readonly [form: string]: string }
}

const characters = Array.from({ length: 0x110000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code))
const planeOf = (character: string): number => (character.codePointAt(0) ?? 0) >> 16
/** The planes of which the engine, and so whoever asks it, knows no character: ten of seventeen, with nothing to get wrong. */
const knownPlanes = new Set(characters.filter((character) => /\P{Cn}/u.test(character)).map(planeOf))
const isTried = (character: string): boolean => isLong || knownPlanes.has(planeOf(character))

/** First and last code points, in pairs, of characters in their order. */
function rangesOf(runs: readonly string[]): readonly number[] {
  const ranges: number[] = []
  for (const character of runs.join('')) {
    const code = character.codePointAt(0) ?? 0
    if (ranges.at(-1) === code - 1) ranges[ranges.length - 1] = code
    else ranges.push(code, code)
  }
  return ranges
}

describe.each(Object.entries(golden.classes))('the class %s', (name, ranges) => {
  test('holds the characters that it holds in Python', () => {
    const text = (name === 'Cn' ? characters : characters.filter(isTried)).join('')
    // In runs: a match of its own for each character would take most of the time.
    const property = new RegExpOf16(name === 'Han' ? '\\p{Script=Han}+' : `\\p{${name}}+`, 'gu')
    expect(rangesOf(text.match(property) ?? [])).toEqual(ranges)
  })
})

test.each(['NFC', 'NFD', 'NFKC', 'NFKD'] as const)('%s of every character, alone and between others, is Python’s', (form) => {
  const digest = createHash('sha256')
  const around = (c: string) => `${c}\na\u0345${c}\u0334\n${c}\u0334\n\u09c7${c}\u0301\0`
  // Nothing composes across a line's end; many characters at once are quicker.
  for (let at = 0; at < characters.length; at += 1024) {
    const some = characters.slice(at, at + 1024)
    const text = some.map(around).join('')
    digest.update(some.some(isTried) ? normalizeAsPython(text, form) : text)
  }
  expect(digest.digest('hex')).toBe(golden.forms[form])
})

test('composed characters that Python doesn’t know stay apart', () => {
  // U+105C9 is U+105D2 with a dot; U+11938 is U+11935 with U+11930. Lao’s U+0EBA has a combining class since Unicode 12.
  for (const text of ['\u{105d2}\u0307', '\u{11935}\u{11930}', '\u0eba\u0eb8']) expect(normalizeAsPython(text, 'NFC')).toBe(text)
  expect(normalizeAsPython('e\u0301\u0eba e\u0323\u0302', 'NFC')).toBe('\u00e9\u0eba \u1ec7')
})

test('matches are cut out of the text itself', () => {
  const text = 'a\u{1e6c0}b \u0295\u088f'
  expect(text.match(new RegExpOf16('\\p{L}+| ', 'gu'))).toEqual(['a', 'b', ' ', '\u0295'])
  expect([...text.matchAll(new RegExpOf16('\\P{L}', 'gu'))].map((match) => [match.index, match[0]])).toEqual([
    [1, '\u{1e6c0}'],
    [4, ' '],
    [6, '\u088f'],
  ])
})
