import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { allowHub, allowHubInPage, appHeaders, headersAt, parseHeadersFile } from '../../../src/cli/browser/policy.ts'
import { contentType, parseRange, serve, type RunningServer, type ServeOptions } from '../../../src/cli/browser/serve.ts'
import { namesOf } from '../../../src/cli/browser/this-machine.ts'
import { statusFor } from '../raw-request.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const policy = "default-src 'none'; connect-src 'self' https://huggingface.co; base-uri 'none'"
const open: RunningServer[] = []

afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

function makeApp(): string {
  const outer = temporaryFolder('serve')
  const folder = join(outer, 'dist')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  mkdirSync(join(folder, 'hub', 'api', 'models', 'a'), { recursive: true })
  writeFileSync(
    join(folder, '_headers'),
    `/*\n  Content-Security-Policy: ${policy}\n  Cross-Origin-Opener-Policy: same-origin\n  Cross-Origin-Embedder-Policy: require-corp\n\n/assets/*\n  Cache-Control: x\n`,
  )
  writeFileSync(join(folder, 'index.html'), `<meta http-equiv="Content-Security-Policy" content="${policy}"><p>app</p>`)
  writeFileSync(join(folder, 'assets', 'a.wasm'), '0123456789')
  writeFileSync(join(folder, 'hub', 'api', 'models', 'a', 'b'), '{}')
  writeFileSync(join(folder, 'model.onnx_data'), 'weights')
  writeFileSync(join(outer, 'secret.txt'), 'secret')
  symlinkSync(join(outer, 'secret.txt'), join(folder, 'link.txt'))
  return folder
}

async function start(options: Partial<ServeOptions> = {}): Promise<RunningServer> {
  const server = await serve({ folder: makeApp(), port: 0, ...options })
  open.push(server)
  return server
}

