import { expect, test } from 'vitest'
import { compareCodePoints } from '../../src/python/compare-strings.ts'

test('sorts as Python does: by code points, prefixes first', () => {
  // In UTF-16 the rocket begins with a surrogate, D83D, which is below FF5E.
  const texts = ['～', '🚀', 'b', 'ab', 'a', '', 'B']
  expect([...texts].sort(compareCodePoints)).toEqual(['', 'B', 'a', 'ab', 'b', '～', '🚀'])
  expect([...texts].sort()).not.toEqual([...texts].sort(compareCodePoints))
  expect(compareCodePoints('ab', 'ab')).toBe(0)
})
