/** IFEval's `keywords:` instructions. lm_eval 0.4.13, `ifeval/instructions.py`. */
import { compilePython } from '../../../python/regex/compile.ts'
import { codePoints, lower, strip } from '../../../python/string.ts'
import { countOf, relationOf, sortTexts, textOf, textsOf, wrongParameter, type Instruction, type Instructions } from './instruction.ts'

/** All of the keywords occur; they are patterns, and case doesn't matter. */
const existence: Instruction = {
  parameters: ['keywords'],
  build(kwargs, draws) {
    const patterns = sortTexts(textsOf(kwargs, 'keywords') ?? draws.words(2)).map((word) => compilePython(word, ['IGNORECASE']))
    return (response) => patterns.every((pattern) => pattern.search(response) !== null)
  },
}

/** None of the words stands between word bounds. */
const forbidden: Instruction = {
  parameters: ['forbidden_words'],
  build(kwargs, draws) {
    const words = sortTexts(new Set(textsOf(kwargs, 'forbidden_words') ?? draws.words(2)))
    const patterns = words.map((word) => compilePython(String.raw`\b${word}\b`, ['IGNORECASE']))
    return (response) => patterns.every((pattern) => pattern.search(response) === null)
  },
}

const frequency: Instruction = {
  parameters: ['keyword', 'frequency', 'relation'],
  build(kwargs, draws) {
    const keyword = textOf(kwargs, 'keyword')
    const pattern = compilePython(keyword === null ? draws.words(1).join('') : strip(keyword), ['IGNORECASE'])
    const bound = countOf(kwargs, 'frequency', draws, 1, 3)
    const holds = relationOf(kwargs, 'relation', draws)
    return (response) => holds(pattern.finditer(response).length, bound)
  },
}

const asciiLetters = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ')

/** The harness draws a letter also in place of one that is not from a to z, such as `!` or `#`. */
const letterFrequency: Instruction = {
  parameters: ['letter', 'let_frequency', 'let_relation'],
  build(kwargs, draws) {
    const given = lower(textOf(kwargs, 'letter') ?? '')
    if (codePoints(textOf(kwargs, 'letter') ?? '').length === 1 && codePoints(given).length > 1)
      throw wrongParameter('letter', 'a letter whose small form is one character', given)
    const letter = /^[a-z]$/.test(given) ? given : draws.one(asciiLetters).toLowerCase()
    const bound = countOf(kwargs, 'let_frequency', draws, 1, 10)
    const holds = relationOf(kwargs, 'let_relation', draws)
    return (response) => holds(lower(response).split(letter).length - 1, bound)
  },
}

export const keywordInstructions: Instructions = {
  'keywords:existence': existence,
  'keywords:frequency': frequency,
  'keywords:forbidden_words': forbidden,
  'keywords:letter_frequency': letterFrequency,
}
