/** An untrusted tokenizer.json may not make more of a text than its length allows. */
import { describe, expect, it } from 'vitest'
import { TextBudget } from '../../src/tokenizing/tokenizer-bounds.ts'
import { loadTokenizer } from '../../src/tokenizing/tokenizer.ts'
import { filesWith, tokenizerAttacks } from './tokenizer-attacks.ts'

describe('a tokenizer that grows texts without bounds', () => {
  it.each(tokenizerAttacks)('is stopped: $what', ({ files, text, ids }) => {
    const use = (): void => {
      const tokenizer = loadTokenizer(files)
      if (ids === undefined) tokenizer.encode(text)
      else tokenizer.decode(ids)
    }
    expect(use).toThrow(expect.objectContaining({ code: 'tokenizer/broken' }))
  })
})

describe('an honest tokenizer', () => {
  it('may replace blanks in a text of a million characters, and split it into its letters', () => {
    const tokenizer = loadTokenizer(
      filesWith({
        normalizer: { type: 'Sequence', normalizers: [{ type: 'NFKC' }, { type: 'Replace', pattern: { String: ' ' }, content: '▁' }] },
        pre_tokenizer: {
          type: 'Sequence',
          pretokenizers: [
            { type: 'Digits', individual_digits: true },
            { type: 'Split', pattern: { Regex: '\\w' }, behavior: 'Isolated', invert: false },
          ],
        },
      }),
    )
    expect(tokenizer.encode('a b '.repeat(250_000)).length).toBe(1_000_000)
  })

  it('has its budget anew for every text', () => {
    const budget = new TextBudget()
    for (let turn = 0; turn < 3; turn++) {
      budget.start(1000)
      budget.take(2 * 2 ** 20)
      expect(() => {
        budget.take(129_000)
      }).toThrow(/grow it without bounds/)
    }
  })
})
