import { describe, expect, it } from 'vitest'
import type { FileUse } from '../../../src/contracts/kept-files.ts'
import { fileKey } from '../../../src/data/download/file-key.ts'
import { memoryLocks, useLockName } from '../../../src/data/download/file-locks.ts'
import { createFileStore } from '../../../src/data/download/file-store.ts'
import { createFileUses } from '../../../src/data/download/file-uses.ts'
import { waitingSeconds } from '../../../src/data/hub/http.ts'
import { deleteFiles, tidyFiles, verifyFiles } from '../../../src/evaluation/inputs/kept-files.ts'
import { madeBytes, memoryBytes, sha256Of } from './doubles.ts'

const use: FileUse = { kind: 'model', id: 'o/m', commit: 'a'.repeat(40), path: 'p' }
const content = madeBytes(25, 3)
const key = `sha256-${sha256Of(content)}`

async function keptFile() {
  const bytes = memoryBytes()
  const store = createFileStore(bytes, 10)
  await store.describe(key, content.length, use)
  const chunks: string[] = []
  for (const index of [0, 1, 2]) chunks.push(await store.writeChunk(key, index, content.subarray(index * 10, index * 10 + 10)))
  return { bytes, store, chunks }
}

describe('a kept file', () => {
  it('counts as whole only by its marker', async () => {
    const { store, chunks } = await keptFile()
    expect(await store.list()).toEqual([{ key, bytes: 25, bytesKept: 25, isComplete: false, uses: [use] }])
    expect(await verifyFiles([key], store)).toEqual([{ key, isIntact: false }])
    await store.writeMarker(key, { bytes: 25, chunks })
    expect(await store.list()).toEqual([{ key, bytes: 25, bytesKept: 25, isComplete: true, uses: [use] }])
    expect(await verifyFiles([key], store)).toEqual([{ key, isIntact: true }])
  })

  it('is found damaged wherever a byte is changed, torn or missing', async () => {
    const { bytes, store, chunks } = await keptFile()
    await store.writeMarker(key, { bytes: 25, chunks })
    const names = [0, 1, 2, 'done'].map((name) => `${key}/${name}`)
    for (const name of names) {
      const pristine = bytes.entries.get(name) ?? new Uint8Array()
      for (const damaged of [pristine.subarray(0, -1), pristine.subarray(0, 5), new Uint8Array(), new Uint8Array([...pristine, 0])]) {
        bytes.entries.set(name, damaged)
        expect((await verifyFiles([key], store))[0]?.isIntact, name).toBe(false)
      }
      bytes.entries.set(name, pristine)
      for (let at = 0; at < pristine.length; at++) {
        bytes.flip(name, at)
        expect((await verifyFiles([key], store))[0]?.isIntact, `${name} at ${at}`).toBe(false)
        bytes.entries.set(name, pristine)
      }
    }
    expect((await verifyFiles([key], store))[0]?.isIntact).toBe(true)
  })

  it('with chunks of another file under its name is not intact', async () => {
    const { store } = await keptFile()
    const other = madeBytes(10, 4)
    const changed = await store.writeChunk(key, 1, other)
    const chunks = [sha256Of(content.subarray(0, 10)), changed, sha256Of(content.subarray(20))]
    await store.writeMarker(key, { bytes: 25, chunks })
    expect(await verifyFiles([key], store)).toEqual([{ key, isIntact: false }])
  })

  it('cannot be deleted while it is in use, and can afterwards', async () => {
    const { store } = await keptFile()
    const locks = memoryLocks()
    const uses = createFileUses(locks)
    await uses.hold(key)
    await uses.hold(key)
    await expect(deleteFiles([key], store, locks)).rejects.toMatchObject({
      code: 'run/busy',
      message: expect.stringContaining("'p' of o/m") as string,
    })
    uses.release()
    await new Promise((resolve) => setImmediate(resolve))
    await deleteFiles([key], store, locks)
    expect(await store.list()).toEqual([])
  })

  it('keeps notes apart from files', async () => {
    const { store, bytes } = await keptFile()
    await store.writeNote('a/b', 'text')
    expect([await store.readNote('a/b'), await store.readNote('a/c')]).toEqual(['text', null])
    const [name] = [...bytes.entries.keys()].filter((entry) => entry.startsWith('notes/'))
    bytes.flip(name ?? '', 0)
    expect(await store.readNote('a/b')).toBeNull()
    expect((await store.list()).length).toBe(1)
    await store.clear()
    expect(await store.list()).toEqual([])
  })
})

describe('a write that fails', () => {
  it('leaves nothing of a chunk, and the room that it took', async () => {
    const { bytes, store } = await keptFile()
    const used = () => [...bytes.entries.values()].reduce((sum, { length }) => sum + length, 0)
    const before = used()
    for (const room of [before, before + 1, before + 30, before + 41]) {
      bytes.room = room
      await expect(store.writeChunk(key, 3, new Uint8Array(10))).rejects.toMatchObject({ code: 'storage/quota' })
      expect([used(), [...(await store.chunksOf(key))].sort()]).toEqual([before, [0, 1, 2]])
    }
    bytes.room = before + 42
    await store.writeChunk(key, 3, new Uint8Array(10))
    expect(used()).toBe(before + 42)
  })

  it('leaves what was known of the file before', async () => {
    const { bytes, store } = await keptFile()
    bytes.room = [...bytes.entries.values()].reduce((sum, { length }) => sum + length, 5)
    await expect(store.describe(key, content.length, { ...use, id: 'other/name' })).rejects.toMatchObject({ code: 'storage/quota' })
    expect(await store.list()).toMatchObject([{ key, bytes: 25, bytesKept: 25, uses: [use] }])
  })
})