describe('serve', () => {
  it('sends the policy and the isolation headers with every answer', async () => {
    const { address } = await start()
    for (const path of ['', 'assets/a.wasm', 'nothing']) {
      const { headers } = await fetch(address + path)
      expect(headers.get('content-security-policy')).toBe(policy)
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
      expect(headers.get('cross-origin-embedder-policy')).toBe('require-corp')
    }
  })

  it('sends none of them when it stands in for a plain file host', async () => {
    const { address } = await start({ withHeaders: false })
    const { headers } = await fetch(address)
    expect(headers.get('content-security-policy')).toBeNull()
    expect(headers.get('cross-origin-embedder-policy')).toBeNull()
  })

  it('gives ranges, also from the end', async () => {
    const { address } = await start()
    const part = await fetch(`${address}assets/a.wasm`, { headers: { Range: 'bytes=2-4' } })
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([206, 'bytes 2-4/10', '234'])
    const tail = await fetch(`${address}assets/a.wasm`, { headers: { Range: 'bytes=-3' } })
    expect(await tail.text()).toBe('789')
    const beyond = await fetch(`${address}assets/a.wasm`, { headers: { Range: 'bytes=10-' } })
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */10'])
  })

  it.each([
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/assets/../../secret.txt',
    '/%2e%2e/secret.txt',
    '/link.txt',
    '/a%00.txt',
    '/assets',
    '/%ff',
  ])('gives nothing outside the app for %s', async (path) => {
    const { address } = await start()
    expect([400, 404]).toContain(await statusFor(new URL(address).origin + path))
  })

  it('refuses to be written to', async () => {
    const { address } = await start()
    expect((await fetch(address, { method: 'POST', body: 'x' })).status).toBe(405)
  })

  it('works under a sub-path', async () => {
    const { address, port } = await start({ base: '/x/' })
    expect(address).toBe(`http://127.0.0.1:${port}/x/`)
    expect((await fetch(address)).status).toBe(200)
    expect(await statusFor(`http://127.0.0.1:${port}/`)).toBe(404)
  })

  it('serves the named local files and no others, as bytes, below the secret path', async () => {
    const folder = temporaryFolder('files')
    writeFileSync(join(folder, 'été.html'), 'rows')
    writeFileSync(join(folder, 'other.html'), 'other')
    const { address, secret } = await start({
      hub: 'http://127.0.0.1:9',
      localFiles: new Map([['/local-files/0/été.html', join(folder, 'été.html')]]),
    })
    const place = new URL(secret, address).href
    const file = `local-files/0/${encodeURIComponent('été.html')}`
    const given = await fetch(`${place}/${file}`, { headers: { Origin: 'https://example.org' } })
    expect([given.headers.get('content-type'), await given.text()]).toEqual(['application/octet-stream', 'rows'])
    expect(given.headers.get('access-control-allow-origin')).toBeNull()
    expect(given.headers.get('cross-origin-resource-policy')).toBe('same-origin')
    for (const path of [`${place}/local-files/0/other.html`, `${place}/local-files/1/other.html`, address + file])
      expect([path, (await fetch(path)).status]).toEqual([path, 404])
  })

  it('hands requests below /local-hub of the secret path to its handler, without the prefix', async () => {
    const { address, secret } = await start({ localHub: (incoming, response) => response.end(incoming.url) })
    expect(await (await fetch(`${new URL(secret, address).href}/local-hub/api/models/a?x=1`)).text()).toBe('/api/models/a?x=1')
    expect((await fetch(`${address}local-hub/api/models/a?x=1`)).status).toBe(404)
    const posted = await fetch(`${new URL(secret, address).href}/local-hub/api/models/a`, { method: 'POST', body: 'x' })
    expect(posted.status).toBe(405)
  })

  it('has another secret path at each start', async () => {
    const paths = [(await start()).secret, (await start()).secret]
    expect(new Set(paths).size).toBe(2)
    for (const path of paths) expect(path).toMatch(/^\/[\w-]{32}$/)
  })

  it('answers to its own names alone', async () => {
    const { address, port } = await start()
    for (const host of [`127.0.0.1:${port}`, `LOCALHOST:${port}`, `[::1]:${port}`]) expect(await statusFor(address, host)).toBe(200)
    for (const host of ['example.org', `example.org:${port}`, `127.0.0.1.example.org:${port}`, 'localhost', 'localhost:1'])
      expect([host, await statusFor(address, host)]).toEqual([host, 403])
  })

  it('answers to other names when it is told', async () => {
    const { address, port } = await start({ answersTo: (host) => host === 'yardstick.localhost' })
    expect(await statusFor(address, 'yardstick.localhost')).toBe(200)
    for (const host of [`127.0.0.1:${port}`, `yardstick.localhost:${port}`]) expect(await statusFor(address, host)).toBe(403)
  })

  it('allows another Hub in the header and in the page', async () => {
    const { address } = await start({ hub: 'http://127.0.0.1:9' })
    const response = await fetch(address)
    const expected = allowHub(policy, 'http://127.0.0.1:9')
    expect(expected).toContain('http://127.0.0.1:*')
    expect(response.headers.get('content-security-policy')).toBe(expected)
    expect(await response.text()).toContain(`content="${expected}"`)
  })
})

describe('the names of a server for people', () => {
  it.each([
    ['localhost:8080', true],
    ['yardstick.localhost:4173', true],
    ['127.0.0.1', true],
    ['127.1.2.3:9', true],
    ['[::1]:4173', true],
    ['box.example.org', true],
    ['BOX.example.org.:1', true],
    ['a.preview.example.net:443', true],
    ['preview.example.net', false],
    ['evil.example', false],
    ['box.example.org.evil.example', false],
    ['notlocalhost', false],
    ['127.0.0.1.evil.example', false],
    ['192.168.0.7:4173', false],
    ['', false],
  ])('%s: %s on loopback', (host, isOwn) => {
    expect(namesOf('127.0.0.1', ['box.example.org', '.preview.example.net'])(host)).toBe(isOwn)
  })

  it('has addresses among them once it listens for other machines: only names can be made to lead elsewhere', () => {
    const isOwn = namesOf('0.0.0.0', [])
    expect(['192.168.0.7:4173', '[fe80::1]:1', 'localhost', 'evil.example'].map(isOwn)).toEqual([true, true, true, false])
  })
})

