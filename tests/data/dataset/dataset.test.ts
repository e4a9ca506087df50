import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DatasetReference } from '../../../src/contracts/rows.ts'
import { inferSplits } from '../../../src/data/dataset/data-patterns.ts'
import { readDataFiles } from '../../../src/data/dataset/dataset-configs.ts'
import { loadSplits, type LoadedSplits } from '../../../src/data/dataset/dataset.ts'
import { globToRegex } from '../../../src/data/dataset/glob.ts'
import { hubClient } from '../../../src/data/hub/hub.ts'
import { reply, startFaultHub, type FaultHub } from '../../mock-hub/fault-hub.ts'

const commit = 'c'.repeat(40)
let hub: FaultHub
beforeEach(async () => {
  hub = await startFaultHub()
})
afterEach(() => hub.close())

/** Puts a dataset `o/d` of these files on the Hub. */
function serve(files: { readonly [path: string]: string }): void {
  hub.answers.set('/api/datasets/o/d/revision/', reply(200, JSON.stringify({ sha: commit })))
  const list = Object.entries(files).map(([path, text]) => ({ type: 'file', path, size: Buffer.byteLength(text) }))
  hub.answers.set('/api/datasets/o/d/tree/', reply(200, JSON.stringify(list)))
  for (const [path, text] of Object.entries(files)) hub.answers.set(`/datasets/o/d/resolve/${commit}/${path}`, reply(200, text))
}

function load(
  splits: readonly string[],
  change: Partial<DatasetReference> = {},
  dataFiles: { readonly [path: string]: string } = {},
): Promise<LoadedSplits> {
  const client = hubClient({ base: hub.address, fetch })
  return loadSplits({ path: 'o/d', name: null, kwargs: {}, dataFiles: null, ...change }, splits, { hubOf: () => client, fetch, dataFiles })
}

const readme = `---
configs:
- config_name: one
  data_files:
  - split: train
    path: one/train-*.jsonl
  - split: test
    path: [one/a.jsonl, one/b.jsonl]
- config_name: two
  default: true
  sep: ";"
  data_files: two.csv
- config_name: three
  data_dir: three
---
# Text
`
const files = {
  'README.md': readme,
  'one/train-1.jsonl': '{"a":1}\n',
  'one/train-0.jsonl': '{"a":0}\n',
  'one/a.jsonl': '{"a":2}\n',
  'one/b.jsonl': '{"a":3}\n',
  'two.csv': 'x;y\n1;2\n',
  'three/test.jsonl': '{"t":1}\n',
  'three/val.jsonl': '{"t":2}\n',
}

describe('a dataset on the Hub', () => {
  it('gives the splits of its config, files in order', async () => {
    serve(files)
    const { tables, origin } = await load(['train', 'test'], { name: 'one' })
    expect(tables['train']).toEqual({ columns: [{ name: 'a', type: 'int64' }], rows: [[0], [1]] })
    expect(tables['test']?.rows).toEqual([[2], [3]])
    expect(origin).toMatchObject({ path: 'o/d', name: 'one', commit })
    expect(origin.files.map(({ path }) => path)).toEqual(['one/train-0.jsonl', 'one/train-1.jsonl', 'one/a.jsonl', 'one/b.jsonl'])
  })

  it('has a default config, with loader options of its own', async () => {
    serve(files)
    expect((await load(['train'])).tables['train']).toEqual({
      columns: [
        { name: 'x', type: 'int64' },
        { name: 'y', type: 'int64' },
      ],
      rows: [[1, 2]],
    })
  })

  it('finds the splits of a config that names only a folder', async () => {
    serve(files)
    const { tables } = await load(['test', 'validation'], { name: 'three' })
    expect([tables['test']?.rows, tables['validation']?.rows]).toEqual([[[1]], [[2]]])
  })

  it('fetches nothing but what the wanted splits need', async () => {
    serve(files)
    await load(['test'], { name: 'one' })
    expect(hub.requests.map(({ path }) => path.split('/').at(-1)).filter((name) => name?.endsWith('.jsonl'))).toEqual([
      'a.jsonl',
      'b.jsonl',
    ])
  })

  it('lists its splits and configs when asked for others', async () => {
    serve(files)
    await expect(load(['dev'], { name: 'one' })).rejects.toMatchObject({
      code: 'dataset/not-found',
      message: "Dataset 'o/d', config 'one' has no split 'dev'; its splits: train, test.",
    })
    await expect(load(['test'], { name: 'four' })).rejects.toMatchObject({
      code: 'dataset/not-found',
      message: "Dataset 'o/d' has no config 'four'; its configs: one, two, three.",
    })
    serve({ ...files, 'README.md': readme.replace('  default: true\n', '') })
    await expect(load(['test'])).rejects.toMatchObject({
      code: 'dataset/not-found',
      message: expect.stringContaining('one, two, three') as string,
    })
  })

  it('goes by file names without a README', async () => {
    serve({ 'data/test-00000-of-00001.jsonl': '{"a":1}\n', 'notes.txt': 'x' })
    expect((await load(['test'])).tables['test']?.rows).toEqual([[1]])
    await expect(load(['test'], { name: 'x' })).rejects.toMatchObject({
      code: 'dataset/not-found',
      message: expect.stringContaining('its configs: default') as string,
    })
  })

  it('reads data_dir and data_files from the task', async () => {
    serve({ 'x/test.jsonl': '{"a":1}\n', 'y/test.jsonl': '{"a":2}\n' })
    expect((await load(['test'], { kwargs: { data_dir: 'y' } })).tables['test']?.rows).toEqual([[2]])
    expect((await load(['dev'], { dataFiles: { dev: ['x/*.jsonl'] } })).tables['dev']?.rows).toEqual([[1]])
    await expect(load(['dev'], { dataFiles: { dev: ['z/*.jsonl'] } })).rejects.toMatchObject({
      code: 'dataset/not-found',
      message: expect.stringContaining("'z/*.jsonl'") as string,
    })
  })

  it('refuses an empty split, broken rows, a broken README and a repository without data', async () => {
    serve({ 'test.jsonl': '\n' })
    await expect(load(['test'])).rejects.toMatchObject({ code: 'dataset/empty' })
    serve({ 'test.jsonl': '{"a":1}\n{"a":\n' })
    await expect(load(['test'])).rejects.toMatchObject({
      code: 'dataset/malformed',
      details: { file: 'o/d/test.jsonl', line: 3, column: 1 },
    })
    serve({ 'README.md': '---\nconfigs: [\n---\n' })
    await expect(load(['test'])).rejects.toMatchObject({ code: 'dataset/malformed' })
    serve({ 'model.bin': 'x' })
    await expect(load(['test'])).rejects.toMatchObject({
      code: 'dataset/not-found',
      message: expect.stringContaining('no data files') as string,
    })
  })
})

