/**
 * The download matrix: every fault, at several places, against the mock Hub over real HTTP. Whatever happens on the way, the bytes that
 * come out have the hash that the repository lists, or an error says why not; what was sent for nothing is at most a chunk a cut.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { MockHub } from '../../mock-hub/mock-hub.ts'
import { chunk, large, serveFiles, setUp, small, type Bench, type Served } from './bench.ts'
import { sha256Of, testClock } from './doubles.ts'
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

describe.each([
  ['the first answer', 0],
  ['the fourth answer', 3],
  ['the last answer', 10],
])('a large file is right in spite of a fault in %s:', (_, place) => {
  it.each(survived)('%s', async (_name, fault) => {
    hub.script('model.onnx', [...Array.from({ length: place }, () => null), fault])
    const seen: number[] = []
    const content = await bench.fetchLarge((loaded) => seen.push(loaded))
    expect(sha256Of(content)).toBe(bench.largeFile.sha256)
    expect(hub.requests.some((request) => request.fault === fault)).toBe(true)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    expect(seen.at(-1)).toBe(large.length)
    expect(await isWhole()).toBe(true)
  })
})

describe('a small file, sent by the Hub itself, is right in spite of', () => {
  it.each(survivedDirectly)('%s', async (_name, fault) => {
    hub.script('tokenizer.bin', [fault])
    expect(sha256Of(await bench.fetchSmall())).toBe(sha256Of(small))
    expect(hub.requests.some((request) => request.fault === fault)).toBe(true)
    expect(await isWhole()).toBe(true)
  })
})

describe('what is sent for nothing', () => {
  it.each([1, 3, 7])('is at most a chunk a cut, with %d cuts', async (cuts) => {
    hub.script(
      'model.onnx',
      Array.from({ length: cuts }, (_, index) => ({ kind: 'cut', afterBytes: 1000 * (index + 1) }) as const),
    )
    expect(sha256Of(await bench.fetchLarge())).toBe(bench.largeFile.sha256)
    expect(hub.bytesOf('model.onnx')).toBeLessThanOrEqual(large.length + cuts * chunk)
  })

  it('is little, as a cut chunk goes on from its last byte', async () => {
    hub.script('tokenizer.bin', [{ kind: 'cut', afterBytes: 1500 }])
    await bench.fetchSmall()
    const ranges = hub.requestsOf('tokenizer.bin').map(({ range }) => range)
    expect(ranges.length).toBe(2)
    expect(ranges[0]).toBeNull()
    expect(hub.bytesOf('tokenizer.bin')).toBeLessThanOrEqual(small.length + 1500)
  })
})

describe('ranges', () => {
  it('are asked for as bytes=a-b only, and a small file without', async () => {
    await bench.fetchLarge()
    await bench.fetchSmall()
    const ranges = hub.requestsOf(/resolve/).flatMap(({ range }) => range ?? [])
    expect(ranges.length).toBe(11)
    for (const range of ranges) expect(range).toMatch(/^bytes=\d+-\d+$/)
  })

  it('that a server ignores make it read the file once as one stream', async () => {
    hub.always('model.onnx', { kind: 'whole' })
    expect(sha256Of(await bench.fetchLarge())).toBe(bench.largeFile.sha256)
    expect(hub.requestsOf('model.onnx').filter(({ range }) => range === null).length).toBe(1)
  })

  it('that are refused with 416 are not asked for again', async () => {
    hub.always('model.onnx', { kind: 'unsatisfiable', bytes: large.length })
    // The mock answers so to any request, with a range or without: no way is left, and that must be found out at once.
    await expect(bench.fetchLarge()).rejects.toMatchObject({ code: 'hub/corrupt' })
    expect(hub.requestsOf('model.onnx').filter(({ range }) => range === null).length).toBe(1)
  })

  it('of a file that is shorter than listed end in an error that says so', async () => {
    const short = { kind: 'truncated', afterBytes: 5 } as const
    hub.script('tokenizer.bin', [short, { kind: 'unsatisfiable', bytes: 5 }, short])
    const message = expect.stringContaining('bytes were promised') as string
    await expect(bench.fetchSmall()).rejects.toMatchObject({ code: 'hub/corrupt', message })
    expect(hub.requestsOf('tokenizer.bin').length).toBe(3)
  })
})

describe('waiting', () => {
  const waits = () => bench.notices.flatMap((notice) => (notice.type === 'waiting' ? [notice.seconds] : []))
  const countdown = (seconds: number) => Array.from({ length: seconds }, (_, index) => seconds - index)

  it.each([
    ['seconds', { 'Retry-After': '7' }, 7],
    ['a date', { 'Retry-After': 'Sat, 21 Nov 2026 00:00:09 GMT' }, 9],
    ['the Hub’s own header', { RateLimit: '"resolvers";r=0;t=30' }, 30],
  ])('takes exactly what 429 asks for in %s, counted down', async (_, headers, seconds) => {
    hub.script('tokenizer.bin', [{ kind: 'status', status: 429, headers }])
    await bench.fetchSmall()
    expect(bench.clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBe(seconds * 1000)
    expect(waits()).toEqual(countdown(seconds))
  })

  it('grows from try to try, and ends after eight', async () => {
    hub.always('tokenizer.bin', { kind: 'status', status: 503 })
    await expect(bench.fetchSmall()).rejects.toMatchObject({ code: 'hub/unreachable', message: expect.stringContaining('503') as string })
    expect(hub.requestsOf('tokenizer.bin').length).toBe(8)
    // Chance is at its middle: three quarters of 0.5, 1, 2, 4, 8, 16 and 30 seconds.
    expect(bench.clock.sleeps.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(0.75 * 61_500, 0)
  })

  it('of hours is left to the user', async () => {
    hub.always('tokenizer.bin', { kind: 'status', status: 429, headers: { 'Retry-After': '7200' } })
    const message = expect.stringContaining('7200 s') as string
    await expect(bench.fetchSmall()).rejects.toMatchObject({ code: 'hub/rate-limited', message })
    expect(hub.requestsOf('tokenizer.bin').length).toBe(1)
  })

  it('can be stopped', async () => {
    hub.always('tokenizer.bin', { kind: 'status', status: 429, headers: { 'Retry-After': '600' } })
    const stop = new AbortController()
    const clock = {
      ...testClock(),
      sleep: async (_: number, signal?: AbortSignal) => {
        stop.abort()
        signal?.throwIfAborted()
      },
    }
    bench = await setUp(hub, clock)
    const { client, snapshot, smallFile } = bench
    await expect(client.fetchFile('model', 'o/m', snapshot.commit, smallFile, { signal: stop.signal })).rejects.toMatchObject({
      code: 'run/stopped',
    })
  })
})

describe('silence', () => {
  it('breaks a stalled connection, and the chunk goes on', async () => {
    bench = await setUp(hub, testClock({ silenceMs: 1000 }))
    hub.script('model.onnx', [
      { kind: 'stall', afterBytes: 500 },
      { kind: 'stall', afterBytes: 0 },
    ])
    expect(sha256Of(await bench.fetchLarge())).toBe(bench.largeFile.sha256)
  })

  it('is a trickle by which no file would ever come', async () => {
    bench = await setUp(hub, testClock({ silenceMs: 1000 }))
    const trickle = { kind: 'slow', bytesPerStep: 1, stepMs: 50 } as const
    hub.script('model.onnx', [null, trickle])
    expect(sha256Of(await bench.fetchLarge())).toBe(bench.largeFile.sha256)
    hub.script('tokenizer.bin', [trickle])
    expect(sha256Of(await bench.fetchSmall())).toBe(sha256Of(small))
    expect(hub.requestsOf('tokenizer.bin').length).toBe(2)
  }, 20_000)

  it('is not what a slow connection is', async () => {
    bench = await setUp(hub, testClock({ silenceMs: 1500 }))
    hub.script('tokenizer.bin', [{ kind: 'slow', bytesPerStep: 200, stepMs: 100 }])
    await bench.fetchSmall()
    expect(hub.requestsOf('tokenizer.bin').length).toBe(1)
  })
})

describe('refusals are told apart and never tried again:', () => {
  it.each([
    [401, {}, 'hub/unauthorized'],
    [401, { 'X-Error-Code': 'GatedRepo' }, 'hub/gated'],
    [403, { 'X-Error-Code': 'GatedRepo' }, 'hub/gated'],
    [403, {}, 'hub/gated'],
    [404, { 'X-Error-Code': 'EntryNotFound' }, 'hub/not-found'],
  ])('%d %j', async (status, headers, code) => {
    hub.always('model.onnx', { kind: 'status', status, headers }, 'hub')
    await expect(bench.fetchLarge()).rejects.toMatchObject({ code, message: expect.stringContaining('o/m') as string })
    // Those that were on their way when the first was refused.
    expect(hub.requests.length).toBeLessThanOrEqual(5)
    expect(hub.requests.every(({ origin }) => origin === 'hub')).toBe(true)
    expect(bench.clock.sleeps).toEqual([])
  })
})

describe('a second host whose links run out', () => {
  it.each([1, 5])('is asked through the Hub anew, %d times in a row', async (times) => {
    const gone = { kind: 'status', status: 403 } as const
    hub.script('model.onnx', [null, ...Array.from({ length: times }, () => gone)], 'large')
    expect(sha256Of(await bench.fetchLarge())).toBe(bench.largeFile.sha256)
    // Every try begins at the Hub, which gives a new link.
    const [atHub, atLarge] = ['hub', 'large'].map((origin) =>
      hub.requests.filter((one) => one.origin === origin && /resolve/.test(one.path)),
    )
    expect(atHub?.length).toBe(atLarge?.length)
  })

  it('and never gives a good one ends in an error that names both', async () => {
    hub.always('model.onnx', { kind: 'status', status: 403 }, 'large')
    const { host } = new URL(hub.address)
    await expect(bench.fetchLarge()).rejects.toMatchObject({
      code: 'hub/unreachable',
      message: expect.stringMatching(
        new RegExp(`^${host} sends file 'onnx/model.onnx' of model 'o/m' from 127.0.0.1:\\d+, which answered 403`),
      ) as string,
    })
  })
})

describe('a burst of errors', () => {
  it.each([500, 502, 503])('%d on everything costs tries, no bytes', async (status) => {
    hub.script(
      'model.onnx',
      Array.from({ length: 12 }, () => ({ kind: 'status', status }) as const),
    )
    expect(sha256Of(await bench.fetchLarge())).toBe(bench.largeFile.sha256)
    expect(hub.bytesOf('model.onnx')).toBe(large.length)
  })
})

describe('something between that packs what it passes on', () => {
  it('changes nothing, neither where it packs parts nor where it sends all', async () => {
    hub.always('model.onnx', { kind: 'gzip' })
    hub.always('tokenizer.bin', { kind: 'gzip' })
    expect(sha256Of(await bench.fetchLarge())).toBe(bench.largeFile.sha256)
    expect(sha256Of(await bench.fetchSmall())).toBe(sha256Of(small))
    expect(await isWhole()).toBe(true)
  })
})

describe('content that is not what the Hub lists', () => {
  it('is dropped and fetched once more', async () => {
    hub.script('model.onnx', [null, { kind: 'wrong-byte', at: 5 }])
    expect(sha256Of(await bench.fetchLarge())).toBe(bench.largeFile.sha256)
    expect(bench.notices.filter(({ type }) => type === 'warning').length).toBe(1)
  })

  it('twice is an error, and nothing is kept', async () => {
    hub.always('model.onnx', { kind: 'wrong-byte', at: 5 })
    await expect(bench.fetchLarge()).rejects.toMatchObject({
      code: 'hub/corrupt',
      message: expect.stringContaining('model.onnx') as string,
    })
    expect(hub.requestsOf('model.onnx').length).toBe(22)
    expect(await bench.store.list()).toEqual([])
  })

  it('is never a page that was kept', async () => {
    hub.always('model.onnx', { kind: 'page', type: 'html' })
    await expect(bench.fetchLarge()).rejects.toMatchObject({ code: 'hub/corrupt', message: expect.stringContaining('web page') as string })
    expect((await bench.store.list()).filter(({ bytesKept }) => bytesKept > 0)).toEqual([])
  })

  it('half of one state and half of another is neither', async () => {
    hub.script('model.onnx', [null, null, null, null, null, { kind: 'wrong-byte', at: 0 }, { kind: 'wrong-byte', at: 1 }])
    expect(sha256Of(await bench.fetchLarge())).toBe(bench.largeFile.sha256)
  })
})