describe('policy', () => {
  it('gives each path the headers of every rule that is meant for it, joined as hosts join them', () => {
    const rules = parseHeadersFile('# c\n/*\n  A: 1\n  B: x: y\n/assets/*\n  C: 2\n  A: 3\n/p.html\n  D: 4\n')
    const common = [
      ['A', '1'],
      ['B', 'x: y'],
    ]
    expect(headersAt(rules, '/')).toEqual(common)
    expect(headersAt(rules, '/assets/x.js')).toEqual([
      ['A', '1, 3'],
      ['B', 'x: y'],
      ['C', '2'],
    ])
    expect(headersAt(rules, '/p.html')).toEqual([...common, ['D', '4']])
    expect(headersAt(rules, '/p.html.js')).toEqual(common)
  })

  it('says the same in the headers and in the pages, one policy a path', () => {
    const root = join(import.meta.dirname, '../../..')
    const headerOf = (path: string, hub: string | null = null) =>
      new Map(appHeaders(join(root, 'public/_headers'), hub)(path)).get('Content-Security-Policy') ?? ''
    const metaOf = (page: string) =>
      /http-equiv="Content-Security-Policy"\s+content="([^"]+)"/.exec(readFileSync(join(root, page), 'utf8'))?.[1] ?? ''
    expect(headerOf('/')).toBe(`${metaOf('index.html')}; frame-ancestors 'none'`)
    for (const path of ['/index.html', '/driver.html', '/driver', '/assets/run.js', '/hub/x', '/tasks/x'])
      expect(headerOf(path)).toBe(headerOf('/'))
    // The driver shows no frame.
    expect(metaOf('driver.html')).toBe(metaOf('index.html').replace(" frame-src 'self';", ''))
    for (const path of ['/address.html', '/address']) {
      expect(headerOf(path)).toBe(`${metaOf('address.html')}; frame-ancestors 'self'`)
      expect(headerOf(path, 'http://hub.example:1')).toBe(headerOf(path))
    }
    expect(headerOf('/', 'http://hub.example:1')).toContain('http://hub.example:*')
    expect(headerOf('/')).not.toMatch(/connect-src[^;]* https:(?!\/)/)
  })

  it('adds a Hub to connect-src alone', () => {
    expect(allowHub("script-src 'self'; connect-src 'self'", 'https://hub.example.org/x')).toBe(
      "script-src 'self'; connect-src 'self' https://hub.example.org:* https://*.hub.example.org:*",
    )
    expect(allowHub(policy, null)).toBe(policy)
    expect(allowHubInPage('<p>no policy</p>', 'http://localhost:1')).toBe('<p>no policy</p>')
  })
})

describe('types and ranges', () => {
  it.each([
    ['a/b.mjs', 'text/javascript; charset=utf-8'],
    ['a/b.wasm', 'application/wasm'],
    ['hub/api/models/a/b', 'application/json; charset=utf-8'],
    ['hub/a/b/resolve/main/LICENSE', 'application/octet-stream'],
    ['model.onnx_data', 'application/octet-stream'],
  ])('%s is %s', (file, type) => {
    expect(contentType(file)).toBe(type)
  })

  it.each([
    [undefined, null],
    ['bytes=0-', { start: 0, end: 9 }],
    ['bytes=5-100', { start: 5, end: 9 }],
    ['bytes=-100', { start: 0, end: 9 }],
    ['bytes=-0', 'unsatisfiable'],
    ['bytes=4-2', null],
    ['bytes=0-1,3-4', null],
    ['items=0-1', null],
  ])('%s of ten bytes', (header, expected) => {
    expect(parseRange(header, 10)).toEqual(expected)
  })
})
