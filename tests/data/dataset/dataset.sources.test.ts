import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Json } from '../../../src/base/errors.ts'
import type { DatasetReference } from '../../../src/contracts/rows.ts'
import { loadSplits, type LoadedSplits } from '../../../src/data/dataset/dataset.ts'
import { hubClient } from '../../../src/data/hub/hub.ts'
import { reply, startFaultHub, type FaultHub } from '../../mock-hub/fault-hub.ts'

const commit = 'c'.repeat(40)
const exportCommit = 'e'.repeat(40)
let hub: FaultHub
beforeEach(async () => {
  hub = await startFaultHub()
})
afterEach(() => hub.close())

function serve(files: { readonly [path: string]: string }, revision = 'main', at = commit): void {
  hub.answers.set(`/api/datasets/o/d/revision/${encodeURIComponent(revision)}`, reply(200, JSON.stringify({ sha: at })))
  const list = Object.entries(files).map(([path, text]) => ({ type: 'file', path, size: Buffer.byteLength(text) }))
  hub.answers.set(`/api/datasets/o/d/tree/${at}`, reply(200, JSON.stringify(list)))
  for (const [path, text] of Object.entries(files)) hub.answers.set(`/datasets/o/d/resolve/${at}/${path}`, reply(200, text))
}

type Given = { readonly [path: string]: string | Blob }

function load(splits: readonly string[], change: Partial<DatasetReference> = {}, dataFiles: Given = {}): Promise<LoadedSplits> {
  const client = hubClient({ base: hub.address, fetch })
  return loadSplits({ path: 'o/d', name: null, kwargs: {}, dataFiles: null, ...change }, splits, { hubOf: () => client, fetch, dataFiles })
}

const blobs = (files: { readonly [path: string]: string }): Given =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, new Blob([text])]))

describe('the Hub’s parquet version of a dataset', () => {
  const listing = (address: string): string => JSON.stringify({ default: { train: [address] } })

  it.each([
    ['a dataset that Python code makes', { 'd.py': 'pass', 'data.jsonl': '{"a":1}\n' }, 'its rows are made by Python code (d.py)'],
    ['formats without a decoder', { 'data.zip': 'PK', 'README.md': '# d' }, 'none of its 2 files can be read'],
  ])('stands in for %s, and the run says so', async (_, files, why) => {
    serve(files)
    serve({ 'default/train/0000.parquet': 'no parquet, but fetched' }, 'refs/convert/parquet', exportCommit)
    hub.answers.set('/api/datasets/o/d/parquet', reply(200, listing(`${hub.address}/api/datasets/o/d/parquet/default/train/0.parquet`)))
    await expect(load(['train'])).rejects.toMatchObject({
      code: 'dataset/malformed',
      message: expect.stringContaining('o/d/default/train/0000.parquet') as string,
    })
    expect(hub.requests.at(-1)?.path).toBe(`/datasets/o/d/resolve/${exportCommit}/default/train/0000.parquet`)
    const decode = () => Promise.resolve({ columns: [{ name: 'a', type: 'int64' as const }], rows: [[1]] })
    const client = hubClient({ base: hub.address, fetch })
    const { origin } = await loadSplits({ path: 'o/d', name: null, kwargs: {}, dataFiles: null }, ['train'], {
      hubOf: () => client,
      fetch,
      dataFiles: {},
      decode,
    })
    expect(origin.commit).toBe(exportCommit)
    expect(origin.warnings).toEqual([expect.stringContaining(why)])
    expect(origin.warnings?.[0]).toContain(`refs/convert/parquet at ${exportCommit.slice(0, 12)}`)
  })

  it('is fetched from this Hub alone', async () => {
    serve({ 'd.py': 'pass' })
    serve({ 'default/train/0000.parquet': 'x' }, 'refs/convert/parquet', exportCommit)
    for (const address of [
      'https://elsewhere.example/api/datasets/o/d/parquet/default/train/0.parquet',
      `${hub.address}/api/datasets/o/other/parquet/default/train/0.parquet`,
      `${hub.address}/api/datasets/o/d/parquet/default/train/../../x`,
      `${hub.address}/api/datasets/o/d/parquet/default/train/1.parquet`,
    ]) {
      hub.answers.set('/api/datasets/o/d/parquet', reply(200, listing(address)))
      await expect(load(['train']), address).rejects.toMatchObject({ code: 'hub/corrupt' })
    }
    expect(hub.requests.some(({ path }) => path.includes('/resolve/'))).toBe(false)
  })

  it('is not there for every dataset, nor for files that the task names itself', async () => {
    serve({ 'd.py': 'pass' })
    await expect(load(['train'])).rejects.toMatchObject({
      code: 'dataset/not-found',
      message: expect.stringContaining('the Hub has no parquet version') as string,
    })
    hub.answers.set('/api/datasets/o/d/parquet', reply(200, JSON.stringify({ a: {}, b: {} })))
    await expect(load(['train'], { dataFiles: { train: ['d.py'] } })).rejects.toMatchObject({ code: 'dataset/not-found' })
    await expect(load(['train'])).rejects.toMatchObject({ code: 'dataset/not-found', message: expect.stringContaining('a, b') as string })
    hub.answers.set('/api/datasets/o/d/parquet', reply(200, '[1]'))
    await expect(load(['train'])).rejects.toMatchObject({ code: 'hub/corrupt' })
  })
})

