/** The small GGUF files that `make_gguf_tokenizer_goldens.py` made, and tokenizers built from metadata. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tokenizerOfGguf } from '../../../src/conversion/gguf-tokenizer/tokenizer-of-gguf.ts'
import { loadTokenizer, type Tokenizer } from '../../../src/tokenizing/tokenizer.ts'
import type { Json } from '../../../src/base/errors.ts'
import { readGguf } from '../../../src/weights/gguf/header.ts'
import type { GgufValue } from '../../../src/weights/gguf/values.ts'
import { sourceOfBytes } from '../../support/byte-source.ts'

export type Metadata = ReadonlyMap<string, GgufValue>

const folder = join(import.meta.dirname, '../../goldens/gguf-tokenizers')

/** Metadata of NAME.gguf. */
export async function readMadeGguf(name: string): Promise<Metadata> {
  const { metadata } = await readGguf(sourceOfBytes(`${name}.gguf`, new Uint8Array(readFileSync(join(folder, `${name}.gguf`)))))
  return metadata
}

export interface Golden {
  /** The golden's texts are each so-manieth of real-tokenizers/texts.json.gz. */
  readonly every: number
  readonly prefixed: string
  readonly plain: string
  readonly pre: { readonly [name: string]: string }
}

export function readGolden(): Golden {
  // Our own script wrote it; a missing key shows as a failing test.
  return JSON.parse(readFileSync(join(folder, 'ids.json'), 'utf8')) as Golden
}

/** The tokenizer as the project opens it. */
export function openMetadata(metadata: Metadata, modelArgs: { readonly [key: string]: Json } = {}): Tokenizer {
  return loadTokenizer({ ...tokenizerOfGguf(metadata), specialTokensMap: null, config: '{"max_position_embeddings": 100000}' }, modelArgs)
}

/** A value as the reader gives it: lists of texts, of scores (numbers with a fraction or not) and of types. */
export function value(plain: string | number | boolean | readonly string[] | Float32Array | Int32Array): GgufValue {
  if (typeof plain !== 'object') return plain
  if (plain instanceof Float32Array || plain instanceof Int32Array) return { items: 'numbers', values: plain }
  return { items: 'texts', values: plain }
}
