import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHubServer } from '../../../src/cli/browser/hub-server.ts'
import { openFolder, type FolderFile } from '../../../src/data/hub/folder-hub.ts'
import { findModelRoot } from '../../../src/data/hub/folder-layout.ts'
import { hubClient } from '../../../src/data/hub/hub.ts'

const large = Buffer.alloc(2_500_000, 'weights ')
const model = {
  'README.md': '---\nlicense: mit\n---\n',
  'config.json': '{}',
  'tokenizer.json': '{"a": 1}',
  'onnx/model_q4.onnx': 'graph',
  'onnx/model_q4.onnx_data': large,
  'model.safetensors': Buffer.alloc(1_000_000, 'torch'),
  'just-below.bin': Buffer.alloc(999_999, 'x'),
  '.gitattributes': 'left out',
  '.cache/huggingface/x': 'left out',
}
let folder: string
/** Matches text; typed, which vitest's own matchers aren't. */
const like = (pattern: RegExp): unknown => expect.stringMatching(pattern)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'folder-hub-'))
  write('m', model)
})
afterAll(() => rmSync(folder, { recursive: true }))

function write(name: string, files: { readonly [path: string]: string | Buffer }): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name, path)), { recursive: true })
    writeFileSync(join(folder, name, path), content)
  }
}

/** The files below `root` as a browser gives them. */
function read(root: string, prefix = ''): FolderFile[] {
  return readdirSync(join(root, prefix)).flatMap((entry) => {
    const path = prefix === '' ? entry : `${prefix}/${entry}`
    if (statSync(join(root, path)).isDirectory()) return read(root, path)
    return [{ path, file: new Blob([readFileSync(join(root, path))]) }]
  })
}

const blobs = (files: { readonly [path: string]: string }): FolderFile[] =>
  Object.entries(files).map(([path, content]) => ({ path, file: new Blob([content]) }))

describe('a model from a folder', () => {
  it('has the commit and the file list that the command line’s Hub gives for the same folder', async () => {
    const server = await createHubServer({ models: { 'local/m': join(folder, 'm') } })
    const expected = await hubClient({ base: server.address, fetch }).snapshot('model', 'local/m', 'main')
    await server.close()
    const { id, hub } = await openFolder('m', read(join(folder, 'm')))
    const { id: _, ...found } = await hub.snapshot('model', id, 'main')
    const { id: __, ...wanted } = expected
    expect(found).toEqual(wanted)
    expect(found.files.map(({ path }) => path)).not.toContain('.gitattributes')
    expect(found.license).toBe('mit')
  })

  it('has the same commit in any order of its files and below any folder, and another one after any change', async () => {
    const commitOf = async (files: readonly FolderFile[]) => (await (await openFolder('m', files)).hub.snapshot('model', '', 'main')).commit
    const files = read(join(folder, 'm'))
    const commit = await commitOf(files)
    expect(await commitOf([...files].reverse())).toBe(commit)
    expect(await commitOf(files.map(({ path, file }) => ({ path: `stick/models/m/${path}`, file })))).toBe(commit)
    for (const { path } of files.filter((one) => !one.path.startsWith('.'))) {
      const changed = files.map((one) => (one.path === path ? { path, file: new Blob([one.file, 'x']) } : one))
      expect([path, await commitOf(changed)]).not.toEqual([path, commit])
    }
  })

  it('gives each file’s content, and hashes large ones as streams with progress to the last byte', async () => {
    const steps: [number, number][] = []
    const { id, hub } = await openFolder('m', read(join(folder, 'm')), { onBytes: (loaded, total) => steps.push([loaded, total]) })
    const snapshot = await hub.snapshot('model', id, 'main')
    const total = snapshot.files.reduce((sum, { bytes }) => sum + bytes, 0)
    expect(steps.at(-1)).toEqual([total, total])
    expect(steps.every(([loaded], index) => loaded >= (steps[index - 1]?.[0] ?? 0))).toBe(true)
    const data = snapshot.files.find(({ path }) => path === 'onnx/model_q4.onnx_data')
    expect(data?.sha256).toBe(createHash('sha256').update(large).digest('hex'))
    for (const file of snapshot.files) {
      const bytes = await hub.fetchFile('model', id, snapshot.commit, file)
      expect(Buffer.from(bytes).equals(readFileSync(join(folder, 'm', file.path)))).toBe(true)
    }
  })

  it('refuses a file that has become another one, or that can’t be read any more, by name', async () => {
    const stick = { isThere: true, content: 'graph' }
    // A File on a stick: reading it later may give other bytes, or fail.
    const file = new Blob(['graph'])
    file.arrayBuffer = async () => {
      if (!stick.isThere) throw new DOMException('gone', 'NotReadableError')
      return new Blob([stick.content]).arrayBuffer()
    }
    const files = [...blobs({ 'config.json': '{}' }), { path: 'onnx/model.onnx', file }]
    const { id, hub } = await openFolder('m', files)
    const { commit, files: listed } = await hub.snapshot('model', id, 'main')
    const graph = listed.find(({ path }) => path === 'onnx/model.onnx') ?? { path: '', bytes: 0, oid: null, sha256: null }
    expect(Buffer.from(await hub.fetchFile('model', id, commit, graph)).toString()).toBe('graph')
    stick.content = 'grapf'
    await expect(hub.fetchFile('model', id, commit, graph)).rejects.toMatchObject({
      code: 'local/missing',
      message: like(/'onnx\/model\.onnx' in the folder 'm'.*changed/),
    })
    stick.isThere = false
    await expect(hub.fetchFile('model', id, commit, graph)).rejects.toMatchObject({ code: 'local/missing' })
  })

  it('knows no revision but main and its commit, and stops when told to', async () => {
    const { id, hub } = await openFolder('m', read(join(folder, 'm')))
    await expect(hub.snapshot('model', id, 'v2')).rejects.toMatchObject({ code: 'hub/not-found', message: like(/'v2'/) })
    const stop = new AbortController()
    const opening = openFolder('m', read(join(folder, 'm')), { signal: stop.signal, onBytes: () => stop.abort() })
    await expect(opening).rejects.toMatchObject({ code: 'run/stopped' })
  })
})