describe('files that were handed over', () => {
  it('may be files of the browser, and patterns find them', async () => {
    const given = blobs({ 'data/b.jsonl': '{"a":2}\n', 'data/a.jsonl': '{"a":1}\n' })
    const { tables, origin } = await load(['test'], { path: 'json', dataFiles: { test: ['data/*.jsonl'] } }, given)
    expect(tables['test']?.rows).toEqual([[1], [2]])
    expect(origin.files.map(({ path, bytes }) => [path, bytes])).toEqual([
      ['data/a.jsonl', 8],
      ['data/b.jsonl', 8],
    ])
  })

  it('E: JSON with nested questions: one row that holds the rows is said to, with the paths to them', async () => {
    const nested = {
      name: 'DFIR',
      questions: Array.from({ length: 12 }, (_, n) => ({ question: `q${n}`, answer: 'A' })),
      notes: [{ by: 'x' }],
      tags: ['a'],
    }
    const given = blobs({ 'raw.json': JSON.stringify(nested), 'one.jsonl': '{"a": [1, 2]}\n' })
    const plain = { path: 'json', dataFiles: { train: ['raw.json'] } }
    const { tables, origin } = await load(['train'], plain, given)
    expect(tables['train']?.rows).toHaveLength(1)
    expect(origin.warnings).toEqual([
      expect.stringMatching(
        /one row that holds lists of rows: questions\[\] \(12 rows\), notes\[\] \(1 row\)\. .*dataset_kwargs: \{field: 'questions\[\]'\}\.$/,
      ),
    ])
    const found = await load(['train'], { ...plain, kwargs: { field: 'questions[]' } }, given)
    expect(found.tables['train']?.rows).toHaveLength(12)
    expect(found.origin.warnings).toBeUndefined()
    expect((await load(['train'], { ...plain, dataFiles: { train: ['one.jsonl'] } }, given)).origin.warnings).toBeUndefined()
  })

  it('make up a repository as a folder, README and all', async () => {
    const readme = '---\nconfigs:\n- config_name: c\n  data_files:\n  - split: dev\n    path: "x/*.csv"\n  sep: ";"\n---\n'
    const given = blobs({ 'my/set/README.md': readme, 'my/set/x/a.csv': 'a;b\n1;2\n', 'my/other.csv': 'z\n' })
    const { tables, origin } = await load(
      ['dev'],
      { path: './my/set/' },
      Object.fromEntries(Object.entries(given).map(([k, v]) => [`./${k}`, v])),
    )
    expect(tables['dev']?.rows).toEqual([[1, 2]])
    expect(origin).toMatchObject({ commit: null, files: [{ path: 'x/a.csv' }] })
    expect(hub.requests).toEqual([])
    await expect(load(['train'], { path: 'my' }, blobs({ 'my/a.bin': '1' }))).rejects.toMatchObject({ code: 'dataset/not-found' })
  })

  it('are never fetched from an address that a task or a README names', async () => {
    const address = `${hub.address}/given/x.jsonl`
    const wanted = { code: 'dataset/not-found', message: expect.stringContaining('type the address yourself and confirm it') as string }
    await expect(load(['test'], { path: 'json', dataFiles: { test: [address] } })).rejects.toMatchObject(wanted)
    serve({ 'README.md': `---\nconfigs:\n- config_name: c\n  data_files: ${address}\n---\n`, 'a.jsonl': '{"a":1}\n' })
    await expect(load(['train'])).rejects.toMatchObject(wanted)
    await expect(load(['test'], { dataFiles: { test: [address] } })).rejects.toMatchObject(wanted)
    expect(hub.requests.some(({ path }) => path.startsWith('/given'))).toBe(false)
    hub.answers.set('/given/x.jsonl', reply(200, '{"a":1}\n'))
    const confirmed = await load(['test'], { path: 'json', dataFiles: { test: [address] } }, { [address]: address })
    expect(confirmed.tables['test']?.rows).toEqual([[1]])
  })
})

