import { describe, expect, test } from 'vitest'
import { tokenizerOfGguf } from '../../../src/conversion/gguf-tokenizer/tokenizer-of-gguf.ts'
import type { GgufValue } from '../../../src/weights/gguf/values.ts'
import { openMetadata, readMadeGguf, value, type Metadata } from './made-gguf.ts'

const madeOf = (metadata: Metadata, changes: readonly (readonly [key: string, changed: GgufValue | null])[]): Metadata => {
  const made = new Map(metadata)
  for (const [key, changed] of changes)
    if (changed === null) made.delete(key)
    else made.set(key, changed)
  return made
}
const byteLevel = await readMadeGguf('byte-level')
const prefixed = await readMadeGguf('prefixed')
const qwen = madeOf(byteLevel, [['tokenizer.ggml.pre', 'qwen2']])
const textsOf = (metadata: Metadata): readonly string[] => {
  const tokens = metadata.get('tokenizer.ggml.tokens')
  if (typeof tokens !== 'object' || tokens.items !== 'texts') throw new Error('the golden has no tokens')
  return tokens.values
}
const tokens = textsOf(byteLevel)
const configOf = (metadata: Metadata) => JSON.parse(tokenizerOfGguf(metadata).tokenizerConfig) as { readonly [key: string]: unknown }
const endsOf = (metadata: Metadata): unknown =>
  (JSON.parse(tokenizerOfGguf(metadata).generationConfig ?? '{}') as { readonly eos_token_id?: unknown }).eos_token_id
const end = tokens.indexOf('<|end|>')
// The merges have learnt it from texts.
const endOfText = tokens.indexOf('<|endoftext|>')

describe('special tokens', () => {
  const tokenizer = openMetadata(qwen)

  test('are found in texts, user-defined ones are written by skipping decoders', () => {
    const ids = tokenizer.encode('a<|end|>b<tool>', { addSpecialTokens: false })
    expect(ids).toContain(end)
    expect(ids.at(-1)).toBe(tokens.indexOf('<tool>'))
    expect(tokenizer.decode(ids, { skipSpecialTokens: true })).toBe('ab<tool>')
  })

  test('fillers are no tokens', () => {
    const filler = tokens.at(-1) ?? ''
    expect(filler).toMatch(/^\[PAD\d+\]$/)
    expect(tokenizer.encode(filler, { addSpecialTokens: false })).not.toContain(tokens.length - 1)
    expect(tokenizer.decode([tokens.length - 1])).toBe('')
  })

  test('BOS stands before texts by the file’s word, else by the pre-tokenizer’s name', () => {
    const bos = tokens.indexOf('<|begin|>')
    expect(tokenizer.encode('a')[0]).toBe(bos)
    const silent = (pre: string) => openMetadata(madeOf(byteLevel, [...without, ['tokenizer.ggml.pre', pre]])).encode('a')[0]
    const without = [['tokenizer.ggml.add_bos_token', null]] as const
    expect(silent('llama-bpe')).toBe(bos)
    expect(silent('qwen2')).not.toBe(bos)
    expect(openMetadata(madeOf(prefixed, without)).encode('a')[0]).toBe(1)
  })

  test('Qwen’s BOS, which only config.json names, is none', () => {
    const made = madeOf(qwen, [
      ['tokenizer.ggml.bos_token_id', endOfText],
      ['tokenizer.ggml.add_bos_token', false],
    ])
    expect(openMetadata(made).bos).toBeNull()
    expect(openMetadata(madeOf(made, [['tokenizer.ggml.pre', 'gpt-2']])).bos).toEqual(['<|endoftext|>', endOfText])
  })
})

describe('what ends a text', () => {
  test('is what the file names, a number or a list', () => {
    expect(endsOf(qwen)).toBe(end)
    expect(
      endsOf(
        madeOf(qwen, [
          ['tokenizer.ggml.eot_token_id', end - 1],
          ['tokenizer.ggml.eom_token_id', end],
        ]),
      ),
    ).toEqual([end - 1, end])
  })

  test('and what its chat template ends turns with', () => {
    const named = tokens.with(end - 1, '<end_of_turn>')
    const made = madeOf(qwen, [['tokenizer.ggml.tokens', value(named)]])
    expect(endsOf(made)).toBe(end)
    expect(endsOf(madeOf(made, [['tokenizer.chat_template', '{{ x }}<end_of_turn>']]))).toEqual([end - 1, end])
  })

  test('and what the family’s generation_config.json adds', () => {
    const kinds = Int32Array.from(tokens, (_, id) => (id === end || id === endOfText ? 3 : 1))
    // The merges have learnt <|im_end|> as well: the two change places.
    const named = value(tokens.with(tokens.indexOf('<|im_end|>'), '<|end|>').with(end, '<|im_end|>'))
    const made = madeOf(qwen, [
      ['tokenizer.ggml.tokens', named],
      ['tokenizer.ggml.token_type', value(kinds)],
    ])
    expect(endsOf(made)).toEqual([endOfText, end])
    expect(endsOf(madeOf(made, [['tokenizer.ggml.pre', 'smollm']]))).toBe(end)
  })
})

