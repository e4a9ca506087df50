/** IFEval's `length_constraints:` instructions. lm_eval 0.4.13, `ifeval/instructions.py`. */
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { lower, lstrip, split, strip } from '../../../python/string.ts'
import { ifevalData } from './data.ts'
import { countOf, numberOf, relationOf, textOf, type Instruction, type Instructions } from './instruction.ts'
import { splitSentences } from './punkt.ts'
import { word } from './regex-module.ts'

const sentences: Instruction = {
  parameters: ['num_sentences', 'relation'],
  build(kwargs, draws) {
    const bound = countOf(kwargs, 'num_sentences', draws, 1, 20)
    const holds = relationOf(kwargs, 'relation', draws)
    return (response) => holds(splitSentences(response, ifevalData().punkt).length, bound)
  },
}

const wordRun = new RegExp(`[${word}]+`, 'gv')

const words: Instruction = {
  parameters: ['num_words', 'relation'],
  build(kwargs, draws) {
    const bound = countOf(kwargs, 'num_words', draws, 100, 500)
    const holds = relationOf(kwargs, 'relation', draws)
    return (response) => holds(response.match(wordRun)?.length ?? 0, bound)
  },
}

const divider = compileWhenUsed(String.raw`\s?\*\*\*\s?`)

/** Paragraphs with `***` between them; only the first and the last may be empty. */
const paragraphs: Instruction = {
  parameters: ['num_paragraphs'],
  build(kwargs, draws) {
    const wanted = countOf(kwargs, 'num_paragraphs', draws, 1, 5)
    return (response) => {
      const parts = divider.split(response).map((part) => strip(part ?? ''))
      const isHollow = parts.some((part, index) => part === '' && index > 0 && index < parts.length - 1)
      return !isHollow && parts.filter((part) => part !== '').length === wanted
    }
  },
}

/** So many paragraphs with empty lines between them, of which the n-th begins with a word. */
const firstWord: Instruction = {
  parameters: ['num_paragraphs', 'nth_paragraph', 'first_word'],
  build(kwargs, draws) {
    const wanted = countOf(kwargs, 'num_paragraphs', draws, 1, 5)
    const given = numberOf(kwargs, 'nth_paragraph')
    const place = given === null || given <= 0 || given > wanted ? draws.whole(1, wanted + 1) : given
    const opening = lower(textOf(kwargs, 'first_word') ?? draws.words(1).join(''))
    return (response) => {
      const parts = response.split('\n\n').map((part) => strip(part))
      const count = parts.filter((part) => part !== '').length
      const paragraph = place <= count ? parts[place - 1] : undefined
      if (paragraph === undefined || paragraph === '') return false
      const [first = ''] = split(paragraph)
      const bare = lstrip(lstrip(first, "'"), '"').split(/[.,?!'"]/)[0] ?? ''
      return count === wanted && Array.from(bare, lower).join('') === opening
    }
  },
}

export const lengthInstructions: Instructions = {
  'length_constraints:number_sentences': sentences,
  'length_constraints:number_paragraphs': paragraphs,
  'length_constraints:number_words': words,
  'length_constraints:nth_paragraph_first_word': firstWord,
}
