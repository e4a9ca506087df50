import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { TokenizerFiles } from '../../src/contracts/models.ts'
import { encodeLoglikelihood } from '../../src/tokenizing/encode.ts'
import { loadTokenizer, longestRun, longestText } from '../../src/tokenizing/tokenizer.ts'

// Written by tests/make-goldens/make_encode_goldens.py.
const golden = JSON.parse(readFileSync(new URL('../goldens/encode/gpt2.json', import.meta.url), 'utf8')) as {
  readonly files: Pick<TokenizerFiles, 'tokenizerJson' | 'tokenizerConfig' | 'config'>
}
const files: TokenizerFiles = { ...golden.files, specialTokensMap: null, chatTemplate: null, generationConfig: null }

function load(changes: Partial<TokenizerFiles>) {
  return loadTokenizer({ ...files, ...changes })
}

describe('broken files are named, with the place', () => {
  test.each([
    ['a cut tokenizer.json', { tokenizerJson: files.tokenizerJson.slice(0, 100) }, 'tokenizer.json'],
    ['a stray comma', { tokenizerConfig: '{\n  "a": 1,\n}' }, 'tokenizer_config.json is not valid JSON: line 3, column 1'],
    ['a list', { config: '[]' }, 'config.json holds no JSON object'],
    ['no model', { tokenizerJson: '{}' }, 'tokenizer.json has no model'],
    [
      'an unknown model',
      { tokenizerJson: '{"model": {"type": "Magic", "vocab": {}}, "added_tokens": []}' },
      'tokenizer.json has a model of type "Magic"',
    ],
    ['no special tokens', { tokenizerConfig: '{"tokenizer_class": "PreTrainedTokenizerFast"}' }, 'neither a BOS nor an EOS'],
  ])('%s', (_name, changes, message) => {
    expect(() => load(changes)).toThrow(expect.objectContaining({ code: 'tokenizer/broken' }))
    expect(() => load(changes)).toThrow(message)
  })
})

test('special_tokens_map.json counts only without added_tokens_decoder', () => {
  const specialTokensMap = '{"bos_token": {"content": "a"}, "eos_token": "b"}'
  expect(load({ specialTokensMap }).bos?.[0]).toBe('a')
  expect(load({ specialTokensMap, tokenizerConfig: '{"tokenizer_class": "GPT2Tokenizer", "added_tokens_decoder": {}}' }).bos?.[0]).toBe(
    '<|endoftext|>',
  )
})

test('a vocabulary of 300,000 entries opens; it is as large as those of today’s models', () => {
  const tokenizer = JSON.parse(files.tokenizerJson) as { model: { vocab: Record<string, number> } }
  const last = Math.max(...Object.values(tokenizer.model.vocab))
  for (let id = last + 1; id < 300_000; id++) tokenizer.model.vocab[`entry ${id}`] = id
  const large = load({ tokenizerJson: JSON.stringify(tokenizer) })
  expect(large.encode('Hello')).toEqual(load({}).encode('Hello'))
})

test('the chat template of its own file wins over the config', () => {
  const tokenizerConfig = '{"tokenizer_class": "GPT2Tokenizer", "chat_template": [{"name": "default", "template": "x"}]}'
  expect(load({ tokenizerConfig }).chatTemplate).toEqual({ default: 'x' })
  expect(load({ tokenizerConfig, chatTemplate: 'y' }).chatTemplate).toBe('y')
})

test('a run without white space beyond the limit is refused, one below it is encoded', () => {
  const tokenizer = load({})
  expect(() => tokenizer.encode('a'.repeat(longestRun + 1))).toThrow(expect.objectContaining({ code: 'engine/prompt-too-long' }))
  expect(tokenizer.encode('a'.repeat(20_000)).length).toBeGreaterThan(0)
})

test('a text beyond the limit is refused with its length', () => {
  const tokenizer = load({})
  expect(() => tokenizer.encode('a '.repeat(longestText / 2 + 1))).toThrow(
    expect.objectContaining({
      code: 'engine/prompt-too-long',
      message: `A text has ${longestText + 2} characters; the limit is ${longestText}.`,
    }),
  )
})

describe('requests that nothing can score', () => {
  test('a continuation longer than the window', () => {
    expect(() => encodeLoglikelihood({ ...load({}), maxLength: 3 }, 'a', ' b c d e')).toThrow(
      expect.objectContaining({ code: 'engine/prompt-too-long' }),
    )
  })

  test('an empty continuation', () => {
    expect(() => encodeLoglikelihood(load({}), 'a', '')).toThrow('leaves no token to score')
    expect(() => encodeLoglikelihood(load({}), '', '')).toThrow('leaves no token to score')
  })
})