describe('a slice for a split', () => {
  const given = blobs({ 'r/train.jsonl': '{"a":1}\n{"a":2}\n{"a":3}\n{"a":4}\n' })

  it('is cut under a name of its own, as the harness can', async () => {
    const halves = await load(['few', 'rest'], { path: 'r', kwargs: { split: { few: 'train[:50%]', rest: 'train[-2:]' } } }, given)
    expect([halves.tables['few']?.rows, halves.tables['rest']?.rows]).toEqual([
      [[1], [2]],
      [[3], [4]],
    ])
  })

  it('is refused as a split, with the way to write it', async () => {
    await expect(load(['train[:50%]'], { path: 'r' }, given)).rejects.toMatchObject({
      code: 'dataset/not-found',
      message: expect.stringContaining('dataset_kwargs: {split: {part: "train[:50%]"}}') as string,
    })
  })
})

describe('a join', () => {
  const mathHard = ['one', 'two', 'three', 'four', 'five', 'six'].map((question, at) => ({ question, answer: at }))
  const levels = ['one', 'two', ' three ', 'four', 'five', 'other'].map((problem, at) => ({ problem, level: at + 1, answer: 'x' }))
  const lines = (rows: readonly object[]): string => rows.map((row) => JSON.stringify(row) + '\n').join('')
  const given = blobs({ 'left.jsonl': lines(mathHard), 'right.jsonl': lines(levels) })
  const join = (change: { readonly [key: string]: Json } = {}): Partial<DatasetReference> => ({
    path: 'json',
    dataFiles: { test: ['left.jsonl'] },
    kwargs: {
      join: {
        dataset_path: 'json',
        dataset_kwargs: { data_files: { all: 'right.jsonl' } },
        split: 'all',
        on: { question: 'problem' },
        match: 'trimmed',
        ...change,
      },
    },
  })

  it('adds columns to the rows of equal keys and lists the others', async () => {
    const { tables, origin } = await load(['test'], join({ columns: ['level'] }), given)
    expect(tables['test']?.columns.map(({ name }) => name)).toEqual(['question', 'answer', 'level'])
    expect(tables['test']?.rows.map((row) => row[2])).toEqual([1, 2, 3, 4, 5])
    expect(origin.warnings).toEqual([
      `Join of 'json', split 'test' with 'json', split 'all': 5 joined, 1 unmatched: "six"; 1 of 'json', split 'all' unused: "other".`,
    ])
    expect(origin.files.map(({ path }) => path)).toEqual(['left.jsonl', 'json: right.jsonl'])
  })

  it('compares texts exactly unless told otherwise, and can keep rows without a partner', async () => {
    const { tables, origin } = await load(['test'], join({ match: 'exact', how: 'left' }), given)
    expect(tables['test']?.columns.map(({ name }) => name)).toEqual(['question', 'answer', 'level', 'joined_answer'])
    expect(tables['test']?.rows.map((row) => row[2])).toEqual([1, 2, null, 4, 5, null])
    expect(origin.warnings?.[0]).toContain('4 joined, 2 unmatched: "three", "six"')
  })

  it('refuses a key that could mean several rows, and says which', async () => {
    const twice = blobs({ 'left.jsonl': lines(mathHard), 'right.jsonl': lines([...levels, { problem: 'two', level: 9, answer: 'x' }]) })
    await expect(load(['test'], join({ columns: ['level'] }), twice)).rejects.toMatchObject({
      code: 'dataset/schema',
      message: expect.stringContaining('several rows with the key "two"') as string,
    })
    const equal = await load(['test'], join({ columns: ['answer'] }), twice)
    expect(equal.origin.warnings?.[0]).toContain('1 keys of')
  })

  it('says what is wrong with its settings, its columns, or when nothing matches', async () => {
    const refusals: readonly (readonly [Partial<DatasetReference>, string, string])[] = [
      [join({ on: 'nothing' }), 'dataset/schema', "column 'nothing'"],
      [join({ on: { question: 'nothing' } }), 'dataset/schema', 'problem, level, answer'],
      [join({ columns: ['nothing'] }), 'dataset/schema', "column 'nothing'"],
      [join({ on: {} }), 'task/invalid', 'needs on'],
      [join({ how: 'outer' }), 'task/invalid', 'inner or left'],
      [join({ split: 7 }), 'task/invalid', 'needs split'],
      [join({ extra: 1 }), 'task/invalid', "the key 'extra'"],
      [join({ on: { answer: 'problem' } }), 'dataset/empty', 'None of the 6 rows'],
      [{ ...join(), kwargs: { join: 'x' } }, 'task/invalid', 'wants a mapping'],
    ]
    for (const [reference, code, text] of refusals)
      await expect(load(['test'], reference, given), text).rejects.toMatchObject({ code, message: expect.stringContaining(text) as string })
  })

  it('finds no partner for a null', async () => {
    const nulls = blobs({
      'left.jsonl': '{"question":null}\n{"question":"one"}\n',
      'right.jsonl': '{"problem":null,"level":1}\n{"problem":"one","level":2}\n',
    })
    const { tables } = await load(['test'], join(), nulls)
    expect(tables['test']?.rows).toEqual([['one', 2]])
  })
})