describe('what a killed tab has left', () => {
  it('is removed where it can’t be whole; what is whole or known stays', async () => {
    const { bytes, store, chunks } = await keptFile()
    const pristine = new Map(bytes.entries)
    const damages: readonly (readonly [name: string, torn: (entry: Uint8Array) => Uint8Array])[] = [
      ['0', (entry) => entry.subarray(0, -1)],
      ['1', () => new Uint8Array()],
      ['2', (entry) => entry.subarray(0, 3)],
      ['2', (entry) => new Uint8Array([...entry, ...entry])],
      ['about', (entry) => entry.subarray(0, 20)],
    ]
    for (const [name, tear] of damages) {
      bytes.entries.clear()
      for (const [path, entry] of pristine) bytes.entries.set(path, path === `${key}/${name}` ? tear(entry) : entry)
      await tidyFiles(store, memoryLocks())
      expect([name, [...bytes.entries.keys()].sort()]).toEqual([
        name,
        [...pristine.keys()].filter((path) => path !== `${key}/${name}`).sort(),
      ])
    }
    bytes.entries.clear()
    for (const [path, entry] of pristine) bytes.entries.set(path, entry)
    await store.writeMarker(key, { bytes: 25, chunks })
    const whole = new Map(bytes.entries)
    await tidyFiles(store, memoryLocks())
    expect(new Map(bytes.entries)).toEqual(whole)
  })

  it('is left alone while a run uses the file, and a file of which nothing came is not listed any more', async () => {
    const { bytes, store } = await keptFile()
    const locks = memoryLocks()
    const uses = createFileUses(locks)
    for (const index of [0, 1, 2]) bytes.entries.set(`${key}/${index}`, new Uint8Array(4))
    await uses.hold(key)
    await tidyFiles(store, locks)
    expect(bytes.entries.size).toBe(4)
    uses.release()
    await new Promise((resolve) => setImmediate(resolve))
    await tidyFiles(store, locks)
    expect([bytes.entries.size, await store.list()]).toEqual([0, []])
  })

  it('without a word about the file is kept where its own hash fits', async () => {
    const { bytes, store } = await keptFile()
    bytes.entries.delete(`${key}/about`)
    bytes.entries.set(`${key}/1`, (bytes.entries.get(`${key}/1`) ?? new Uint8Array()).subarray(0, 20))
    await tidyFiles(store, memoryLocks())
    expect([...bytes.entries.keys()].sort()).toEqual([`${key}/0`, `${key}/2`])
  })
})

describe('a key', () => {
  it('is the content’s where its hash is known, and else differs with every part of the place', async () => {
    const file = { path: 'p', bytes: 3, oid: null, sha256: null }
    expect(await fileKey(use, { ...file, sha256: 'f'.repeat(64), oid: 'e'.repeat(40) })).toBe(`sha256-${'f'.repeat(64)}`)
    expect(await fileKey(use, { ...file, oid: 'e'.repeat(40) })).toBe(`git-${'e'.repeat(40)}`)
    const places = await Promise.all([
      fileKey(use, file),
      fileKey({ ...use, kind: 'dataset' }, file),
      fileKey({ ...use, id: 'o/m2' }, file),
      fileKey({ ...use, id: 'o', path: 'm/p' }, file),
      fileKey({ ...use, commit: 'b'.repeat(40) }, file),
      fileKey({ ...use, path: 'p/' }, file),
      fileKey(use, { ...file, bytes: 4 }),
    ])
    expect(new Set(places).size).toBe(places.length)
  })
})

describe('locks within one worker', () => {
  it('let sharers in together, and one who needs it alone after all of them', async () => {
    const locks = memoryLocks()
    const name = useLockName('k')
    const order: string[] = []
    const one = await locks.share(name)
    const two = await locks.share(name)
    expect(await locks.tryExclusive(name, async () => 1)).toEqual({ held: true })
    const alone = locks.exclusive(name, async () => void order.push('alone'))
    const later = locks.share(name).then((release) => {
      order.push('later')
      release()
    })
    one()
    two()
    await Promise.all([alone, later])
    expect(order).toEqual(['alone', 'later'])
    expect(await locks.tryExclusive(name, async () => 1)).toEqual({ held: false, value: 1 })
  })

  it('are left when whoever waits is told to stop', async () => {
    const locks = memoryLocks()
    const release = await locks.share('n')
    const stop = new AbortController()
    const waiting = locks.exclusive('n', async () => 1, stop.signal)
    stop.abort()
    await expect(waiting).rejects.toThrow()
    release()
    expect(await locks.tryExclusive('n', async () => 2)).toEqual({ held: false, value: 2 })
  })
})

describe('the time to wait', () => {
  it.each([
    [{ 'Retry-After': '17' }, 17],
    [{ 'Retry-After': 'Sat, 21 Nov 2026 00:00:09 GMT' }, 9],
    [{ 'Retry-After': 'Fri, 20 Nov 2026 00:00:00 GMT' }, 0],
    [{ RateLimit: '"api";r=0;t=42' }, 42],
    [{ 'Retry-After': '3', RateLimit: '"api";r=0;t=42' }, 3],
    [{ 'Retry-After': 'soon' }, null],
    [{}, null],
  ])('from %j is %j s', (headers, seconds) => {
    expect(waitingSeconds(new Headers(headers as Record<string, string>), Date.UTC(2026, 10, 21))).toBe(seconds)
  })
})
