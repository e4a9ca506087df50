/** Rows and prompts lie in our own store alone: every request goes past the browser's cache, which nothing here can erase. */
import { expect, test } from 'vitest'
import { explainSilence } from '../../../src/data/download/redirect-host.ts'
import { addressFile } from '../../../src/data/hub/address-file.ts'
import type { Fetch } from '../../../src/data/hub/http.ts'
import { searchHub } from '../../../src/data/hub/hub-search.ts'
import { hubClient } from '../../../src/data/hub/hub.ts'

const sha = 'a'.repeat(40)
const file = { path: 'rows.jsonl', bytes: 3, oid: null, sha256: null }

test('no request leaves its answer in the browser’s cache', async () => {
  const caches: (readonly [string, RequestCache | undefined])[] = []
  const answers: { readonly [path: string]: unknown } = {
    [`/api/datasets/o/d/revision/main`]: { sha },
    [`/api/datasets/o/d/tree/${sha}`]: [{ type: 'file', path: 'rows.jsonl', size: 3, oid: 'b'.repeat(40) }],
    '/api/datasets/o/d/parquet': {},
    '/api/models': [],
  }
  const fetch: Fetch = (address, init) => {
    const { pathname } = new URL(address)
    caches.push([pathname, init.cache])
    const json = answers[pathname]
    return Promise.resolve(json === undefined ? new Response('abc') : Response.json(json))
  }
  const hub = hubClient({ base: 'https://hub.invalid', fetch })
  await hub.snapshot('dataset', 'o/d', 'main')
  await hub.fetchFile('dataset', 'o/d', sha, file)
  await searchHub({ base: 'https://hub.invalid', fetch, token: null }, { text: 'what I looked for', limit: 5 })
  await addressFile('mine.jsonl', 'https://own.invalid/local-files/0/mine.jsonl', fetch).read(0, 3)
  const source = { fetch, address: 'https://hub.invalid/x', headers: {}, wanted: { what: 'x', page: null }, path: 'x', bytes: 3 }
  await explainSilence(source, new Error('silent'))
  expect(caches.length).toBeGreaterThanOrEqual(6)
  expect(caches.filter(([, cache]) => cache !== 'no-store')).toEqual([])
})
