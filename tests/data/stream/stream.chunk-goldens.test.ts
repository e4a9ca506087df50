import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { jsonChunkBytes, jsonRows } from '../../../src/data/stream/json-rows.ts'
import { collectRows } from '../../../src/data/stream/row-batch.ts'
import { cutUp, seeded } from '../pieces.ts'
import { typedRow, type Typed } from '../typed.ts'

interface Case {
  readonly name: string
  /** Null = as many as `datasets` reads at a time. */
  readonly chunkBytes: number | null
  /** Base64. */
  readonly files: readonly string[]
  /** Null when `datasets` refuses. */
  readonly expected: { readonly columns: readonly string[]; readonly rows: readonly Typed[] } | null
}

const cases = readFileSync(join(import.meta.dirname, 'chunk-goldens.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Case => JSON.parse(line) as Case) // Written by make_chunk_goldens.py.

describe('rows of several chunks or files equal those of the datasets library', () => {
  it('has cases', () => {
    expect(cases.length).toBeGreaterThan(90)
  })

  it.each(cases)('$name', async ({ chunkBytes, files, expected }) => {
    const random = seeded(1)
    const given = files.map((base64, at) => ({ name: `${at}.jsonl`, pieces: cutUp(new Uint8Array(Buffer.from(base64, 'base64')), random) }))
    const reading = collectRows(jsonRows(given, { chunkBytes: chunkBytes ?? jsonChunkBytes }))
    if (expected === null) {
      await expect(reading).rejects.toMatchObject({ name: 'EvalError', code: expect.stringMatching(/^dataset\//) as string })
      return
    }
    const table = await reading
    expect(table.columns.map(({ name }) => name)).toEqual(expected.columns)
    expect(table.rows.map((_, row) => typedRow(table, row))).toEqual(expected.rows)
  })
})
