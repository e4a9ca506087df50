import { describe, expect, it } from 'vitest'
import { makeNameMatcher } from '../../src/base/name-match.ts'

/** Pattern, name, and what Python 3.11's `fnmatch.fnmatchcase` says. */
const cases: readonly (readonly [string, string, boolean])[] = [
  ['mmlu_*_5?', 'mmlu_x_51', true],
  ['a*b*c', 'aXbYbZc', true],
  ['a*b*c', 'aXbYbZ', false],
  ['**', '', true],
  ['?', '𝒳', true],
  ['[a-c]x', 'bx', true],
  ['[!a-c]x', 'bx', false],
  ['[c-a]', 'b', false],
  ['[-a]', '-', true],
  ['[a-]', '-', true],
  ['[a-b-c]', '-', true],
  ['[]a]', ']', true],
  ['[!]a]', 'b', true],
  ['[^a]', '^', true],
  ['[^a]', 'b', false],
  ['[a', '[a', true],
  ['[!]', '[!]', true],
]

describe('makeNameMatcher', () => {
  it.each(cases)('says of %s and %s what fnmatch says', (pattern, name, matches) => {
    expect(makeNameMatcher(pattern)(name)).toBe(matches)
  })

  it('comes to an end with untrusted stars, which a backtracking regex would not', () => {
    expect(makeNameMatcher(`${'*a'.repeat(40)}b`)('a'.repeat(200))).toBe(false)
    expect(makeNameMatcher(`${'*a'.repeat(40)}*`)('a'.repeat(200))).toBe(true)
  })
})