describe('finding the model in a folder', () => {
  const root = (paths: readonly string[], mainCommit: string | null = null) => findModelRoot('stick', paths, mainCommit)
  const snapshot = (commit: string) => [
    `models--a--b/snapshots/${commit}/config.json`,
    `models--a--b/snapshots/${commit}/onnx/model.onnx`,
    `models--a--b/blobs/123`,
  ]

  it.each([
    ['the folder itself', ['config.json', 'onnx/model.onnx'], ''],
    ['a quantised variant alone', ['config.json', 'onnx/model_q4.onnx', 'onnx/model_q4.onnx_data'], ''],
    ['a folder below', ['readme.txt', 'a/b/config.json', 'a/b/onnx/model.onnx'], 'a/b/'],
    ['a snapshot of the Hub’s cache', snapshot('0123'), 'models--a--b/snapshots/0123/'],
    ['past what macOS leaves on sticks', ['m/config.json', 'm/onnx/model.onnx', '._m/config.json', '._m/onnx/model.onnx'], 'm/'],
    ['past another folder’s config', ['x/config.json', 'm/config.json', 'm/onnx/model.onnx'], 'm/'],
  ])('takes %s', (_, paths, expected) => {
    expect(root(paths)).toBe(expected)
  })

  it('takes the snapshot that refs/main names among several', () => {
    const paths = [...snapshot('0123'), ...snapshot('4567'), 'models--a--b/refs/main']
    expect(root(paths, '4567')).toBe('models--a--b/snapshots/4567/')
    expect(() => root(paths)).toThrow(/holds 2 models: 'models--a--b\/snapshots\/0123', 'models--a--b\/snapshots\/4567'/)
  })

  it.each([
    [
      'nothing',
      [],
      'model/not-found',
      /Wanted config\.json and onnx\/model\.onnx .* in the folder 'stick' or one below it; found no files/,
    ],
    ['other files', ['a.txt', 'b.txt'], 'model/not-found', /found 2 files: a\.txt, b\.txt\.$/],
    ['torch weights alone', ['config.json', 'pytorch_model.bin'], 'model/no-onnx', /found 2 files: config\.json, pytorch_model\.bin/],
    ['a graph in the wrong place', ['config.json', 'model.onnx'], 'model/no-onnx', /onnx\/model\.onnx/],
    ['two models', ['a/config.json', 'a/onnx/model.onnx', 'b/config.json', 'b/onnx/model.onnx'], 'model/not-found', /2 models: 'a', 'b'/],
    ['a cache whose links were left out', ['models--a--b/blobs/1', 'models--a--b/refs/main'], 'model/not-found', /cp -rL/],
    ['many files', Array.from({ length: 30 }, (__, at) => `${at}.txt`), 'model/not-found', /7\.txt and 22 more/],
  ])('says of %s what was looked for and found', (_, paths, code, message) => {
    expect(() => root(paths)).toThrow(expect.objectContaining({ code, message: like(message) }))
  })
})
