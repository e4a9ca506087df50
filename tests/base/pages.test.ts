import { expect, test } from 'vitest'
import { readPages } from '../../src/base/pages.ts'

const pagesOf = (all: readonly number[], size: number, total: number) => {
  const asked: number[] = []
  const pageAt = (offset: number) => {
    asked.push(offset)
    return Promise.resolve({ total, samples: all.slice(offset, offset + size) })
  }
  return { asked, pageAt }
}

test('every page is asked for once, from where the last one ended', async () => {
  const { asked, pageAt } = pagesOf([1, 2, 3, 4, 5], 2, 5)
  expect(await readPages(pageAt)).toEqual([1, 2, 3, 4, 5])
  expect(asked).toEqual([0, 2, 4])
})

test('an empty page ends it, whatever the total says', async () => {
  const { asked, pageAt } = pagesOf([1, 2], 2, 9)
  expect(await readPages(pageAt)).toEqual([1, 2])
  expect(asked).toEqual([0, 2])
})
