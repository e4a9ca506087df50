/** The cases of the fuzzer: a seed, a format and a number make one file, always the same. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Format } from '../../src/data/dataset/formats.ts'
import { csvText, jsonlText, jsonText, packed } from './documents.ts'
import { csvTokens, gzipTokens, jsonTokens, mutate, mutateGzip, mutateParquet } from './mutations.ts'
import { randomOf, type Random } from './random.ts'

export const fuzzFormats = ['jsonl', 'csv', 'json', 'gz', 'parquet'] as const
export type FuzzFormat = (typeof fuzzFormats)[number]

export interface FuzzCase {
  readonly format: FuzzFormat
  readonly index: number
  readonly name: string
  readonly loader: Format
  readonly bytes: Uint8Array
  /** As it was written, without damage. */
  readonly isIntact: boolean
  /** Decides where the chunks end. */
  readonly random: Random
}

/** Of so many cases one is larger than the blocks that files are read in (256 KiB). */
const largeEvery = 400

/** Case `index` of a format. */
export function makeCase(seed: string, format: FuzzFormat, index: number): FuzzCase {
  const random = randomOf(seed, format, index)
  const isIntact = random.chance(8)
  const bytes = damaged(format, random, isIntact, index % largeEvery === largeEvery - 1)
  const loader = format === 'csv' ? 'csv' : format === 'parquet' ? 'parquet' : 'json'
  const name = format === 'gz' ? 'rows.jsonl.gz' : `rows.${format}`
  return { format, index, name, loader, bytes, isIntact, random }
}

function damaged(format: FuzzFormat, random: Random, isIntact: boolean, isLarge: boolean): Uint8Array {
  switch (format) {
    case 'jsonl':
    case 'csv':
    case 'json': {
      const make = { jsonl: jsonlText, csv: csvText, json: jsonText }[format]
      const tokens = format === 'csv' ? csvTokens : jsonTokens
      const bytes = utf8(isLarge ? enlarged(format, random) : make(random))
      if (isIntact) return bytes
      if (isLarge) return mutateAtBorder(random, bytes, tokens)
      return mutate(random, bytes, tokens, utf8(make(random)))
    }
    case 'gz': {
      const text = utf8(jsonlText(random))
      if (isIntact) return packed(random, text)
      // Half of them hold what is damaged before it is packed.
      const inner = random.chance(20) ? mutate(random, text, jsonTokens, text) : text
      const bytes = packed(random, inner)
      if (random.chance(15)) return bytes
      return random.chance(50) ? mutateGzip(random, bytes) : mutate(random, bytes, gzipTokens, packed(random, text))
    }
    case 'parquet': {
      const seeds = parquetSeeds()
      const bytes = seeds[random.below(seeds.length)] ?? new Uint8Array(0)
      if (isIntact) return bytes
      return random.chance(60)
        ? mutateParquet(random, bytes)
        : mutate(random, bytes, gzipTokens, seeds[random.below(seeds.length)] ?? bytes)
    }
  }
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

const blockBytes = 256 * 1024

/** A file beyond one block: many rows, or a few whose texts are long. */
function enlarged(format: 'jsonl' | 'csv' | 'json', random: Random): string {
  const filler = 'é'.repeat(random.pick([10, 1000, 70_000]))
  const count = Math.ceil((blockBytes + 40_000) / (filler.length * 2 + 20))
  const row = (at: number): string =>
    format === 'csv'
      ? `${at},"${random.pick(['', '""', '\n', 'a,b'])}${filler}"`
      : `{"n":${at},"s":"${random.pick(['', '\\n', '\\\\', '\\"', '😀'])}${filler}"}`
  const rows = Array.from({ length: count }, (_, at) => row(at))
  if (format === 'json') return `[${rows.join(',\n')}]`
  return `${format === 'csv' ? 'n,s\n' : ''}${rows.join('\n')}\n`
}

/** Damage within a few bytes of where a block ends. */
function mutateAtBorder(random: Random, bytes: Uint8Array, tokens: readonly [string, ...string[]]): Uint8Array {
  const from = blockBytes - 6
  const part = mutate(random, bytes.slice(from, from + 12), tokens, bytes.slice(0, 50))
  return new Uint8Array(Buffer.concat([bytes.subarray(0, from), part, bytes.subarray(from + 12)]))
}

let seeds: readonly Uint8Array[] | null = null

function parquetSeeds(): readonly Uint8Array[] {
  seeds ??= readFileSync(join(import.meta.dirname, '../goldens/fuzz/parquet.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    // Written by make_parquet_seeds.py.
    .map((line) => new Uint8Array(Buffer.from((JSON.parse(line) as { readonly base64: string }).base64, 'base64')))
  return seeds
}
