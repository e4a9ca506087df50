import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createHubHandler, createHubServer, type RunningHub } from '../../../src/cli/browser/hub-server.ts'
import { listRepoFiles } from '../../../src/cli/files/repo-files.ts'
import { hubClient } from '../../../src/data/hub/hub.ts'
import { statusFor } from '../raw-request.ts'

const large = Buffer.alloc(1_500_000, 'weights ')
let folder: string
let hub: RunningHub

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hub-'))
  mkdirSync(join(folder, 'm', 'onnx'), { recursive: true })
  mkdirSync(join(folder, 'm', '.cache'))
  writeFileSync(join(folder, 'm', 'README.md'), '---\nlicense: mit\n---\n')
  writeFileSync(join(folder, 'm', 'config.json'), '{}')
  writeFileSync(join(folder, 'm', 'empty'), '')
  writeFileSync(join(folder, 'm', 'onnx', 'model.onnx'), large)
  writeFileSync(join(folder, 'm', '.cache', 'secret'), 'x')
  writeFileSync(join(folder, 'outside'), 'x')
  hub = await createHubServer({ models: { 'local/m': join(folder, 'm') }, redirectsLarge: true })
})
afterAll(async () => {
  await hub.close()
  rmSync(folder, { recursive: true })
})

const client = () => hubClient({ base: hub.address, fetch })

