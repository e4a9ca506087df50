/**
 * Random and mutated links: each gives a checked result that the page can show, or a `ShareError`, and never anything else.
 * `YARDSTICK_LINKS=300000 npx vitest run tests/app/share/link.fuzz.test.ts`; `YARDSTICK_SEED` repeats a run.
 */
import { deflateRawSync } from 'node:zlib'
import * as v from 'valibot'
import { expect, test } from 'vitest'
import { formatHash, parseRoute } from '../../../src/app/router.svelte.ts'
import { chooseDocs, settingsAgain } from '../../../src/app/share/check-again.ts'
import { packResult, ShareError, unpackResult } from '../../../src/app/share/link.ts'
import { sharedResultSchema, type SharedResult } from '../../../src/app/share/payload.ts'
import { sharedResult } from '../../../src/app/share/shared-result.ts'
import { splitEscapes } from '../../../src/ui/format.ts'
import { isLong } from '../../support/long.ts'
import { runManifest, runSummary, sample } from '../builders.ts'

const links = Number(process.env['YARDSTICK_LINKS'] ?? (isLong ? 15_000 : 3_000))
const seed = Number(process.env['YARDSTICK_SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** mulberry32: small, and the same everywhere. */
function randomOf(start: number): () => number {
  let state = start >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Value = null | boolean | number | string | Value[] | { [key: string]: Value }

/** Values that break careless readers. */
const hostile: readonly Value[] = [
  ...[null, true, false, 0, -0, -1, 1e308, 5e-324, 2 ** 53, -(2 ** 53), 0.1, '', ' ', '0', '-'],
  ...[
    '__proto__',
    'constructor',
    '\u0000',
    '\u202egnp',
    '\ud800',
    '<img src=x onerror=alert(1)>',
    '{{7*7}}',
    '{@html x}',
    '%00',
    'javascript:alert(1)',
  ],
  ...['x'.repeat(5000), '2026-02-30T25:61:61Z', 'NaN', 'N/A', '↑', 'webgpu', 'toString'],
]

class Mutator {
  readonly #random: () => number
  constructor(random: () => number) {
    this.#random = random
  }

  below(count: number): number {
    return Math.floor(this.#random() * count)
  }

  pick<T>(list: readonly T[]): T {
    const item = list[this.below(list.length)]
    if (item === undefined) throw new Error('nothing to pick from')
    return item
  }

  /** A text of any characters, lone surrogates included. */
  text(most: number): string {
    return Array.from({ length: this.below(most + 1) }, () => String.fromCharCode(this.below(this.pick([128, 256, 65536])))).join('')
  }

  base64(most: number): string {
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    return Array.from({ length: this.below(most + 1) }, () => digits[this.below(64)] ?? 'A').join('')
  }

  /** The text with a piece cut out, put in, doubled or moved. */
  splice(text: string, piece: string): string {
    const [from, to] = [this.below(text.length + 1), this.below(text.length + 1)].sort((a, b) => a - b) as [number, number]
    switch (this.below(4)) {
      case 0:
        return text.slice(0, from) + text.slice(to)
      case 1:
        return text.slice(0, from) + piece + text.slice(from)
      case 2:
        return text.slice(0, to) + text.slice(from)
      default:
        return text.slice(to) + text.slice(0, from)
    }
  }

  /** A value with one place in it changed: replaced, removed, doubled, renamed, or wrapped. */
  mutate(value: Value): Value {
    if (typeof value !== 'object' || value === null || this.#random() < 0.12) return this.#other(value)
    if (Array.isArray(value)) {
      if (value.length === 0) return [this.pick(hostile)]
      const at = this.below(value.length)
      switch (this.below(5)) {
        case 0:
          return value.filter((_, index) => index !== at)
        case 1:
          return [...value, value[at] ?? null]
        default:
          return value.map((item, index) => (index === at ? this.mutate(item) : item))
      }
    }
    const entries = Object.entries(value)
    if (entries.length === 0) return { [this.text(5)]: this.pick(hostile) }
    const at = this.below(entries.length)
    switch (this.below(8)) {
      case 0:
        return Object.fromEntries(entries.filter((_, index) => index !== at))
      case 1:
        return Object.fromEntries([...entries, [this.pick(['__proto__', 'constructor', 'v', this.text(5)]), this.pick(hostile)]])
      default:
        return Object.fromEntries(entries.map(([key, item], index) => [key, index === at ? this.mutate(item) : item]))
    }
  }

  #other(value: Value): Value {
    switch (this.below(6)) {
      case 0:
        return [value]
      case 1:
        return { value }
      case 2:
        return typeof value === 'number' ? -value : typeof value === 'string' ? this.splice(value, this.text(8)) : this.pick(hostile)
      case 3:
        return typeof value === 'string' ? value + this.text(8) : this.pick(hostile)
      default:
        return this.pick(hostile)
    }
  }
}

/** Everything that the page does with a result before the reader touches anything. */
function show(payload: string, result: SharedResult): void {
  expect(v.is(sharedResultSchema, result)).toBe(true)
  expect(parseRoute(`#/r/${payload}`)).toMatchObject({ page: 'shared', payload })
  expect(parseRoute(formatHash('/', result.query)).page).toBe('setup')
  settingsAgain(
    result,
    chooseDocs(result, () => 0.5),
  )
  for (const text of [result.model.id, ...result.warnings, ...result.tasks.map(({ alias }) => alias)]) splitEscapes(text)
  for (const { value, stderr } of [...result.tasks, ...result.groups])
    for (const number of [value, stderr]) if (typeof number === 'number') number.toFixed(4)
  expect(Number.isNaN(Date.parse(result.createdAt)) ? 'no time' : 'a time').toMatch(/time/)
}

test(`${links} links, seed ${seed}: a result that can be shown, or a ShareError`, { timeout: 4 * 3_600_000 }, async () => {
  const random = randomOf(seed)
  const mutator = new Mutator(random)
  const samples = new Map([['bench_facts', [sample(0), sample(1), sample(2)]]])
  const made = sharedResult(runManifest('r1'), runSummary('r1'), samples)
  const text = JSON.stringify(made)
  // A mutation wants a value that it may change.
  const json = JSON.parse(text) as Value
  const payload = await packResult(made)
  const deflated = deflateRawSync(Buffer.from(text))
  const pack = (bytes: Uint8Array | string): string => deflateRawSync(Buffer.from(bytes), { level: 1 }).toString('base64url')
  const kinds: { readonly [kind: string]: () => string } = {
    'any text': () => mutator.text(300),
    'any base64url': () => mutator.base64(600),
    'a link changed': () => mutator.splice(payload, mutator.base64(12)),
    'a bit changed': () => {
      const bytes = Uint8Array.from(deflated)
      const at = mutator.below(bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << mutator.below(8))
      return Buffer.from(bytes).toString('base64url')
    },
    'its JSON changed': () => pack(mutator.splice(text, mutator.text(12))),
    'a value changed': () => pack(JSON.stringify(mutator.mutate(json))),
    'values changed': () => pack(JSON.stringify(mutator.mutate(mutator.mutate(mutator.mutate(json))))),
    'any bytes': () => pack(Uint8Array.from({ length: mutator.below(400) }, () => mutator.below(256))),
    'deep JSON': () => pack('['.repeat(mutator.below(20_000)) + ']'.repeat(mutator.below(20_000))),
  }
  const names = Object.keys(kinds)
  const counts = new Map<string, number>()
  for (let at = 0; at < links; at++) {
    const name = names[at % names.length] ?? ''
    const link = kinds[name]?.() ?? ''
    const outcome: unknown = await unpackResult(link).catch((thrown: unknown) => thrown)
    if (!(outcome instanceof ShareError)) {
      if (outcome instanceof Error) throw new Error(`${name}, link ${at} of seed ${seed}: ${link.slice(0, 200)}`, { cause: outcome })
      // The schema is asked again below.
      show(link, outcome as SharedResult)
    }
    const key = outcome instanceof ShareError ? outcome.fault : 'shown'
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  console.info(`links: ${[...counts].map(([key, count]) => `${key} ${count}`).join(', ')}`)
  // Both ends are reached, or the mutations are too wild or too tame.
  expect(counts.get('shown') ?? 0).toBeGreaterThan(links / 100)
  for (const fault of ['not-base64url', 'not-deflate', 'not-utf8', 'not-json', 'not-a-result'])
    expect(counts.get(fault) ?? 0).toBeGreaterThan(0)
})
