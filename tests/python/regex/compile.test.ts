import { describe, expect, test } from 'vitest'
import { compilePython, escapePython } from '../../../src/python/regex/compile.ts'

/** `[pattern, text, findall]`, each as CPython 3.11 reports it. */
const findalls: readonly (readonly [string, string, readonly (string | readonly string[])[]])[] = [
  ['a*', 'baac', ['', 'aa', '', '']],
  ['|a', 'aa', ['', 'a', '', 'a', '']],
  ['\\b', 'ọmọ ná', ['', '', '', '']],
  ['\\B', '', []],
  ['\\B', '😀', ['', '']],
  ['.$', 'a\nb\n', ['b']],
  ['(?m)^.', 'a\nb\r\u2028c', ['a', 'b']],
  ['(?i)[a-z]+', 'İıſK', ['İıſK']],
  ['(?i)straße|µ', 'STRAẞE μ', ['STRAẞE', 'μ']],
  ['(?a)\\w+', 'naïve', ['na', 've']],
  ['\\d+', '١٢ 34 ²', ['١٢', '34']],
  ['\\s', '\u0085\ufeff\x1c', ['\u0085', '\x1c']],
  [
    '(a)|(b)',
    'ab',
    [
      ['a', ''],
      ['', 'b'],
    ],
  ],
  ['(?P<x>a)(?P=x)', 'aab', ['a']],
  ['(a)\\1', 'aa a', ['a']],
  ['a++b|a', 'aaab a', ['aaab', 'a']],
  ['(?>a+)ab', 'aaab', []],
  ['(?x) a b # comment', 'ab', ['ab']],
  ['[]a]+', 'a]b', ['a]']],
  ['[^]a]', 'a]b', ['b']],
  ['x{,2}y', 'xxxy', ['xxy']],
  ['x{a}', 'x{a}', ['x{a}']],
  ['\\Aab\\Z', 'ab', ['ab']],
  ['\\x41\\u0042\\103', 'ABC', ['ABC']],
  ['(?i:a)b', 'Ab AB', ['Ab']],
  ['(?<=a)b(?!c)', 'abab bc abc', ['b', 'b']],
]

test.each(findalls)('findall of %j in %j', (pattern, text, expected) => {
  expect(compilePython(pattern).findall(text)).toEqual(expected)
})

describe('sub', () => {
  test.each([
    ['x*', '-', 'abxd', '-a-b--d-'],
    ['(a)(b)?', '[\\2\\g<1>]', 'aab', '[a][ba]'],
    ['a', '\\n\\\\', 'a', '\n\\'],
    ['(?P<n>\\d)', '\\g<n>\\g<0>', '5', '55'],
  ])('%j by %j in %j', (pattern, replacement, text, expected) => {
    expect(compilePython(pattern).sub(replacement, text)).toBe(expected)
  })

  test('stops after count', () => {
    expect(compilePython('a').sub('b', 'aaa', 2)).toBe('bba')
  })
})

test('split keeps groups and empty pieces', () => {
  expect(compilePython('(\\s+)').split(' a b')).toEqual(['', ' ', 'a', ' ', 'b'])
})

describe('what JavaScript would match differently is refused by name', () => {
  test.each([
    ['(?(1)a|b)', 'tests another group'],
    ['(a)?\\1', 'may not have matched'],
    ['(?i)(a)\\1', 'case-insensitive back-reference'],
    ['(?:|a)*', 'match nothing before'],
    ['(?L)a', 'locale'],
    ['\\N{BULLET}', 'named characters'],
  ])('%j', (pattern, reason) => {
    expect(() => compilePython(pattern)).toThrow(expect.objectContaining({ code: 'regex/unsupported' }))
    expect(() => compilePython(pattern)).toThrow(reason)
  })

  test('groups that only some turns of a loop match, but not the search for them', () => {
    const regex = compilePython('(?:(a)|b)*')
    expect(() => regex.findall('ab')).toThrow('group 1')
    expect(regex.search('ab')?.end).toBe(2)
  })
})

describe('what Python refuses is refused', () => {
  test.each([
    '(',
    ')',
    '*a',
    'a**',
    '[a',
    '\\q',
    'a{2,1}',
    '(?P<1>a)',
    '(?P<n>a)(?P<n>b)',
    '\\2',
    '(?<=a+)b',
    'a(?i)b',
    '[z-a]',
    '(?P=x)',
    '^*',
  ])('%j', (pattern) => {
    expect(() => compilePython(pattern)).toThrow(expect.objectContaining({ code: 'regex/unsupported' }))
  })
})

test('an escaped text matches just itself', () => {
  const text = 'a.b*(c)[d]{e}^$|\\-#& \t\n~ọ😀'
  expect(compilePython(escapePython(text)).fullmatch(text)?.end).toBe(text.length)
})
