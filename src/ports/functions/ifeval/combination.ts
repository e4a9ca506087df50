/** IFEval's `combination:` instructions. lm_eval 0.4.13, `ifeval/instructions.py`. */
import { lower, strip } from '../../../python/string.ts'
import { plain, textOf, wrongParameter, type Instruction, type Instructions } from './instruction.ts'

/** Two different answers with six stars between them; only before the first and behind the last may be nothing. */
function hasTwoResponses(response: string): boolean {
  const parts = response.split('******').map((part) => strip(part))
  if (parts.some((part, index) => part === '' && index > 0 && index < parts.length - 1)) return false
  const [first, second, ...more] = parts.filter((part) => part !== '')
  return second !== undefined && more.length === 0 && first !== second
}

const repeatPrompt: Instruction = {
  parameters: ['prompt_to_repeat'],
  build(kwargs) {
    const prompt = textOf(kwargs, 'prompt_to_repeat')
    if (prompt === null) throw wrongParameter('prompt_to_repeat', 'a text', 'none')
    return (response) => lower(strip(response)).startsWith(lower(strip(prompt)))
  },
}

export const combinationInstructions: Instructions = {
  'combination:two_responses': plain(hasTwoResponses),
  'combination:repeat_prompt': repeatPrompt,
}
