import { describe, expect, it } from 'vitest'
import { readAddress } from '../../../src/app/setup/fetch-address.ts'
import { HubToken } from '../../../src/app/setup/hub-token.svelte.ts'
import { LocalFiles, matchFile } from '../../../src/app/setup/local-files.svelte.ts'
import { neededFiles } from '../../../src/app/setup/needed-files.ts'
import { runSettings, taskListing } from '../builders.ts'
import { createFakeClient } from '../fake-client.ts'

const given = (...paths: readonly string[]) => paths.map((path) => ({ path, bytes: 1 }))
const file = (path: string) => ({ path, file: new Blob(['x']) })

describe('which given file a task’s path means', () => {
  it.each([
    ['the same path', 'data/a.jsonl', ['a.jsonl', 'data/a.jsonl'], 'data/a.jsonl'],
    ['a path that begins with ./', './a.jsonl', ['a.jsonl'], 'a.jsonl'],
    ['a longer given path', 'a.jsonl', ['b/a.jsonl'], 'b/a.jsonl'],
    ['a shorter given path', 'x/data/a.jsonl', ['data/a.jsonl', 'other/a.jsonl'], 'data/a.jsonl'],
    ['the same name elsewhere', 'x/a.jsonl', ['y/a.jsonl'], 'y/a.jsonl'],
    ['an address by its last part', 'https://example.org/d/a.jsonl', ['a.jsonl'], 'a.jsonl'],
    ['two that fit alike', 'a.jsonl', ['x/a.jsonl', 'y/a.jsonl'], null],
    ['a name that only ends alike', 'a.jsonl', ['ba.jsonl'], null],
    ['nothing', 'a.jsonl', [], null],
  ])('%s', (_, path, files, expected) => {
    expect(matchFile(path, given(...files))?.path ?? null).toBe(expected)
  })
})

describe('data files', () => {
  it('go into the settings by the task’s path, and those without a file are left out', async () => {
    const local = new LocalFiles(createFakeClient())
    await local.addDataFiles([file('data/test.jsonl'), file('train.jsonl'), file('.DS_Store')])
    expect(local.dataFiles.map(({ path }) => path)).toEqual(['data/test.jsonl', 'train.jsonl'])
    expect(local.settingsFor(['test.jsonl', 'train.jsonl', 'none.jsonl'])).toEqual({
      'test.jsonl': 'given:data/test.jsonl',
      'train.jsonl': 'given:train.jsonl',
    })
  })

  it('stand for a path that fits none where the reader says so', async () => {
    const local = new LocalFiles(createFakeClient())
    await local.addDataFiles([file('downloads/quiz (1).jsonl')])
    expect(local.fileFor('rows.jsonl')).toBeNull()
    local.useFor('rows.jsonl', 'downloads/quiz (1).jsonl')
    expect(local.settingsFor(['rows.jsonl'])).toEqual({ 'rows.jsonl': 'given:downloads/quiz (1).jsonl' })
  })

  it('are needed by chosen tasks and by members of chosen groups and tags, each once', () => {
    const tasks = [
      taskListing('a', { dataFiles: ['x.jsonl', 'y.jsonl'] }),
      taskListing('b', { dataFiles: ['x.jsonl'] }),
      taskListing('other', { dataFiles: ['z.jsonl'] }),
      taskListing('inner', { kind: 'group', members: ['b', 'outer'] }),
      taskListing('outer', { kind: 'group', members: ['inner', 'a'] }),
    ]
    expect(neededFiles(['outer'], tasks)).toEqual(['x.jsonl', 'y.jsonl'])
    expect(neededFiles(['b', 'unknown'], tasks)).toEqual(['x.jsonl'])
  })

  it('and folders of a stored run are missing until they are handed over, also under another name', async () => {
    const client = createFakeClient()
    const local = new LocalFiles(client)
    const settings = runSettings({
      model: 'folder:stick',
      dataFiles: { a: 'given:data/a.jsonl', b: 'given:data/a.jsonl', c: 'http://yardstick.localhost/x' },
    })
    expect(local.missingFor(settings)).toEqual({ folder: 'stick', files: ['data/a.jsonl'] })
    await local.addFor(['data/a.jsonl'], [file('a.jsonl'), file('other.jsonl')])
    expect(await local.openFolder({ name: 'stick', files: [file('config.json')] })).toBe('folder:stick')
    expect(local.missingFor(settings)).toEqual({ folder: null, files: [] })
    expect(local.missingFor(runSettings({ model: 'org/model' }))).toEqual({ folder: null, files: [] })
  })
})

