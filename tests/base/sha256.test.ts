import fc from 'fast-check'
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { sha256, sha256Bytes } from '../../src/base/sha256.ts'
import { hashDoc } from '../../src/harness/sample-hashes.ts'
import type { PyValue } from '../../src/python/value.ts'
import { pyFloat } from '../../src/python/value.ts'

test('hashes of any bytes are those of OpenSSL', () => {
  const isEqual = (bytes: Uint8Array) => sha256Bytes(bytes) === createHash('sha256').update(bytes).digest('hex')
  fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), isEqual))
})

test('hashes of any text are over its UTF-8 bytes', () => {
  const isEqual = (text: string) => sha256(text) === createHash('sha256').update(text, 'utf8').digest('hex')
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), isEqual))
})

test('a long text needs more than one block and a long length', () => {
  const text = 'ọ😀'.repeat(50_000)
  expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'))
})

test('a doc is hashed as Python prints its JSON', () => {
  const doc = new Map<string, PyValue>([
    ['x', pyFloat(2)],
    ['y', ['ọ', 1]],
  ])
  expect(hashDoc(doc)).toBe(createHash('sha256').update('{\n  "x": 2.0,\n  "y": [\n    "ọ",\n    1\n  ]\n}').digest('hex'))
})
