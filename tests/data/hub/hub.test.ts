import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RepoFile } from '../../../src/contracts/models.ts'
import { loadSplits } from '../../../src/data/dataset/dataset.ts'
import { createDownloader } from '../../../src/data/download/downloader.ts'
import { hubClient } from '../../../src/data/hub/hub.ts'
import { readBundledIds, routeHub } from '../../../src/data/hub/hubs.ts'
import { reply, startFaultHub, type FaultHub } from '../../mock-hub/fault-hub.ts'
import { testClock } from '../download/doubles.ts'

const commit = 'a'.repeat(40)
const content = new TextEncoder().encode('some weights')
const sha256 = createHash('sha256').update(content).digest('hex')
const oid = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
const file: RepoFile = { path: 'onnx/model.onnx', bytes: content.length, oid: null, sha256 }

/** Tries again without waiting, and keeps nothing. */
const hasty = () => createDownloader({ clock: testClock() })

let hub: FaultHub
beforeEach(async () => {
  hub = await startFaultHub()
})
afterEach(() => hub.close())

describe('a snapshot', () => {
  const info = (extra: object = {}): string => JSON.stringify({ sha: commit, ...extra })

  it('has the commit, all pages of files with their hashes, and the licence', async () => {
    hub.answers.set('/api/models/o/m/revision/main', reply(200, info({ cardData: { license: 'mit' } })))
    hub.answers.set(
      `/api/models/o/m/tree/${commit}?recursive=true&cursor=2`,
      reply(200, JSON.stringify([{ type: 'file', path: 'b', size: 2, oid: 'pointer', lfs: { oid: 'big' } }])),
    )
    hub.answers.set(
      `/api/models/o/m/tree/${commit}`,
      reply(
        200,
        JSON.stringify([
          { type: 'directory', path: 'd' },
          { type: 'file', path: 'a', size: 1, oid: 'small' },
        ]),
        {
          Link: `<${hub.address}/api/models/o/m/tree/${commit}?recursive=true&cursor=2>; rel="next"`,
        },
      ),
    )
    expect(await hubClient({ base: hub.address, fetch, downloader: hasty() }).snapshot('model', 'o/m', 'main')).toEqual({
      kind: 'model',
      id: 'o/m',
      requestedRevision: 'main',
      commit,
      license: 'mit',
      files: [
        { path: 'a', bytes: 1, oid: 'small', sha256: null },
        { path: 'b', bytes: 2, oid: null, sha256: 'big' },
      ],
    })
  })

  it.each([
    ['gated', { gated: 'auto', private: false }, true],
    ['gated by hand', { gated: 'manual' }, true],
    ['private', { gated: false, private: true }, true],
    ['open', { gated: false, private: false }, undefined],
    ['open, of a Hub that says nothing', {}, undefined],
  ])('tells a repository that is %s', async (_, extra, expected) => {
    hub.answers.set('/api/datasets/o/d/revision/main', reply(200, info(extra)))
    const rows = '{"a": 1}\n'
    const rowsOid = createHash('sha1').update(`blob ${rows.length}\0${rows}`).digest('hex')
    const listed = { type: 'file', path: 'test.jsonl', size: rows.length, oid: rowsOid }
    hub.answers.set(`/api/datasets/o/d/tree/${commit}`, reply(200, JSON.stringify([listed])))
    const client = hubClient({ base: hub.address, fetch, downloader: hasty() })
    expect((await client.snapshot('dataset', 'o/d', 'main')).isRestricted).toBe(expected)
    hub.answers.set(`/datasets/o/d/resolve/${commit}/test.jsonl`, reply(200, rows))
    const reference = { path: 'o/d', name: null, kwargs: {}, dataFiles: null }
    const { origin } = await loadSplits(reference, ['test'], { hubOf: () => client, fetch, dataFiles: {} })
    expect(origin.isRestricted).toBe(expected)
  })

  it.each([
    ['an unknown repository', 404, { 'X-Error-Code': 'RepoNotFound' }, 'hub/not-found', /no model 'o\/m' at revision 'main'/],
    [
      'an unknown repository, asked for anonymously',
      401,
      { 'X-Error-Code': 'RepoNotFound' },
      'hub/not-found',
      /private, a token is needed/,
    ],
    ['a private one', 401, {}, 'hub/unauthorized', /needs a token/],
    ['a gated one', 403, { 'X-Error-Code': 'GatedRepo' }, 'hub/gated', /accepted its terms.*\/o\/m\./],
    ['a gated one, asked for anonymously', 401, { 'X-Error-Code': 'GatedRepo' }, 'hub/gated', /accepted its terms/],
    ['a Hub that has had enough', 429, { 'Retry-After': '17' }, 'hub/rate-limited', /17 s/],
    ['a Hub that says so in its own way', 429, { RateLimit: '"api";r=0;t=42' }, 'hub/rate-limited', /42 s/],
    ['a broken Hub', 503, {}, 'hub/unreachable', /503/],
  ])('tells %s', async (_, status, headers, code, message) => {
    hub.answers.set('/api/', reply(status, '', headers))
    await expect(hubClient({ base: hub.address, fetch, downloader: hasty() }).snapshot('model', 'o/m', 'main')).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    })
  })

  it.each([
    [404, {}, /^127\.0\.0\.1:\d+ has no model 'o\/m' at revision 'main'\.$/],
    [401, {}, /^127\.0\.0\.1:\d+ has no public model 'o\/m' at revision 'main': it does not exist, or it is private and needs a token\./],
    [403, {}, /^127\.0\.0\.1:\d+ gives model 'o\/m' at revision 'main' only to those who have accepted its terms \(403\)\./],
    [403, { 'X-Error-Code': 'Other' }, /^127\.0\.0\.1:\d+ refuses model 'o\/m' at revision 'main' to this token \(403\)\./],
    [500, {}, /^127\.0\.0\.1:\d+ answered 500 for model 'o\/m' at revision 'main'\.$/],
  ])('says so in a sentence: %d %j', async (status, headers, sentence) => {
    hub.answers.set('/api/', reply(status, '', headers))
    const client = hubClient({ base: hub.address, fetch, downloader: hasty() })
    await expect(client.snapshot('model', 'o/m', 'main')).rejects.toThrow(sentence)
  })

  it('reads no answer without an end', async () => {
    hub.answers.set('/api/', (_, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' })
      const more = (): void => {
        while (!response.destroyed && response.write(' '.repeat(2 ** 20)));
      }
      response.on('drain', more)
      more()
    })
    const client = hubClient({ base: hub.address, fetch, downloader: hasty() })
    await expect(client.snapshot('model', 'o/m', 'main')).rejects.toMatchObject({
      code: 'hub/corrupt',
      message: expect.stringMatching(/sends more than 64 MiB for model 'o\/m' at revision 'main'\.$/) as string,
    })
    expect(hub.requests.length).toBe(1)
  })

  it('tells a Hub that is not there', async () => {
    const { address } = hub
    await hub.close()
    await expect(hubClient({ base: address, fetch, downloader: hasty() }).snapshot('model', 'o/m', 'main')).rejects.toMatchObject({
      code: 'hub/unreachable',
    })
    hub = await startFaultHub()
  })

  it('takes a web page for a repository that is not there, or for a network’s own', async () => {
    hub.answers.set('/api/', reply(200, '<!doctype html><title>app</title>', { 'Content-Type': 'text/html' }))
    await expect(hubClient({ base: hub.address, fetch, downloader: hasty() }).snapshot('model', 'o/m', 'main')).rejects.toMatchObject({
      code: 'hub/not-found',
      message: expect.stringMatching(/answered a web page for model 'o\/m' at revision 'main'\. .* this network wants a log-in/) as string,
    })
  })

  it.each(['../x', 'a/b/c', 'a b', 'http://x', '', 'a/..', '?x'])('asks nothing for the id %j', async (id) => {
    await expect(hubClient({ base: hub.address, fetch }).snapshot('model', id, 'main')).rejects.toMatchObject({ code: 'hub/not-found' })
    expect(hub.requests).toEqual([])
  })

  it('sends a token to the Hub itself and to nobody else', async () => {
    const sent: (readonly [string, string | null])[] = []
    const spy = async (address: string, init: RequestInit): Promise<Response> => {
      sent.push([new URL(address).origin, new Headers(init.headers).get('Authorization')])
      return new Response('{}', { status: 404 })
    }
    for (const base of ['https://huggingface.co', hub.address, 'https://huggingface.co.example.org'])
      await hubClient({ base, fetch: spy, token: 'hf_CANARY' })
        .snapshot('model', 'o/m', 'main')
        .catch(() => undefined)
    expect(sent.map(([origin, authorization]) => [origin, authorization !== null])).toEqual([
      ['https://huggingface.co', true],
      [hub.address, false],
      ['https://huggingface.co.example.org', false],
    ])
  })

  it('sends a token to another address only when that one is named for it', async () => {
    const sent: (string | null)[] = []
    const spy = async (_address: string, init: RequestInit): Promise<Response> => {
      sent.push(new Headers(init.headers).get('Authorization'))
      return new Response('{}', { status: 404 })
    }
    const tokenOrigin = new URL(hub.address).origin
    for (const base of [hub.address, 'https://huggingface.co'])
      await hubClient({ base, fetch: spy, token: 'hf_CANARY', tokenOrigin })
        .snapshot('model', 'o/m', 'main')
        .catch(() => undefined)
    expect(sent).toEqual(['Bearer hf_CANARY', null])
  })
})

