import { expect, test } from 'vitest'
import { editDistance } from '../../src/base/edit-distance.ts'

test.each([
  ['', '', 0],
  ['', 'abc', 3],
  ['kitten', 'sitting', 3],
  ['tasks', 'taks', 1],
  ['ab', 'ba', 2],
])('from %j to %j it takes %i edits', (a, b, edits) => {
  expect(editDistance(a, b)).toBe(edits)
  expect(editDistance(b, a)).toBe(edits)
})
