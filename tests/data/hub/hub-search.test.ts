import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHubServer, type RunningHub } from '../../../src/cli/browser/hub-server.ts'
import { searchAddress, searchHub } from '../../../src/data/hub/hub-search.ts'
import { toModelHits } from '../../../src/evaluation/model/model-search.ts'
import { reply, startFaultHub, type FaultHub } from '../../mock-hub/fault-hub.ts'

describe('a search over a local Hub', () => {
  let folder: string
  let hub: RunningHub
  const causal = '{"architectures": ["LlamaForCausalLM"]}'
  const put = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const search = (text: string, limit = 20) => searchHub({ base: hub.address, fetch, token: null }, { text, limit })

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'search-'))
    put('root/acme/Small-LM-135M/config.json', causal)
    put('root/acme/Small-LM-135M/README.md', '---\nlicense: apache-2.0\n---\n# license: none of this\n')
    for (const suffix of ['', '_q4', '_q4f16', '_quantized', '_other']) put(`root/acme/Small-LM-135M/onnx/model${suffix}.onnx`, 'x')
    put('root/acme/Small-LM-135M/onnx/model_q4.onnx_data', 'x')
    put('root/acme/Small-LM-torch/config.json', causal)
    put('root/acme/Small-LM-torch/model.safetensors', 'x')
    put('root/acme/Small-LM-bin/config.json', causal)
    put('root/acme/Small-LM-bin/pytorch_model.bin', 'x')
    put('root/acme/small-encoder/config.json', '{"architectures": ["BertModel"]}')
    put('root/acme/small-encoder/onnx/model.onnx', 'x')
    put('root/genai/Small-LM-cpu/config.json', causal)
    put('root/genai/Small-LM-cpu/cpu_and_mobile/model.onnx', 'x')
    put('one/config.json', causal)
    put('one/onnx/model_fp16.onnx', 'x')
    hub = await createHubServer({ modelRoots: [join(folder, 'root')], models: { 'local/one-small-lm': join(folder, 'one') } })
  })
  afterAll(async () => {
    await hub.close()
    rmSync(folder, { recursive: true })
  })

  it('finds language models by any part of their id, whatever their files are, and nothing else', async () => {
    expect((await search('SMALL-lm')).map(({ id }) => id)).toEqual([
      'acme/Small-LM-135M',
      'acme/Small-LM-bin',
      'acme/Small-LM-torch',
      'genai/Small-LM-cpu',
      'local/one-small-lm',
    ])
    expect((await search('acme 135')).map(({ id }) => id)).toEqual(['acme/Small-LM-135M'])
    expect(await search('nothing-like-it')).toEqual([])
  })

  it('gives no more than were asked for, and everything for an empty text', async () => {
    expect((await search('', 2)).length).toBe(2)
    expect((await search('  ')).length).toBe(5)
  })

  it('names the forms and dtypes that can be loaded, and none of files in other places', async () => {
    const hits = toModelHits(await search('lm'))
    expect(hits.map(({ id, formats, dtypes, license }) => ({ id, formats, dtypes, license }))).toEqual([
      { id: 'acme/Small-LM-135M', formats: ['onnx'], dtypes: ['fp32', 'q8', 'q4', 'q4f16'], license: 'apache-2.0' },
      { id: 'acme/Small-LM-bin', formats: [], dtypes: [], license: null },
      { id: 'acme/Small-LM-torch', formats: ['safetensors'], dtypes: [], license: null },
      { id: 'genai/Small-LM-cpu', formats: [], dtypes: [], license: null },
      { id: 'local/one-small-lm', formats: ['onnx'], dtypes: ['fp16'], license: null },
    ])
    expect(hits[0]?.isGated).toBe(false)
    expect(hits[0]?.updatedAt).toMatch(/^\d{4}-\d\d-\d\dT/)
    expect(hits[0]).not.toHaveProperty('paths')
  })

  it('is no matter of other origins’ pages', async () => {
    const response = await fetch(searchAddress(hub.address, { text: 'x', limit: 1 }), { headers: { Origin: 'https://example.org' } })
    expect([response.status, response.headers.get('Access-Control-Allow-Origin')]).toEqual([200, null])
    await response.text()
  })
})

