import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hubClient } from '../../src/data/hub/hub.ts'
import { startMockHub, type Fault, type MockHub } from './mock-hub.ts'

const content = Buffer.from('0123456789'.repeat(100))
let folder: string
let hub: MockHub
let address: string

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mock-hub-'))
  for (const version of ['one', 'two']) {
    mkdirSync(join(folder, version))
    writeFileSync(join(folder, version, 'large.bin'), content)
    writeFileSync(join(folder, version, 'config.json'), `{"version": "${version}"}`)
  }
  hub = await startMockHub({ models: { 'o/m': join(folder, 'one') }, largeFromBytes: 500 })
  address = `${hub.address}/o/m/resolve/main/large.bin`
})
afterEach(async () => {
  await hub.close()
  rmSync(folder, { recursive: true })
})

const ranged = (range: string) => fetch(address, { headers: { Range: range } })

describe('the mock Hub', () => {
  it('redirects large files to its second origin and records both requests', async () => {
    const response = await ranged('bytes=10-19')
    expect([response.status, await response.text(), new URL(response.url).origin]).toEqual([206, '0123456789', hub.largeAddress])
    expect(hub.requests.map(({ origin, range, status, bytesSent }) => [origin, range, status, bytesSent])).toEqual([
      ['hub', 'bytes=10-19', 302, 0],
      ['large', 'bytes=10-19', 206, 10],
    ])
    expect(hub.bytesOf('large.bin')).toBe(10)
  })

  it('spoils the nth answer as its script says, then heals', async () => {
    hub.script('large.bin', [null, { kind: 'status', status: 503, headers: { 'Retry-After': '3' } }])
    expect((await ranged('bytes=0-0')).status).toBe(206)
    const spoilt = await ranged('bytes=0-0')
    expect([spoilt.status, spoilt.headers.get('Retry-After')]).toEqual([503, '3'])
    expect((await ranged('bytes=0-0')).status).toBe(206)
    hub.script('large.bin', [{ kind: 'status', status: 429 }], 'hub')
    expect((await ranged('bytes=0-0')).status).toBe(429)
    expect(hub.requests.at(-1)?.origin).toBe('hub')
  })

  const answersOf: readonly (readonly [Fault, number, string, string | null])[] = [
    [{ kind: 'whole' }, 200, content.toString(), null],
    [{ kind: 'unsatisfiable', bytes: 7 }, 416, '', 'bytes */7'],
    [{ kind: 'wrong-range', by: 5 }, 206, '0123', 'bytes 5-8/1000'],
    [{ kind: 'wrong-total', by: 1 }, 206, '0123', 'bytes 0-3/1001'],
    [{ kind: 'no-range-header' }, 206, '0123', null],
    [{ kind: 'wrong-length', by: 2 }, 206, '0123xx', 'bytes 0-3/1000'],
    [{ kind: 'wrong-length', by: -2 }, 206, '01', 'bytes 0-3/1000'],
    [{ kind: 'truncated', afterBytes: 3 }, 206, '012', 'bytes 0-3/1000'],
    [{ kind: 'wrong-byte', at: 2 }, 206, '0133', 'bytes 0-3/1000'],
    [{ kind: 'page', type: 'json' }, 200, '{"error":"busy"}', null],
    [{ kind: 'slow', bytesPerStep: 1, stepMs: 1 }, 206, '0123', 'bytes 0-3/1000'],
  ]
  it.each(answersOf)('answers %j', async (fault, status, body, range) => {
    hub.script('large.bin', [fault])
    const response = await ranged('bytes=0-3')
    expect([response.status, await response.text(), response.headers.get('Content-Range')]).toEqual([status, body, range])
  })

  it('cuts, before the headers and in the body', async () => {
    hub.always('large.bin', { kind: 'cut', afterBytes: 4 })
    const response = await fetch(address)
    await expect(response.text()).rejects.toThrow()
    hub.heal()
    hub.always('large.bin', { kind: 'cut', afterBytes: -1 })
    await expect(fetch(address)).rejects.toThrow()
  })

  it('stalls until it is left alone', async () => {
    hub.always('large.bin', { kind: 'stall', afterBytes: 4 })
    const reader = (await fetch(address)).body?.getReader()
    expect((await reader?.read())?.value?.length).toBe(4)
    const next = reader?.read().then(() => 'bytes')
    expect(await Promise.race([next, new Promise((resolve) => setTimeout(() => resolve('silence'), 100))])).toBe('silence')
    await reader?.cancel()
  })

  it('leaves out what lets other origins read', async () => {
    hub.script('config.json', [
      { kind: 'no-cors', missing: 'origin' },
      { kind: 'no-cors', missing: 'exposed' },
    ])
    const small = `${hub.address}/o/m/resolve/main/config.json`
    expect((await fetch(small)).headers.get('Access-Control-Allow-Origin')).toBeNull()
    const second = await fetch(small)
    expect(second.headers.get('Access-Control-Allow-Origin')).toBe('*')
    expect(second.headers.get('Access-Control-Expose-Headers')).toBeNull()
  })

  it('goes down and comes back', async () => {
    hub.goDown()
    await expect(fetch(address)).rejects.toThrow()
    hub.heal()
    expect((await fetch(address)).status).toBe(200)
  })

  it('moves its ref while the old commit stays', async () => {
    const client = hubClient({ base: hub.address, fetch })
    const before = await client.snapshot('model', 'o/m', 'main')
    hub.moveTo({ models: { 'o/m': join(folder, 'two') } })
    const after = await client.snapshot('model', 'o/m', 'main')
    expect(after.commit).not.toBe(before.commit)
    const read = async (commit: string) => (await fetch(`${hub.address}/o/m/resolve/${commit}/config.json`)).text()
    expect([await read(before.commit), await read(after.commit)]).toEqual(['{"version": "one"}', '{"version": "two"}'])
  })
})
