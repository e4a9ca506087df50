import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/base/errors.ts'
import { decodeFiles, type Format } from '../../../src/data/dataset/formats.ts'
import { typedRow, type Typed } from '../typed.ts'

interface Case {
  readonly name: string
  readonly loader: Format
  readonly options: { readonly [key: string]: Json }
  readonly files: readonly { readonly name: string; readonly base64: string }[]
  /** Null when `datasets` refuses. */
  readonly expected: { readonly columns: readonly string[]; readonly rows: readonly Typed[] } | null
}

const cases = readFileSync(join(import.meta.dirname, 'goldens.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Case => JSON.parse(line) as Case) // Written by make_goldens.py.

describe('rows equal those of the datasets library', () => {
  it('has cases', () => {
    expect(cases.length).toBeGreaterThan(100)
  })

  it.each(cases)('$name', async ({ loader, options, files, expected }) => {
    const bytes = files.map(({ name, base64 }) => ({ name, bytes: new Uint8Array(Buffer.from(base64, 'base64')) }))
    if (expected === null) {
      await expect(decodeFiles(loader, bytes, options)).rejects.toMatchObject({
        name: 'EvalError',
        code: expect.stringMatching(/^dataset\//) as string,
      })
      return
    }
    const table = await decodeFiles(loader, bytes, options)
    expect(table.columns.map(({ name }) => name)).toEqual(expected.columns)
    expect(table.rows.map((_, row) => typedRow(table, row))).toEqual(expected.rows)
  })
})
