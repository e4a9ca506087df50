import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { TokenizerFiles } from '../../src/contracts/models.ts'
import { promptTokens } from '../../src/tokenizing/prompt-tokens.ts'
import { piecesOf, tokenTexts } from '../../src/tokenizing/token-pieces.ts'
import { loadTokenizer } from '../../src/tokenizing/tokenizer.ts'

// Tokenizers and strings that tests/make-goldens/make_encode_goldens.py wrote.
const folder = new URL('../goldens/encode/', import.meta.url)
const read = (name: string) => {
  const { files, strings } = JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as {
    readonly files: Pick<TokenizerFiles, 'tokenizerJson' | 'tokenizerConfig' | 'config'>
    readonly strings: readonly { readonly text: string; readonly plain: readonly number[] }[]
  }
  return { strings, tokenizer: loadTokenizer({ ...files, specialTokensMap: null, chatTemplate: null, generationConfig: null }) }
}

const files = readdirSync(folder).filter((name) => name !== 'made.json')

describe.each(files)('the pieces of %s', (name) => {
  const { strings, tokenizer } = read(name)

  it('hold every token in its place, and together print as the text does', () => {
    for (const { plain } of strings) {
      const pieces = piecesOf(plain, tokenizer)
      expect(pieces.flatMap(({ ids }) => ids)).toEqual(plain)
      expect(pieces.map(({ text }) => text).join('')).toBe(tokenizer.decode(plain, { cleansUp: false }))
      const texts = tokenTexts(plain, tokenizer)
      expect(texts).toHaveLength(plain.length)
      expect(texts.join('')).toBe(pieces.map(({ text }) => text).join(''))
    }
  })
})

it('keep the blank of a choice that SentencePiece would drop from a text’s beginning', () => {
  const { tokenizer } = read('metaspace.json')
  const whole = tokenizer.encode('one Paris', { addSpecialTokens: false })
  const at = whole.findIndex((id) => tokenizer.decode([id]) === 'Par')
  expect(tokenTexts(whole.slice(at), tokenizer).join('')).toBe('Paris')
  expect(tokenTexts(whole.slice(at), tokenizer, whole.slice(at - 1, at)).join('')).toBe(' Paris')
})

it('give a character of several tokens to the last of them', () => {
  const { tokenizer } = read('gpt2.json')
  const ids = tokenizer.encode('水')
  expect(ids.length).toBeGreaterThan(1)
  expect(tokenTexts(ids, tokenizer)).toEqual([...ids.slice(1).map(() => ''), '水'])
})

describe('the tokens of a kept prompt', () => {
  const { tokenizer } = read('llama3.json')
  const [bos = '', bosId = -1] = tokenizer.bos ?? []

  it('show what the tokenizer adds, and count every token', () => {
    const { pieces, count, maxLength } = promptTokens(tokenizer, 'one two ', true)
    expect(pieces[0]).toEqual({ text: bos, ids: [bosId], isSpecial: true })
    expect(pieces.slice(1).some(({ isSpecial }) => isSpecial)).toBe(false)
    expect(pieces.map(({ text }) => text).join('')).toBe(`${bos}one two`)
    expect([count, maxLength]).toEqual([pieces.flatMap(({ ids }) => ids).length, tokenizer.maxLength])
  })

  it('keep the white space at the end of a prompt that a text is written after', () => {
    expect(
      promptTokens(tokenizer, 'one two ', false)
        .pieces.map(({ text }) => text)
        .join(''),
    ).toBe(`${bos}one two `)
  })

  it('are the prefix token where choices follow nothing', () => {
    expect(promptTokens(tokenizer, '', true).pieces).toEqual([{ text: bos, ids: [tokenizer.prefixTokenId], isSpecial: true }])
  })
})