describe('a loader with data files', () => {
  it('reads what was handed over, and only that', async () => {
    hub.answers.set('/given/x', reply(200, 'a,b\n1,x\n'))
    const reference = { path: 'csv', dataFiles: { train: ['data/x.csv'] } }
    const { tables, origin } = await load(['train'], reference, { 'data/x.csv': `${hub.address}/given/x` })
    expect(tables['train']?.rows).toEqual([[1, 'x']])
    expect(origin).toMatchObject({ path: 'csv', commit: null, files: [{ path: 'data/x.csv', bytes: 8 }] })
    const before = hub.requests.length
    await expect(load(['train'], { path: 'csv', dataFiles: { train: [`${hub.address}/given/x`] } })).rejects.toMatchObject({
      code: 'dataset/not-found',
    })
    expect(hub.requests.length).toBe(before)
  })

  it('says that it needs files, and which splits there are', async () => {
    await expect(load(['train'], { path: 'json' })).rejects.toMatchObject({ code: 'task/invalid' })
    await expect(load(['dev'], { path: 'json', dataFiles: { test: ['x'] } })).rejects.toMatchObject({
      code: 'dataset/not-found',
      message: expect.stringContaining('its splits: test') as string,
    })
  })

  it('refuses options that it does not know', async () => {
    hub.answers.set('/given/x', reply(200, 'a\n1\n'))
    const reference = { path: 'csv', kwargs: { skiprows: 1 }, dataFiles: { train: ['x'] } }
    await expect(load(['train'], reference, { x: `${hub.address}/given/x` })).rejects.toMatchObject({
      code: 'task/unsupported',
      details: { option: 'skiprows' },
    })
  })
})

describe('data_files', () => {
  it.each([
    ['a.jsonl', { train: ['a.jsonl'] }],
    [['a', 'b'], { train: ['a', 'b'] }],
    [
      { test: 'a', dev: ['b', 'c'] },
      { test: ['a'], dev: ['b', 'c'] },
    ],
    [[{ split: 'test', path: 'a' }], { test: ['a'] }],
  ])('may be written as %j', (value, expected) => {
    expect(readDataFiles(value, 'here')).toEqual(expected)
  })

  it.each([7, [{ path: 'x' }], { test: 7 }, [7]])('may not be %j', (value) => {
    expect(() => readDataFiles(value, 'here')).toThrow(/names no files/)
  })
})

describe('patterns', () => {
  it.each([
    ['data/train-*', 'data/train-00000-of-00001.parquet', true],
    ['data/train-*', 'data/x/train-0.parquet', false],
    ['**/train*', 'a/b/train.csv', true],
    ['**/train*', 'train.csv', true],
    ['**', 'a/b', true],
    ['a?.csv', 'ab.csv', true],
    ['a[0-9].csv', 'a5.csv', true],
    ['a[0-9].csv', 'ax.csv', false],
    ['a.csv', 'axcsv', false],
    ['a+(b).csv', 'a+(b).csv', true],
    ['./a.csv', 'a.csv', true],
  ])('%s on %s: %s', (pattern, path, expected) => {
    expect(globToRegex(pattern).test(path)).toBe(expected)
  })

  it.each([
    [
      ['data/train-00000-of-00002.parquet', 'data/train-00001-of-00002.parquet', 'data/odd-00000-of-00001.parquet', 'test.csv'],
      ['odd', 'train'],
    ],
    [
      ['train/a.csv', 'test/b.csv', 'other/c.csv'],
      ['test', 'train'],
    ],
    [
      ['my_train.csv', 'dev.csv', 'x-test-1.csv', 'attest.csv'],
      ['test', 'train', 'validation'],
    ],
    [['a.csv', 'b.csv'], ['train']],
    [['.hidden/train.csv', 'README.md', 'dataset_info.json'], []],
  ])('splits of %j', (paths, expected) => {
    expect([...inferSplits(paths, '').keys()].sort()).toEqual(expected)
  })
})
