import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../../src/base/errors.ts'
import { readDataFiles } from '../../../src/data/dataset/dataset-configs.ts'
import { loadSplits, type LoadedSplits } from '../../../src/data/dataset/dataset.ts'
import { typedRow, type Typed } from '../typed.ts'

interface Case {
  readonly name: string
  readonly files: { readonly [path: string]: string | { readonly base64: string } }
  readonly config: string | null
  readonly kwargs: { readonly [key: string]: Json }
  /** Every split's rows, or null when `datasets` refuses. */
  readonly expected: { readonly [split: string]: { readonly columns: readonly string[]; readonly rows: readonly Typed[] } } | null
  readonly refusal?: string
}

const cases = readFileSync(join(import.meta.dirname, '../../goldens/sources/repositories.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line): Case => JSON.parse(line) as Case) // Written by make_source_goldens.py.

/** Where this program decides otherwise. */
const refusedHere = new Map([
  ['json "2024-01-01" as int64', 'a date becomes its seconds'],
  ['json "2024-01-01T10:00:00" as int64', 'a date becomes its seconds'],
  ['skiprows', 'csv options of pandas that no task of the harness uses'],
])
const acceptedHere = new Map([
  ['json {} as large_string', 'an empty record is the text {}'],
  ['types with a config name but no configs', 'one set of types can only mean this one config'],
])

/** The repository as a folder that was handed over. */
function load({ files, config, kwargs }: Case, splits: readonly string[]): Promise<LoadedSplits> {
  const { data_files: named, ...rest } = kwargs
  const dataFiles = Object.entries(files).map(([path, content]) => {
    const part = typeof content === 'string' ? content : new Uint8Array(Buffer.from(content.base64, 'base64'))
    return [`repo/${path}`, new Blob([part])] as const
  })
  const reference = { path: 'repo', name: config, kwargs: rest, dataFiles: named === undefined ? null : readDataFiles(named, 'task') }
  return loadSplits(reference, splits, {
    hubOf: () => {
      throw new Error('no Hub is needed for a folder')
    },
    fetch: () => Promise.reject(new Error('nothing is fetched for a folder')),
    dataFiles: Object.fromEntries(dataFiles),
  })
}

describe('a dataset repository gives what the datasets library gives', () => {
  it('has cases', () => {
    expect(cases.length).toBeGreaterThan(300)
  })

  it.each(cases)('$name', async (one) => {
    if (acceptedHere.has(one.name)) return void (await load(one, ['train']))
    if (one.expected === null || refusedHere.has(one.name)) {
      const split = Object.keys((one.kwargs['split'] as object | null) ?? { train: 0 })
      await expect(load(one, split), one.refusal).rejects.toMatchObject({ name: 'EvalError' })
      return
    }
    const splits = Object.entries(one.expected)
    const filled = splits.filter(([, { rows }]) => rows.length > 0).map(([split]) => split)
    // A split without rows is nothing to ask: refused here.
    for (const [split, { rows }] of splits)
      if (rows.length === 0) await expect(load(one, [split])).rejects.toMatchObject({ code: 'dataset/empty' })
    const { tables } = await load(one, filled)
    for (const split of filled) {
      const table = tables[split]
      expect(table?.columns.map(({ name }) => name)).toEqual(one.expected[split]?.columns)
      expect(table?.rows.map((_, row) => typedRow(table, row))).toEqual(one.expected[split]?.rows)
    }
  })
})