describe('integers of a csv file beyond 64 bits', () => {
  const read = (rows: readonly string[]) =>
    load(['t'], { path: 'csv', dataFiles: { t: ['a.csv'] } }, { 'a.csv': new Blob([`a,b\n${rows.map((row) => `${row},x\n`).join('')}`]) })

  // What pandas 3.1.1 and datasets 5.0.1 give.
  it.each([
    [
      ['12345678901234567890', '1'],
      [12345678901234567890n, 1],
    ],
    [
      ['12345678901234567890', ''],
      ['12345678901234567890', ''],
    ],
    [
      ['12345678901234567890', '-1'],
      ['12345678901234567890', '-1'],
    ],
    [
      ['12345678901234567890', '1.5'],
      [Number('12345678901234567890'), 1.5],
    ],
    [
      ['12345678901234567890', 'NA', 'x'],
      ['12345678901234567890', null, 'x'],
    ],
    [
      ['99999999999999999999', '1.5'],
      ['99999999999999999999', '1.5'],
    ],
    [
      ['1.5', '99999999999999999999'],
      [1.5, Number('99999999999999999999')],
    ],
    [
      ['99999999999999999999', 'x', 'NA'],
      ['99999999999999999999', 'x', 'NA'],
    ],
    [
      ['x', 'NA', '99999999999999999999'],
      ['x', null, '99999999999999999999'],
    ],
    [
      ['-9223372036854775809', '1.5'],
      [Number('-9223372036854775809'), 1.5],
    ],
    [
      ['9223372036854775807', ''],
      [Number('9223372036854775807'), null],
    ],
  ])('%j are read as pandas reads them', async (rows, cells) => {
    const { tables } = await read(rows)
    expect(tables['t']?.rows.map((row) => row[0])).toEqual(cells)
  })

  it.each([[['99999999999999999999', '1']], [['-9223372036854775809', '1']], [['1', 'NA', '99999999999999999999']]])(
    '%j are refused, as Arrow refuses them',
    async (rows) => {
      await expect(read(rows)).rejects.toMatchObject({ code: 'dataset/schema', message: expect.stringContaining("'a'") as string })
    },
  )
})
