/** What is kept of downloads: found again, gone on from, checked, shared, and used without a network. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createDownloader } from '../../../src/data/download/downloader.ts'
import { hubClient, type HubClient } from '../../../src/data/hub/hub.ts'
import type { MockHub } from '../../mock-hub/mock-hub.ts'
import { isLong } from '../../support/long.ts'
import { chunk, large, serveFiles, setUp, small, type Bench, type Served } from './bench.ts'
import { madeBytes, seeded, sha256Of } from './doubles.ts'
import { survived, survivedDirectly } from './survived.ts'

let served: Served
let hub: MockHub
let bench: Bench
beforeAll(async () => {
  served = await serveFiles()
  hub = served.hub
})
afterAll(() => served.close())
beforeEach(async () => {
  bench = await setUp(hub)
})
afterEach(() => {
  hub.heal()
})

const isWhole = async (): Promise<boolean> => (await bench.store.list()).every((file) => file.isComplete)

describe('a ref that moves', () => {
  it('is followed by nobody: the commit that was resolved first is asked for', async () => {
    const { client, snapshot, smallFile } = bench
    mkdirSync(join(served.folder, 'moved'))
    writeFileSync(join(served.folder, 'moved', 'tokenizer.bin'), madeBytes(4000, 9))
    hub.moveTo({ models: { 'o/m': join(served.folder, 'moved') } })
    expect(sha256Of(await client.fetchFile('model', 'o/m', snapshot.commit, smallFile))).toBe(sha256Of(small))
    expect((await client.snapshot('model', 'o/m', 'main')).commit).not.toBe(snapshot.commit)
    for (const { path } of hub.requestsOf(/./)) expect(path).toContain(`/resolve/${snapshot.commit}/`)
    hub.moveTo({ models: { 'o/m': join(served.folder, 'm') } })
  })
})

describe('a file as a Blob', () => {
  const hashOf = async (blob: Blob): Promise<string> => sha256Of(new Uint8Array(await blob.arrayBuffer()))

  it('lies over the chunks that are kept, and needs no second download', async () => {
    const { client, snapshot, largeFile } = bench
    const first = await client.fetchBlob('model', 'o/m', snapshot.commit, largeFile)
    expect([first.size, await hashOf(first)]).toEqual([largeFile.bytes, largeFile.sha256])
    expect(await isWhole()).toBe(true)
    hub.goDown()
    const second = await bench.newClient().fetchBlob('model', 'o/m', snapshot.commit, largeFile)
    expect(await hashOf(second)).toBe(largeFile.sha256)
    expect(await second.slice(chunk - 2, chunk + 2).arrayBuffer()).toEqual(await first.slice(chunk - 2, chunk + 2).arrayBuffer())
  })

  it('gives the memory of a chunk back once the chunk is kept', async () => {
    const { client, snapshot, largeFile, bytes } = bench
    await client.fetchBlob('model', 'o/m', snapshot.commit, largeFile)
    // Hashes and markers are written from memory of their own.
    expect(bytes.writtenFrom.filter(({ length }) => length >= chunk)).toEqual([])
    expect(bytes.writtenFrom.length).toBeGreaterThan(largeFile.bytes / chunk)
  })

  it('is whole without room in the store, and is found out when it is not what the Hub lists', async () => {
    const { client, snapshot, largeFile, bytes } = bench
    bytes.room = 3 * chunk
    const partly = await client.fetchBlob('model', 'o/m', snapshot.commit, largeFile)
    expect(await hashOf(partly)).toBe(largeFile.sha256)
    const listed = { ...largeFile, sha256: 'f'.repeat(64) }
    await expect(client.fetchBlob('model', 'o/m', snapshot.commit, listed)).rejects.toMatchObject({ code: 'hub/corrupt' })
  })

  it('replaces a chunk that was changed where it lay', async () => {
    const { client, snapshot, largeFile, bytes } = bench
    await bench.fetchLarge()
    const [name = ''] = [...bytes.entries.keys()].filter((one) => one.endsWith('/1'))
    bytes.flip(name, 5)
    expect(await hashOf(await client.fetchBlob('model', 'o/m', snapshot.commit, largeFile))).toBe(largeFile.sha256)
  })
})

describe('a network that is down', () => {
  it('is told after eight tries', async () => {
    hub.goDown()
    await expect(bench.fetchSmall()).rejects.toMatchObject({ code: 'hub/unreachable' })
    expect(bench.clock.sleeps.length).toBeGreaterThanOrEqual(7)
  })

  it('does not matter for what is kept: a pinned commit needs no request at all', async () => {
    const { snapshot, largeFile, notices } = bench
    await bench.fetchLarge()
    hub.goDown()
    hub.requests.length = 0
    const again = bench.newClient()
    const offline = await again.snapshot('model', 'o/m', snapshot.commit)
    expect(offline.files).toEqual(snapshot.files)
    expect(sha256Of(await again.fetchFile('model', 'o/m', offline.commit, largeFile))).toBe(largeFile.sha256)
    expect([hub.requests, notices, bench.clock.sleeps]).toEqual([[], [], []])
  })

  it('leaves a branch at the commit where it was last seen, and says so', async () => {
    const { snapshot, notices } = bench
    hub.goDown()
    const offline = await bench.newClient().snapshot('model', 'o/m', 'main')
    expect([offline.commit, offline.requestedRevision]).toEqual([snapshot.commit, 'main'])
    expect(notices.at(-1)).toMatchObject({ type: 'warning', message: expect.stringContaining(snapshot.commit.slice(0, 12)) as string })
  })

  it('never turns an answer of the Hub into one of before', async () => {
    hub.always('/revision/main', { kind: 'status', status: 403, headers: { 'X-Error-Code': 'GatedRepo' } })
    await expect(bench.newClient().snapshot('model', 'o/m', 'main')).rejects.toMatchObject({ code: 'hub/gated' })
  })

  it('that only the second host has is told with its name', async () => {
    hub.always('model.onnx', { kind: 'cut', afterBytes: -1 })
    const { host } = new URL(hub.largeAddress)
    await expect(bench.fetchLarge()).rejects.toMatchObject({ code: 'hub/unreachable', message: expect.stringContaining(host) as string })
  })
})

describe('what is kept', () => {
  it('is asked for once', async () => {
    await bench.fetchLarge()
    hub.requests.length = 0
    expect(sha256Of(await bench.fetchLarge(undefined, bench.newClient()))).toBe(bench.largeFile.sha256)
    expect(hub.requests).toEqual([])
  })

  it('is found by content under another name, and lists both', async () => {
    const { client, snapshot, largeFile } = bench
    await bench.fetchLarge()
    hub.requests.length = 0
    await client.fetchFile('model', 'other/name', 'f'.repeat(40), { ...largeFile, path: 'b.onnx' })
    expect(hub.requests).toEqual([])
    const [file] = await bench.store.list()
    expect(file).toMatchObject({ key: `sha256-${largeFile.sha256 ?? ''}`, bytes: large.length, bytesKept: large.length, isComplete: true })
    expect(file?.uses).toEqual([
      { kind: 'model', id: 'o/m', commit: snapshot.commit, path: 'onnx/model.onnx' },
      { kind: 'model', id: 'other/name', commit: 'f'.repeat(40), path: 'b.onnx' },
    ])
  })

  it('goes on where a stopped download was', async () => {
    const { client, snapshot, largeFile, store } = bench
    const stop = new AbortController()
    hub.script('model.onnx', [null, null, null, { kind: 'stall', afterBytes: 0 }])
    const loading = client.fetchFile('model', 'o/m', snapshot.commit, largeFile, {
      signal: stop.signal,
      onBytes: (loaded) => {
        if (loaded >= 8 * chunk) stop.abort()
      },
    })
    await expect(loading).rejects.toMatchObject({ code: 'run/stopped' })
    const [kept] = await store.list()
    expect(kept).toMatchObject({ isComplete: false, bytes: large.length })
    expect(kept?.bytesKept).toBeGreaterThanOrEqual(2 * chunk)
    hub.heal()
    hub.requests.length = 0
    const seen: number[] = []
    expect(sha256Of(await bench.fetchLarge((loaded) => seen.push(loaded), bench.newClient()))).toBe(largeFile.sha256)
    expect(hub.bytesOf('model.onnx')).toBe(large.length - (kept?.bytesKept ?? 0))
    expect(await isWhole()).toBe(true)
  })

  it('and changed by one bit is noticed and fetched anew, wherever the bit is', async () => {
    const { bytes, largeFile } = bench
    await bench.fetchLarge()
    const pristine = new Map(bytes.entries)
    const digests = new Map([...pristine].map(([name, entry]) => [name, sha256Of(entry)]))
    const names = [...pristine.keys()].filter((name) => name.startsWith('sha256-'))
    const next = seeded(7)
    for (let round = 0; round < (isLong ? 200 : 70); round++) {
      const name = names[next(names.length)] ?? ''
      const at = next(pristine.get(name)?.length ?? 1)
      bytes.flip(name, at)
      hub.requests.length = 0
      expect(sha256Of(await bench.fetchLarge(undefined, bench.newClient())), `${name} at ${at}`).toBe(largeFile.sha256)
      // A changed chunk comes again, alone; a changed marker only means that all is checked again.
      expect(hub.requestsOf('model.onnx').length, `${name} at ${at}`).toBe(/\/\d+$/.test(name) ? 1 : 0)
      expect(sha256Of(bytes.entries.get(name) ?? new Uint8Array(0)), `${name} at ${at}`).toBe(digests.get(name))
    }
  })

  it('is shared by two tabs: each byte comes once', async () => {
    const { largeFile, notices } = bench
    const both = await Promise.all([bench.fetchLarge(), bench.fetchLarge(undefined, bench.newClient())])
    expect(both.map(sha256Of)).toEqual([largeFile.sha256, largeFile.sha256])
    expect([hub.requestsOf('model.onnx').length, hub.bytesOf('model.onnx')]).toEqual([11, large.length])
    expect(notices.some((notice) => notice.type === 'waiting' && notice.message.includes('another tab'))).toBe(true)
  })

  it.each([0, 1, 500, 10_100, 40_000, 100_000, 101_500])('may find room for %d bytes only: the file is used all the same', async (room) => {
    const { bytes, store, notices, largeFile } = bench
    bytes.room = [...bytes.entries.values()].reduce((sum, entry) => sum + entry.length, room)
    expect(sha256Of(await bench.fetchLarge())).toBe(largeFile.sha256)
    expect(notices.filter(({ type }) => type === 'warning').length).toBe(1)
    expect((await store.list()).some(({ isComplete }) => isComplete)).toBe(false)
    // Nothing is left of what failed, and all of what went well.
    for (const [name, entry] of bytes.entries) {
      const index = /\/(\d+)$/.exec(name)?.[1]
      if (index !== undefined) expect([name, entry.length]).toEqual([name, Math.min(10_000, large.length - Number(index) * 10_000) + 32])
    }
    const kept = [...bytes.entries.keys()].filter((name) => /\/\d+$/.test(name)).length
    expect(kept > 0).toBe(room > 10_100)
    const before = hub.requestsOf('model.onnx').length
    bytes.room = Infinity
    expect(sha256Of(await bench.fetchLarge(undefined, bench.newClient()))).toBe(largeFile.sha256)
    expect(await isWhole()).toBe(true)
    // It goes on where it was.
    expect(hub.requestsOf('model.onnx').length - before).toBe(11 - kept)
  })
})

describe('a file in pieces', () => {
  const stream = async (from: HubClient): Promise<Uint8Array> => {
    const pieces: Uint8Array[] = []
    for await (const piece of from.streamFile('model', 'o/m', bench.snapshot.commit, bench.largeFile)) pieces.push(piece.slice())
    return Buffer.concat(pieces)
  }

  it('comes in order, and is kept', async () => {
    expect(sha256Of(await stream(bench.client))).toBe(bench.largeFile.sha256)
    expect(await isWhole()).toBe(true)
    hub.requests.length = 0
    expect(sha256Of(await stream(bench.newClient()))).toBe(bench.largeFile.sha256)
    expect(hub.requests).toEqual([])
  })

  it.each(survived.filter(([, { kind }]) => kind !== 'wrong-byte'))('is right in spite of %s', async (_, fault) => {
    hub.script('model.onnx', [null, fault])
    expect(sha256Of(await stream(bench.client))).toBe(bench.largeFile.sha256)
    expect(hub.requests.some((request) => request.fault === fault)).toBe(true)
  })

  it('fails at its end when its content is wrong, and nothing is kept', async () => {
    hub.script('model.onnx', [null, { kind: 'wrong-byte', at: 3 }])
    await expect(stream(bench.client)).rejects.toMatchObject({ code: 'hub/corrupt' })
    expect(await bench.store.list()).toEqual([])
  })

  it('comes in the same memory again and again, whatever its length', async () => {
    const buffers = new Set<ArrayBufferLike>()
    let count = 0
    for await (const piece of bench.client.streamFile('model', 'o/m', bench.snapshot.commit, bench.largeFile)) {
      buffers.add(piece.buffer)
      count += 1
    }
    expect(count).toBeGreaterThan(6)
    // One that is read, two that are fetched meanwhile, and a shorter one at the end.
    expect(buffers.size).toBeLessThanOrEqual(4)
  })

  it('stops when nobody reads on', async () => {
    for await (const piece of bench.client.streamFile('model', 'o/m', bench.snapshot.commit, bench.largeFile)) {
      expect(piece.length).toBe(chunk)
      break
    }
    expect(hub.requestsOf('model.onnx').length).toBeLessThanOrEqual(4)
  })

  it.each([
    [0, 1],
    [0, chunk],
    [chunk - 1, chunk + 1],
    [3 * chunk + 5, 7 * chunk + 9],
    [large.length - 8, large.length],
    [0, large.length],
  ])('gives bytes %d to %d, and keeps them', async (start, end) => {
    const { client, snapshot, largeFile } = bench
    const part = await client.readRange('model', 'o/m', snapshot.commit, largeFile, start, end)
    expect(sha256Of(part)).toBe(sha256Of(large.subarray(start, end)))
    hub.requests.length = 0
    await bench.newClient().readRange('model', 'o/m', snapshot.commit, largeFile, start, end)
    expect(hub.requests).toEqual([])
  })

  // Without the whole file nobody can tell a wrong byte.
  it.each(survivedDirectly.filter(([, { kind }]) => kind !== 'wrong-byte'))(
    'gives a part without a store, in spite of %s',
    async (_, fault) => {
      const { clock, snapshot, smallFile } = bench
      hub.script('tokenizer.bin', [fault])
      const bare = hubClient({ base: hub.address, fetch, downloader: createDownloader({ clock, chunkBytes: chunk }) })
      const part = await bare.readRange('model', 'o/m', snapshot.commit, smallFile, 100, 300)
      expect(sha256Of(part)).toBe(sha256Of(small.subarray(100, 300)))
    },
  )
})
