import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bytesFile } from '../../../src/data/dataset/data-file.ts'
import { decodeHere } from '../../../src/data/stream/decode-split.ts'

const seeds = readFileSync(join(import.meta.dirname, '../../goldens/fuzz/parquet.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as { readonly name: string; readonly rows: number; readonly base64: string }) // By make_parquet_seeds.py.

const seedOf = (name: string): Uint8Array => new Uint8Array(Buffer.from(seeds.find((seed) => seed.name === name)?.base64 ?? '', 'base64'))
const read = (bytes: Uint8Array) =>
  decodeHere({ format: 'parquet', options: {}, files: [bytesFile('x.parquet', () => Promise.resolve(bytes))] })

/** The file with some bytes, which must stand there once, put in place of others. */
function patched(bytes: Uint8Array, from: readonly number[], to: readonly number[]): Uint8Array {
  const at = Buffer.from(bytes).indexOf(Buffer.from(from))
  expect(at).toBeGreaterThan(0)
  const changed = bytes.slice()
  changed.set(to, at)
  return changed
}

describe('a damaged parquet page', () => {
  it.each(seeds.map(({ name, rows }) => [name, rows] as const))('is none in the file "%s"', async (name, rows) => {
    expect((await read(seedOf(name))).rows.length).toBe(rows)
  })

  it('is refused when a run says it is longer than its page, which would be written forever', async () => {
    // Levels of the column `n` (all null): four bytes of length, then 40 zeros as one run. Snappy is off, so that they can be seen.
    const bytes = seedOf('none')
    // 40 values of which the levels begin with a packed run.
    const at = Buffer.from(bytes).indexOf(Buffer.from([0x06, 0x00, 0x00, 0x00, 0x0b]))
    expect(at).toBeGreaterThan(0)
    const changed = bytes.slice()
    // A repeated run of 2^27 values: c0 ff ff ff 03.
    changed.set([0x80, 0x80, 0x80, 0x80, 0x01], at + 4)
    await expect(read(changed)).rejects.toMatchObject({ code: 'dataset/malformed', message: expect.stringContaining('a run of') as string })
  })

  it('is refused when its header is of another kind than its type says, which would be read forever', async () => {
    // The first field of a page header is its type: 0 for a data page (15 00), 3 for one of version 2 (15 06).
    const bytes = seedOf('none')
    await expect(read(patched(bytes, [0x15, 0x00, 0x15], [0x15, 0x06, 0x15]))).rejects.toMatchObject({
      code: 'dataset/malformed',
      message: expect.stringContaining('header is not whole') as string,
    })
  })
})