describe('model folders', () => {
  it('say why one can’t be used, and keep the ones that can', async () => {
    const local = new LocalFiles(createFakeClient())
    expect(await local.openFolder({ name: 'good', files: [file('config.json')] })).toBe('folder:good')
    expect(await local.openFolder({ name: 'bad', files: [] })).toBeNull()
    expect([local.folderError?.code, local.opening, local.folders.map(({ name }) => name)]).toEqual(['model/not-found', null, ['good']])
    expect([local.isOpen('folder:good'), local.isOpen('folder:bad'), local.isOpen('org/model')]).toEqual([true, false, true])
  })
})

describe('a typed address', () => {
  it('is https, or http on this machine, with nothing secret in it', () => {
    expect(readAddress(' https://example.org/a.jsonl?x=1#part ').href).toBe('https://example.org/a.jsonl?x=1')
    expect(readAddress('http://localhost:8000/a').host).toBe('localhost:8000')
    for (const bad of ['', 'a.jsonl', 'http://example.org/a', 'ftp://example.org/a', 'javascript:1', 'data:,x', 'https://me@example.org/'])
      expect(() => readAddress(bad)).toThrow(expect.objectContaining({ code: 'address/failed' }))
  })
})

describe('the Hub token', () => {
  const memory = () => {
    const kept = new Map<string, string>()
    return {
      kept,
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    }
  }

  it('is stored nowhere by default, and nothing of it stays in the state', async () => {
    const storage = memory()
    const token = new HubToken(createFakeClient(), storage)
    expect(await token.use('hf_abcdefghijkl', false)).toBe(true)
    expect([...storage.kept]).toEqual([])
    expect(JSON.stringify([token.isSet, token.check, token.error])).not.toContain('hf_abc')
  })

  it('is remembered when asked for, restored without asking the Hub, and forgotten everywhere', async () => {
    const storage = memory()
    await new HubToken(createFakeClient(), storage).use('hf_abcdefghijkl', true)
    const client = createFakeClient()
    const token = new HubToken(client, storage)
    await token.restore()
    expect([token.isSet, token.isRemembered]).toEqual([true, true])
    await token.forget()
    expect([token.isSet, [...storage.kept], await client.hasToken()]).toEqual([false, [], false])
  })

  it('isn’t taken when it may write or the Hub doesn’t know it, and a new one replaces what was remembered', async () => {
    const storage = memory()
    const token = new HubToken(createFakeClient(), storage)
    expect([await token.use('hf_write-token', true), token.check?.verdict, token.isSet, storage.kept.size]).toEqual([
      false,
      'may-write',
      false,
      0,
    ])
    expect([await token.use('hf_unknown-one', true), token.check?.verdict]).toEqual([false, 'unknown'])
    await token.use('hf_abcdefghijkl', true)
    await token.use('hf_mnopqrstuvwx', false)
    expect([token.isRemembered, storage.kept.size]).toEqual([false, 0])
  })

  it('is gone when the worker that held it has died', async () => {
    const client = createFakeClient()
    const token = new HubToken(client, memory())
    await token.use('hf_abcdefghijkl', false)
    await client.useToken(null, { check: false })
    await token.restore()
    expect(token.isSet).toBe(false)
  })
})