describe('a search over a Hub that answers as the real one, or badly', () => {
  let hub: FaultHub
  beforeEach(async () => {
    hub = await startFaultHub()
  })
  afterEach(() => hub.close())
  const search = (token: string | null = null, signal?: AbortSignal) =>
    searchHub({ base: hub.address, fetch, token }, { text: 'a & b', limit: 5 }, signal)

  it('reads gated models, null for what is not said, and ignores fields it doesn’t know', async () => {
    const list = [
      {
        _id: '65',
        id: 'o/gated',
        gated: 'manual',
        likes: 7,
        downloads: 9,
        lastModified: '2026-01-01T00:00:00.000Z',
        tags: ['onnx', 'license:gemma'],
        siblings: [{ rfilename: 'onnx/model_q4.onnx' }],
      },
      { id: 'o/bare', gated: false, tags: 'none' },
    ]
    hub.answers.set('/api/models', reply(200, JSON.stringify(list)))
    expect(await search()).toEqual([
      {
        id: 'o/gated',
        isGated: true,
        likes: 7,
        downloads: 9,
        updatedAt: '2026-01-01T00:00:00.000Z',
        license: 'gemma',
        paths: ['onnx/model_q4.onnx'],
      },
      { id: 'o/bare', isGated: false, likes: null, downloads: null, updatedAt: null, license: null, paths: [] },
    ])
  })

  it('asks with the documented parameters, the text escaped', async () => {
    hub.answers.set('/api/models', reply(200, '[]'))
    await search()
    const url = new URL(hub.requests[0]?.path ?? '', hub.address)
    expect(url.pathname).toBe('/api/models')
    expect(url.searchParams.get('search')).toBe('a & b')
    expect(url.searchParams.get('limit')).toBe('5')
    expect(url.searchParams.getAll('expand')).toContain('siblings')
    expect([...new Set(url.searchParams.keys())]).toEqual(['search', 'pipeline_tag', 'sort', 'direction', 'limit', 'expand'])
  })

  it('sends a token to the Hub alone, not along a redirect', async () => {
    const other = await startFaultHub()
    other.answers.set('/', reply(200, '[]'))
    hub.answers.set('/api/models', reply(302, '', { Location: `${other.address}/elsewhere` }))
    await search('hf_secret')
    expect(hub.requests.map(({ authorization }) => authorization)).toEqual(['Bearer hf_secret'])
    expect(other.requests.map(({ authorization }) => authorization)).toEqual([null])
    await other.close()
  })

  it('sends no token when there is none', async () => {
    hub.answers.set('/api/models', reply(200, '[]'))
    await search()
    expect(hub.requests[0]?.authorization).toBeNull()
  })

  it.each([
    [
      'too many requests',
      429,
      { 'Retry-After': '17' },
      { code: 'hub/rate-limited', message: /in 17 s/, details: { retryAfterSeconds: 17 } },
    ],
    ['a broken server', 503, {}, { code: 'hub/unreachable', message: /answered 503 for the list of models that match 'a & b'/ }],
    [
      'a refused token',
      401,
      {},
      { code: 'hub/unauthorized', message: /^127\.0\.0\.1:\d+ doesn't give the list of models that match 'a & b' to this browser \(401\)/ },
    ],
    ['something between that lets nothing through', 403, {}, { code: 'hub/unauthorized', message: /doesn't give the list .* \(403\)/ }],
    [
      'a Hub without a search',
      404,
      {},
      { code: 'hub/not-found', message: /^127\.0\.0\.1:\d+ has no search for models: nothing is at its address \/api\/models\.$/ },
    ],
  ] as const)('tells %s apart', async (_, status, headers, { message, ...wanted }) => {
    hub.answers.set('/api/models', reply(status, '', headers))
    await expect(search()).rejects.toMatchObject({ ...wanted, message: expect.stringMatching(message) as string })
  })

  it.each(['<!doctype html><p>hello', '{"error": "x"}', '[{"modelId": 3}]', '[null]', ''])('refuses the answer %j', async (body) => {
    hub.answers.set('/api/models', reply(200, body))
    await expect(search()).rejects.toMatchObject({ code: 'hub/corrupt' })
  })

  it('ends when it is given up', async () => {
    hub.answers.set('/api/models', () => undefined)
    const abort = new AbortController()
    const found = search(null, abort.signal)
    setTimeout(() => {
      abort.abort()
    }, 20)
    await expect(found).rejects.toMatchObject({ code: 'run/stopped' })
  })
})

it.each([[{ text: 'x'.repeat(201), limit: 1 }], [{ text: 'x', limit: 0 }], [{ text: 'x', limit: 101 }], [{ text: 'x', limit: 1.5 }]])(
  'a search for %j can’t be asked',
  (query) => {
    expect(() => searchAddress('https://hub.example', query)).toThrow(expect.objectContaining({ code: 'settings/invalid' }))
  },
)