describe('a Hub over folders', () => {
  it('lists what the client then fetches and verifies, large files through a redirect', async () => {
    const snapshot = await client().snapshot('model', 'local/m', 'main')
    expect(snapshot.license).toBe('mit')
    expect(snapshot.files.map(({ path, bytes }) => [path, bytes])).toEqual([
      ['README.md', 21],
      ['config.json', 2],
      ['empty', 0],
      ['onnx/model.onnx', large.length],
    ])
    expect(snapshot.files.at(-1)?.sha256).toBe(createHash('sha256').update(large).digest('hex'))
    for (const file of snapshot.files) expect((await client().fetchFile('model', 'local/m', snapshot.commit, file)).length).toBe(file.bytes)
    const response = await fetch(`${hub.address}/local/m/resolve/${snapshot.commit}/onnx/model.onnx`)
    expect(response.url.startsWith(`${hub.largeAddress ?? ''}/local/`)).toBe(true)
    expect(hub.largeAddress).not.toBe(hub.address)
  })

  it('answers a commit as a revision, and names another after a change', async () => {
    const { commit } = await client().snapshot('model', 'local/m', 'main')
    expect((await client().snapshot('model', 'local/m', commit)).commit).toBe(commit)
    writeFileSync(join(folder, 'm', 'config.json'), '[]')
    utimesSync(join(folder, 'm', 'config.json'), 1, 1)
    const changed = await client().snapshot('model', 'local/m', 'main')
    expect(changed.commit).not.toBe(commit)
    await expect(client().snapshot('model', 'local/m', commit)).rejects.toMatchObject({ code: 'hub/not-found' })
  })

  it.each([
    ['bytes=0-3', 206, 'weig', `bytes 0-3/${large.length}`],
    ['bytes=8-', 206, null, `bytes 8-${large.length - 1}/${large.length}`],
    ['bytes=-4', 206, 'hts ', `bytes ${large.length - 4}-${large.length - 1}/${large.length}`],
    [`bytes=${large.length}-`, 416, '', `bytes */${large.length}`],
    ['lines=1-2', 200, null, null],
  ])('answers Range %s', async (range, status, body, contentRange) => {
    const response = await fetch(`${hub.largeAddress ?? ''}/local/m/resolve/main/onnx/model.onnx`, { headers: { Range: range } })
    expect(response.status).toBe(status)
    expect(response.headers.get('Content-Range')).toBe(contentRange)
    const text = await response.text()
    if (body !== null) expect(text).toBe(body)
  })

  it.each([
    '/local/m/resolve/main/../outside',
    '/local/m/resolve/main/..%2Foutside',
    '/local/m/resolve/main/.cache/secret',
    '/local/other/resolve/main/x',
    '/local/m/resolve/v9/config.json',
  ])('has nothing at %s', async (path) => {
    expect((await fetch(hub.address + path)).status).toBe(404)
  })

  it('lets no page of another origin read it or embed it, and hears only questions', async () => {
    const file = `${hub.address}/local/m/resolve/main/config.json`
    const response = await fetch(file, { headers: { Origin: 'https://example.org' } })
    expect([response.status, await response.text()]).toEqual([200, '[]'])
    expect(response.headers.get('Access-Control-Allow-Origin')).toBeNull()
    expect(response.headers.get('Cross-Origin-Resource-Policy')).toBe('same-origin')
    for (const method of ['OPTIONS', 'POST', 'PUT', 'DELETE']) {
      const other = await fetch(file, { method })
      expect([method, other.status, other.headers.get('Access-Control-Allow-Origin')]).toEqual([method, 405, null])
    }
  })

  it.each([
    ['yardstick.example', 403],
    ['127.0.0.1', 403],
    ['localhost:1', 403],
    [null, 200],
  ])('answers to its own names alone: Host %s', async (host, status) => {
    expect(await statusFor(`${hub.address}/api/models/local/m/revision/main`, host)).toBe(status)
  })

  it('says nothing to those who do not know its path, and goes on after a path that is none', async () => {
    const { origin } = new URL(hub.address)
    expect((await fetch(`${origin}/api/models/local/m/revision/main`)).status).toBe(404)
    expect((await fetch(`${hub.address}/api/models/%ff`)).status).toBe(400)
    expect((await fetch(`${hub.address}/api/models/local/m/revision/main`)).status).toBe(200)
    const other = await createHubServer({ models: {} })
    await other.close()
    expect(new URL(other.address).pathname).toMatch(/^\/[\w-]{32}$/)
    expect(new URL(other.address).pathname).not.toBe(new URL(hub.address).pathname)
  })

  it('follows links inside the folder and into the store of the Hub cache, and no others', async () => {
    const outer = mkdtempSync(join(tmpdir(), 'links-'))
    const cached = join(outer, 'cache', 'snapshots', 'c0ffee')
    mkdirSync(join(cached, 'onnx'), { recursive: true })
    mkdirSync(join(outer, 'cache', 'blobs'))
    writeFileSync(join(outer, 'cache', 'blobs', 'abc'), 'weights')
    writeFileSync(join(outer, 'secret'), 'secret')
    mkdirSync(join(outer, 'private'))
    writeFileSync(join(outer, 'private', 'key'), 'secret')
    writeFileSync(join(cached, 'config.json'), '{}')
    symlinkSync('../../../blobs/abc', join(cached, 'onnx', 'model.onnx'))
    symlinkSync('config.json', join(cached, 'same.json'))
    symlinkSync(join(outer, 'secret'), join(cached, 'tokenizer.json'))
    symlinkSync(join(outer, 'private'), join(cached, 'data'))
    symlinkSync('..', join(cached, 'onnx', 'up'))
    symlinkSync('nowhere', join(cached, 'torn.json'))
    symlinkSync(cached, join(outer, 'model'))
    const server = await createHubServer({ models: { 'local/m': join(outer, 'model') } })
    const found = await hubClient({ base: server.address, fetch }).snapshot('model', 'local/m', 'main')
    expect(found.files.map(({ path }) => path)).toEqual(['config.json', 'onnx/model.onnx', 'same.json'])
    const place = `${server.address}/local/m/resolve/main`
    expect(await (await fetch(`${place}/onnx/model.onnx`)).text()).toBe('weights')
    for (const path of ['tokenizer.json', 'data/key', 'torn.json', 'onnx/up/config.json'])
      expect([path, (await fetch(`${place}/${path}`)).status]).toEqual([path, 404])
    expect(listRepoFiles(join(outer, 'model')).refused).toEqual(['data', 'onnx/up', 'tokenizer.json', 'torn.json'])
    await server.close()
    rmSync(outer, { recursive: true })
  })

  it('can live below a prefix of another server', async () => {
    const handler = createHubHandler({ prefix: '/local-hub', models: { 'local/m': join(folder, 'm') } })
    const server = createServer((request, response) => {
      if (!handler(request, response)) response.writeHead(200).end('the page')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const bound = server.address()
    const base = `http://127.0.0.1:${typeof bound === 'object' && bound !== null ? bound.port : 0}`
    expect((await hubClient({ base: `${base}/local-hub`, fetch }).snapshot('model', 'local/m', 'main')).files.length).toBe(4)
    expect(await (await fetch(`${base}/index.html`)).text()).toBe('the page')
    server.closeAllConnections()
    server.close()
  })
})
