import { expect, test } from 'vitest'
import { joinersAround } from '../../src/ui/joined-forms.ts'

const joiner = '\u200d'

test('letters of a word that is cut into tokens keep the forms that they have in it', () => {
  const texts = ['·الم', 'حيط', '·', 'x']
  expect(texts.map((_, at) => joinersAround(texts, at))).toEqual([
    ['', joiner],
    [joiner, ''],
    ['', ''],
    ['', ''],
  ])
})

test('a vowel mark at the border counts as its letter', () => {
  expect(joinersAround(['بَ', 'ع'], 0)).toEqual(['', joiner])
})

test('scripts whose letters stand alone need nothing', () => {
  expect(joinersAround(['של', 'ום', 'ab', 'cd'], 0)).toEqual(['', ''])
  expect(joinersAround(['ab', 'cd'], 1)).toEqual(['', ''])
})
