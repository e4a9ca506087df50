import { describe, expect, test } from 'vitest'
import { formatBytes, formatDuration, formatNats, lastParagraph, splitEscapes } from '../../src/ui/format.ts'
import { t, tn } from '../../src/ui/i18n/t.ts'

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
  expect(t('folder.reading', { name: 'a', loaded: '50 B', total: '14 kB' })).toBe('Reading a: 50 B of 14 kB')
  expect([tn('start.tasks', 1), tn('start.tasks', 1200)]).toEqual(['1 task', '1,200 tasks'])
})

test('a prompt is known by its last paragraph, on one line', () => {
  expect(lastParagraph('Q: one\nA: x\n\nQ: two\nA:')).toBe('Q: two A:')
})
