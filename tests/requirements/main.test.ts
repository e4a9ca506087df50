/** docs/requirements.md and the tests that name its items. */
import { expect, it } from 'vitest'
import { findTests, readItems } from './main.ts'

it('every item has a test that names it', () => {
  const items = findTests()
  expect(items.length).toBeGreaterThan(60)
  expect(items.filter(({ tests }) => tests.length === 0)).toEqual([])
})

it('an item is the first cell of a row in a lettered section', () => {
  const text = '# T\n| a | b |\n## A. First\n| Item | What holds |\n|---|---|\n| `x\\|y`  z | w |\n## Other\n| no | no |\n'
  expect(readItems(text)).toEqual(['A: x|y z'])
})
