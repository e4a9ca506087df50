/** IFEval's `startend:` and `punctuation:` instructions. lm_eval 0.4.13, `ifeval/instructions.py`. */
import { lower, strip } from '../../../python/string.ts'
import { plain, textOf, type Instruction, type Instructions } from './instruction.ts'

const end: Instruction = {
  parameters: ['end_phrase'],
  build(kwargs, draws) {
    const phrase = textOf(kwargs, 'end_phrase') ?? draws.one(['Any other questions?', 'Is there anything else I can help with?'])
    const wanted = lower(strip(phrase))
    return (response) => lower(strip(strip(response), '"')).endsWith(wanted)
  },
}

function isQuoted(response: string): boolean {
  const text = strip(response)
  return text.length > 1 && text.startsWith('"') && text.endsWith('"')
}

export const startEndInstructions: Instructions = {
  'startend:end_checker': end,
  'startend:quotation': plain(isQuoted),
}

export const punctuationInstructions: Instructions = {
  'punctuation:no_comma': plain((response) => !response.includes(',')),
}
