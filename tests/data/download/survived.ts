/** Faults of one answer that a download survives. */
import type { Fault } from '../../mock-hub/mock-hub.ts'
import { large } from './bench.ts'

export const survived: readonly (readonly [string, Fault])[] = [
  ...[-1, 0, 1, 999, 5000, 9_999].map((afterBytes) => [`a connection cut after ${afterBytes} bytes`, { kind: 'cut', afterBytes }] as const),
  ['a body that ends early and cleanly', { kind: 'truncated', afterBytes: 1234 }],
  ['a body that ends at once', { kind: 'truncated', afterBytes: 0 }],
  ['a part of another place', { kind: 'wrong-range', by: 5 }],
  ['a part before the one asked for', { kind: 'wrong-range', by: -1 }],
  ['a part of a larger file', { kind: 'wrong-total', by: 100 }],
  ['a part that is too long', { kind: 'wrong-length', by: 1 }],
  ['a part that is far too long', { kind: 'wrong-length', by: 50_000 }],
  ['a part that is too short', { kind: 'wrong-length', by: -1 }],
  ['an empty part', { kind: 'wrong-length', by: -10_000 }],
  ['a body without an end', { kind: 'endless' }],
  ['a body that was packed on the way', { kind: 'gzip' }],
  ['a part without Content-Range', { kind: 'no-range-header' }],
  ['the whole file instead of a part', { kind: 'whole' }],
  ['416 that names the right length', { kind: 'unsatisfiable', bytes: large.length }],
  ['416 that names another length', { kind: 'unsatisfiable', bytes: 5 }],
  ['416 that names none', { kind: 'unsatisfiable', bytes: null }],
  ['a web page', { kind: 'page', type: 'html' }],
  ['a web page as 206', { kind: 'page', type: 'html', status: 206 }],
  ['an error in JSON as 200', { kind: 'page', type: 'json' }],
  ['one wrong byte', { kind: 'wrong-byte', at: 17 }],
  ['429 with seconds', { kind: 'status', status: 429, headers: { 'Retry-After': '7' } }],
  ['429 with a date', { kind: 'status', status: 429, headers: { 'Retry-After': 'Sat, 21 Nov 2026 00:00:09 GMT' } }],
  ['429 in the Hub’s own way', { kind: 'status', status: 429, headers: { RateLimit: '"api";r=0;t=30' } }],
  ['429 without a time', { kind: 'status', status: 429 }],
  ...[500, 502, 503, 504].map((status) => [`${status}`, { kind: 'status', status }] as const),
  ['503 with a time', { kind: 'status', status: 503, headers: { 'Retry-After': '3' } }],
  ['a link of the second host that has run out', { kind: 'status', status: 403 }],
  ['a slow connection', { kind: 'slow', bytesPerStep: 500, stepMs: 1 }],
]

/** Those that the Hub's own answer, without a redirect or a range, can have. */
export const survivedDirectly = survived.filter(
  ([, fault]) => fault.kind !== 'unsatisfiable' && !(fault.kind === 'status' && fault.status === 403),
)