describe('a file', () => {
  const fetchIt = (wanted: RepoFile = file): Promise<Uint8Array> =>
    hubClient({ base: hub.address, fetch, downloader: hasty() }).fetchFile('model', 'o/m', commit, wanted)

  it('comes from its commit, with progress', async () => {
    hub.answers.set(`/o/m/resolve/${commit}/onnx/model.onnx`, reply(200, content))
    const seen: number[] = []
    const bytes = await hubClient({ base: hub.address, fetch }).fetchFile('model', 'o/m', commit, file, {
      onBytes: (loaded) => seen.push(loaded),
    })
    expect(bytes).toEqual(content)
    expect(seen.at(-1)).toBe(content.length)
  })

  it('of a dataset has an address of its own, with its name escaped', async () => {
    hub.answers.set(`/datasets/o/d/resolve/${commit}/a%20b/c%23.jsonl`, reply(200, content))
    expect(await hubClient({ base: hub.address, fetch }).fetchFile('dataset', 'o/d', commit, { ...file, path: 'a b/c#.jsonl' })).toEqual(
      content,
    )
  })

  it.each([
    ['cut', content.subarray(0, 5), /12 bytes were promised, 5 came/],
    ['too long', new TextEncoder().encode('some weights and more'), /12 bytes were promised/],
    ['of other bytes', new TextEncoder().encode('some_weights'), /not what the Hub lists/],
  ])('that is %s is refused', async (_, body, message) => {
    hub.answers.set('/o/m/', reply(200, body))
    await expect(fetchIt()).rejects.toMatchObject({ code: 'hub/corrupt', message: expect.stringMatching(message) as string })
  })

  it('is checked by its git name where the Hub gives no other', async () => {
    hub.answers.set('/o/m/', reply(200, content))
    expect(await fetchIt({ ...file, sha256: null, oid })).toEqual(content)
    await expect(fetchIt({ ...file, sha256: null, oid: 'f'.repeat(40) })).rejects.toMatchObject({ code: 'hub/corrupt' })
  })

  it.each([
    [{ 'Content-Type': 'text/html; charset=utf-8' }, '<p>log in</p>'],
    [{}, '<!DOCTYPE html>'],
  ])('that is a web page is told apart: %j', async (headers, body) => {
    hub.answers.set('/o/m/', reply(200, body, headers))
    await expect(fetchIt()).rejects.toMatchObject({ code: 'hub/corrupt', message: expect.stringContaining('web page') as string })
  })

  it('whose connection breaks is unreachable', async () => {
    hub.answers.set('/o/m/', (_, response) => {
      response.writeHead(200, { 'Content-Length': String(content.length) })
      response.write(content.subarray(0, 4), () => response.destroy())
    })
    await expect(fetchIt()).rejects.toMatchObject({ code: 'hub/unreachable' })
  })

  it('stops when it is told to', async () => {
    const stop = new AbortController()
    hub.answers.set('/o/m/', (_, response) => {
      response.writeHead(200).write('x')
      stop.abort()
    })
    await expect(
      hubClient({ base: hub.address, fetch }).fetchFile('model', 'o/m', commit, file, { signal: stop.signal }),
    ).rejects.toMatchObject({ code: 'run/stopped' })
    await expect(
      hubClient({ base: hub.address, fetch }).fetchFile('model', 'o/m', commit, file, { signal: stop.signal }),
    ).rejects.toMatchObject({ code: 'run/stopped' })
  })
})

describe('routes', () => {
  it('lead to the bundled Hub for what it holds', () => {
    const ids = readBundledIds({ models: [{ id: 'y/m' }], datasets: ['y/d'] })
    const bundled = hubClient({ base: 'https://here.example/hub', fetch })
    const remote = hubClient({ base: 'https://huggingface.co', fetch })
    const route = routeHub({ bundled, ids, remote })
    expect([route('model', 'y/m'), route('dataset', 'y/d'), route('dataset', 'y/m'), route('model', 'o/m')]).toEqual([
      bundled,
      bundled,
      remote,
      remote,
    ])
  })

  it('need a list', () => {
    expect(() => readBundledIds({})).toThrow(/list of models/)
    expect(() => readBundledIds({ models: [{}] })).toThrow(/without an id/)
  })
})