describe('chat templates', () => {
  test('one is a file of its own', () => {
    expect(tokenizerOfGguf(madeOf(qwen, [['tokenizer.chat_template', 'one']])).chatTemplate).toBe('one')
    expect(tokenizerOfGguf(qwen).chatTemplate).toBeNull()
  })

  test('several stand in tokenizer_config.json by their names', () => {
    const made = madeOf(qwen, [
      ['tokenizer.chat_template', 'one'],
      ['tokenizer.chat_templates', value(['rag'])],
      ['tokenizer.chat_template.rag', 'two'],
    ])
    expect(tokenizerOfGguf(made).chatTemplate).toBeNull()
    expect(openMetadata(made).chatTemplate).toEqual({ default: 'one', rag: 'two' })
  })
})

test('a file without a pre-tokenizer’s name is read as llama.cpp reads it, with a note', () => {
  expect(tokenizerOfGguf(byteLevel).notes).toEqual([expect.stringContaining('names no pre-tokenizer')])
  expect(tokenizerOfGguf(qwen).notes).toEqual([])
  expect(tokenizerOfGguf(byteLevel).tokenizerJson).toBe(
    tokenizerOfGguf(madeOf(byteLevel, [['tokenizer.ggml.pre', 'default']])).tokenizerJson,
  )
})

test('tidying blanks goes by the name, too', () => {
  expect(configOf(qwen)['clean_up_tokenization_spaces']).toBe(false)
  expect(configOf(madeOf(byteLevel, [['tokenizer.ggml.pre', 'llama-bpe']]))['clean_up_tokenization_spaces']).toBe(true)
})

const merges = 'tokenizer.ggml.merges'
const types = 'tokenizer.ggml.token_type'
const refusals: readonly (readonly [what: string, file: Metadata, key: string, changed: GgufValue | null, code: string, found: string])[] =
  [
    ...['bert', 't5', 'rwkv', 'plamo2', 'none'].map(
      (kind) => [kind, qwen, 'tokenizer.ggml.model', kind, 'model/unsupported', `found "${kind}"`] as const,
    ),
    ['no kind', qwen, 'tokenizer.ggml.model', null, 'model/corrupt', 'no such key'],
    ['a pre-tokenizer that isn’t known', qwen, 'tokenizer.ggml.pre', 'qwen9', 'model/unsupported', 'found "qwen9"'],
    ['a pre-tokenizer without a tokenizer.json', qwen, 'tokenizer.ggml.pre', 'kimi-k2', 'model/unsupported', '"kimi-k2"'],
    ['a name that is none', qwen, 'tokenizer.ggml.pre', 'constructor', 'model/unsupported', '"constructor"'],
    ['tokens that are no texts', qwen, 'tokenizer.ggml.tokens', value(new Int32Array(3)), 'model/corrupt', 'found a list of numbers'],
    ['no tokens', qwen, 'tokenizer.ggml.tokens', value([]), 'model/corrupt', 'found none'],
    ['a token twice', qwen, 'tokenizer.ggml.tokens', value(tokens.with(7, tokens[3] ?? '')), 'model/corrupt', 'as token 3 and as token 7'],
    ['a very long token', qwen, 'tokenizer.ggml.tokens', value(tokens.with(7, 'x'.repeat(5000))), 'model/corrupt', '5000 as token 7'],
    ['too few types', qwen, types, value(new Int32Array(9)), 'model/corrupt', `wanted ${tokens.length} values`],
    ['a type that isn’t known', qwen, types, value(new Int32Array(tokens.length).fill(7)), 'model/corrupt', '7 for token 0'],
    ['too many scores', prefixed, 'tokenizer.ggml.scores', value(new Float32Array(9999)), 'model/corrupt', 'found 9999'],
    ['no scores', prefixed, 'tokenizer.ggml.scores', null, 'model/corrupt', 'a score for each token'],
    [
      'scores that are no numbers',
      prefixed,
      'tokenizer.ggml.scores',
      value(new Float32Array(textsOf(prefixed).length).fill(NaN)),
      'model/corrupt',
      'no number',
    ],
    ['no merges', qwen, merges, null, 'model/corrupt', 'merges as'],
    ['a merge of no token', qwen, merges, value(['q nothere']), 'model/corrupt', '"nothere" is none'],
    ['a merge to no token', qwen, merges, value(['q q']), 'model/corrupt', '"qq" is none'],
    ['a merge of one', qwen, merges, value(['qq']), 'model/corrupt', '"" is none'],
    ['an id beyond the vocabulary', qwen, 'tokenizer.ggml.eos_token_id', 99_999, 'model/corrupt', 'found 99999'],
    ['an id that is none', qwen, 'tokenizer.ggml.eos_token_id', -1, 'model/corrupt', 'found -1'],
    ['BOS before texts, and none', qwen, 'tokenizer.ggml.bos_token_id', null, 'model/corrupt', 'since texts begin with it'],
    ['a template that is no text', qwen, 'tokenizer.chat_template', true, 'model/corrupt', 'found true'],
  ]

test.each(refusals)('%s: refused by name', (_, file, key, changed, code, found) => {
  expect(() => tokenizerOfGguf(madeOf(file, [[key, changed]]))).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(found) as string }) as Error,
  )
})
