/** IFEval's `change_case:` instructions. lm_eval 0.4.13, `ifeval/instructions.py`. */
import { isLower, isUpper } from '../../../python/string.ts'
import { ifevalData } from './data.ts'
import { numberOf, plain, relationOf, type Instruction, type Instructions } from './instruction.ts'
import { isInLanguage } from './language.ts'
import { wordTokenize } from './word-tokenizer.ts'

const capitalWords: Instruction = {
  parameters: ['capital_frequency', 'capital_relation'],
  build(kwargs, draws) {
    const bound = numberOf(kwargs, 'capital_frequency') ?? draws.whole(1, 20)
    const holds = relationOf(kwargs, 'capital_relation', draws)
    return (response) => holds(wordTokenize(response, ifevalData().punkt).filter(isUpper).length, bound)
  },
}

export const changeCaseInstructions: Instructions = {
  'change_case:capital_word_frequency': capitalWords,
  'change_case:english_capital': plain((response) => isUpper(response) && isInLanguage(response, 'en')),
  'change_case:english_lowercase': plain((response) => isLower(response) && isInLanguage(response, 'en')),
}
