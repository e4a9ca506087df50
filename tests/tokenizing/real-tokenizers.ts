/** The goldens of six tokenizers that people have, the texts they are of, and how what comes out is hashed (`make_real_tokenizer_goldens.py`). */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Json } from '../../src/base/errors.ts'
import type { SpecialToken, Tokenizer } from '../../src/tokenizing/tokenizer.ts'
import { loadTokenizer } from '../../src/tokenizing/tokenizer.ts'
import { folderOf, readRealTokenizer, realTokenizers, type RealTokenizer } from '../tokenizers/real-tokenizers.ts'

const folder = new URL('../goldens/real-tokenizers/', import.meta.url)

export function readGzipped<T>(name: string): T {
  // Our own scripts wrote the files; a missing key shows as a failing test.
  return JSON.parse(gunzipSync(readFileSync(new URL(name, folder))).toString('utf8')) as T
}

export interface RealGolden {
  readonly sha256: string
  readonly facts: { readonly [key in 'bos' | 'eos' | 'pad' | 'unk']: SpecialToken | null } & {
    readonly prefix_token_id: number
    readonly entries: number
  }
  /** Four hexadecimal digits a text. */
  readonly ids: string
  readonly decoded: string
  readonly pairs: { readonly [addsBos: string]: string }
  readonly answers: string
}

/** `[text, characters that are context, text that follows or -1 for the rest of the first]`. */
export type PairTrial = readonly [text: number, cut: number, following: number]
/** A text whose first ids are written, others put between them, and the stop strings. */
export type AnswerTrial = readonly [
  text: number,
  strange: readonly (readonly [place: number, id: number, bound: number])[],
  stops: readonly string[],
]

export interface Trials {
  readonly pairs: readonly PairTrial[]
  readonly answers: readonly AnswerTrial[]
}

/** The tokenizers that are here; the others are named, with what to do. */
export function foundTokenizers(): readonly RealTokenizer[] {
  const missing = realTokenizers.filter((tokenizer) => !existsSync(folderOf(tokenizer)))
  if (missing.length > 0)
    process.stderr.write(
      `Skipped: the tokenizers of ${missing.map(({ name }) => name).join(', ')} aren’t here; npm run tokenizers fetches them.\n`,
    )
  return realTokenizers.filter((tokenizer) => !missing.includes(tokenizer))
}

export function openReal(tokenizer: RealTokenizer, modelArgs: { readonly [key: string]: Json } = {}): Tokenizer {
  const files = readRealTokenizer(tokenizer, '{"max_position_embeddings": 100000}')
  if (files === null) throw new Error(`${tokenizer.name} has not been fetched`)
  return loadTokenizer(files, modelArgs)
}

/** The first 16 bits of SHA-256 over the value as JSON, as four hexadecimal digits. A string stands for itself. */
export function short(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return createHash('sha256').update(text).digest('hex').slice(0, 4)
}

/** The places whose four digits differ, which a failure then shows the texts of; `found` has the digits of `places`, in their order. */
export function differing(places: readonly number[], found: readonly string[], golden: string): readonly number[] {
  if (golden.length < 4 * places.length) throw new Error(`the golden has ${golden.length / 4} hashes, wanted ${places.length}`)
  return places.filter((place, at) => found[at] !== golden.slice(4 * place, 4 * place + 4))
}
