import { expect, test } from 'vitest'
import { isRecord } from '../../src/base/guards.ts'

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ['text', false],
  [() => 1, false],
])('%j', (value: unknown, is) => {
  expect(isRecord(value)).toBe(is)
})
