import { afterEach, describe, expect, test } from 'vitest'
import { formatBytes, formatCount, formatDuration, formatNats, formatPercent, lastParagraph, splitEscapes } from '../../src/ui/format.ts'
import { rt } from '../../src/ui/i18n/en-run.ts'
import { language, type Language } from '../../src/ui/i18n/language.svelte.ts'
import { tn } from '../../src/ui/i18n/t.ts'

test.each([
  [0, '0 B'],
  [1300, '1.3 kB'],
  [999_600, '1.0 MB'],
  [270_000_000, '270 MB'],
  [1_010_000_000, '1.0 GB'],
])('%i bytes are %s', (bytes, expected) => {
  expect(formatBytes(bytes)).toBe(expected)
})

test.each([
  [2.04, '2.0 s'],
  [59.6, '1 min 0 s'],
  [185, '3 min 5 s'],
  [7800, '2 h 10 min'],
])('%d seconds are %s', (seconds, expected) => {
  expect(formatDuration(seconds)).toBe(expected)
})

afterEach(() => {
  language.current = 'en'
})

test.each<[Language, readonly string[]]>([
  ['en', ['10,042', '1.3 kB', '270 MB', '2.0 s', '3 min 5 s', '2 h 10 min', '12.5%']],
  ['fr', ['10 042', '1,3 ko', '270 Mo', '2,0 s', '3 min 5 s', '2 h 10 min', '12,5 %']],
  ['sw', ['10,042', 'kilobaiti 1.3', 'MB 270', 'sekunde 2.0', 'dakika 3 sekunde 5', 'saa 2 dakika 10', '12.5%']],
  ['zh', ['10,042', '1.3 kB', '270 MB', '2.0秒', '3分钟 5秒', '2小时 10分钟', '12.5%']],
])('numbers and units in %s', (to, expected) => {
  language.current = to
  const shown = [formatCount(10_042), formatBytes(1300), formatBytes(270e6), formatDuration(2), formatDuration(185), formatDuration(7800)]
  expect([...shown, formatPercent(0.125, 1)].map((text) => text.replace(/\s/g, ' '))).toEqual(expected)
})

test('log-probabilities carry a real minus sign', () => {
  expect([formatNats(-2.2144), formatNats(-Infinity)]).toEqual(['−2.214', '−∞'])
})

describe('splitEscapes', () => {
  test('leaves ordinary text of any script alone', () => {
    const text = 'Ìbéèrè: الحقيقة 👩🏾‍🌾\n\tx'.replace('\u200d', '')
    expect(splitEscapes(text)).toEqual([{ text, isEscape: false }])
  })

  test.each([
    ['\u0007', '\\x07'],
    ['\r', '\\x0d'],
    ['\u202e', '\\u202e'],
    ['\u200b', '\\u200b'],
    ['\ud800', '\\ud800'],
  ])('shows %j as an escape', (character, expected) => {
    expect(splitEscapes(`a${character}b`)).toEqual([
      { text: 'a', isEscape: false },
      { text: expected, isEscape: true },
      { text: 'b', isEscape: false },
    ])
  })
})

test('texts take their values, and plurals their form', () => {
  expect(rt('live.requests', { done: 50, total: '14,000' })).toBe('50 of 14,000 requests')
  expect([tn('start.tasks', 1), tn('start.tasks', 1200)]).toEqual(['1 task', '1,200 tasks'])
})

test('a prompt is known by its last paragraph, on one line', () => {
  expect(lastParagraph('Q: one\nA: x\n\nQ: two\nA:')).toBe('Q: two A:')
})
