import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/base/errors.ts'
import type { ScoredPiece } from '../../src/tokenizing/encode.ts'
import { encodeLoglikelihood, encodeRolling } from '../../src/tokenizing/encode.ts'
import type { SpecialToken } from '../../src/tokenizing/tokenizer.ts'
import { loadTokenizer } from '../../src/tokenizing/tokenizer.ts'

type Pieces = readonly (readonly [readonly number[], readonly number[]])[]

/** One file of tests/goldens/encode, as tests/make-goldens/make_encode_goldens.py writes it. */
interface Golden {
  readonly files: { readonly tokenizerJson: string; readonly tokenizerConfig: string; readonly config: string }
  readonly model_args: { readonly [key: string]: Json }
  readonly facts: { readonly [key in 'bos' | 'eos' | 'pad' | 'unk']: SpecialToken | null } & {
    readonly prefix_token_id: number
    readonly max_length: number
  }
  readonly strings: readonly {
    readonly text: string
    readonly default: number[]
    readonly plain: number[]
    readonly decoded: string
    readonly skipped: string
  }[]
  readonly pairs: readonly {
    readonly context: string
    readonly continuation: string
    readonly pieces: Pieces | { readonly error: string }
  }[]
  readonly rolling: readonly { readonly text: string; readonly pieces: Pieces | { readonly error: string } }[]
}

const folder = new URL('../goldens/encode/', import.meta.url)

const names = readdirSync(folder).flatMap((file) => (file === 'made.json' ? [] : [file.replace('.json', '')]))

describe.each(names)('%s encodes as in the harness', (name) => {
  // Written by tests/make-goldens/make_encode_goldens.py.
  const golden = JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Golden
  const tokenizer = loadTokenizer(
    { ...golden.files, specialTokensMap: null, chatTemplate: null, generationConfig: null },
    golden.model_args,
  )

  test('special tokens, prefix and length', () => {
    const { bos, eos, pad, unk, prefixTokenId, maxLength } = tokenizer
    expect({ bos, eos, pad, unk, prefix_token_id: prefixTokenId, max_length: maxLength }).toEqual(golden.facts)
  })

  test('texts by the default rule', () => {
    expect(table(golden.strings.map(({ text }) => [text, tokenizer.encode(text)]))).toEqual(
      table(golden.strings.map((row) => [row.text, row.default])),
    )
  })

  test('texts without special tokens', () => {
    expect(table(golden.strings.map(({ text }) => [text, tokenizer.encode(text, { addSpecialTokens: false })]))).toEqual(
      table(golden.strings.map((row) => [row.text, row.plain])),
    )
  })

  test('ids decode to the same texts', () => {
    expect(table(golden.strings.map((row) => [row.text, tokenizer.decode(row.default)]))).toEqual(
      table(golden.strings.map((row) => [row.text, row.decoded])),
    )
    expect(table(golden.strings.map((row) => [row.text, tokenizer.decode(row.default, { skipSpecialTokens: true })]))).toEqual(
      table(golden.strings.map((row) => [row.text, row.skipped])),
    )
  })

  test('pairs are split and cut as they are scored', () => {
    const found = golden.pairs.map(({ context, continuation }) => [
      `${context}|${continuation}`,
      attempt(() => [encodeLoglikelihood(tokenizer, context, continuation)]),
    ])
    expect(table(found)).toEqual(table(golden.pairs.map((row) => [`${row.context}|${row.continuation}`, orRefused(row.pieces)])))
  })

  test('rolling windows', () => {
    const found = golden.rolling.map(({ text }) => [text, attempt(() => encodeRolling(tokenizer, text))])
    expect(table(found)).toEqual(table(golden.rolling.map((row) => [row.text, orRefused(row.pieces)])))
  })
})

/** One readable line per row, so that a failure shows the texts that differ. */
function table(rows: readonly (readonly unknown[])[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row))
}

function attempt(encode: () => readonly ScoredPiece[]): Pieces | 'refused' {
  try {
    return encode().map(({ input, target }) => [Array.from(input), Array.from(target)])
  } catch {
    return 'refused'
  }
}

function orRefused(pieces: Pieces | { readonly error: string }): Pieces | 'refused' {
  return 'error' in pieces ? 'refused' : pieces
}
