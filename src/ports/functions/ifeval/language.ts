/** IFEval's `language:` instruction. lm_eval 0.4.13, `ifeval/instructions.py`. */
import { ifevalData } from './data.ts'
import { textOf, wrongParameter, type Instructions } from './instruction.ts'

/** `instructions_util.LANGUAGE_CODES` */
const codes = 'en es pt ar hi fr ru de ja it bn uk th ur ta te bg ko pl he fa vi ne sw kn mr gu pa ml fi'.split(' ')

/** Whether langdetect finds the language; a text that it can't tell counts as well. */
export function isInLanguage(response: string, language: string): boolean {
  const found = ifevalData().languages.detect(response)
  return found === null || found === language
}

export const languageInstructions: Instructions = {
  'language:response_language': {
    parameters: ['language'],
    build(kwargs, draws) {
      const language = textOf(kwargs, 'language') ?? draws.one(codes)
      if (!codes.includes(language)) throw wrongParameter('language', `one of ${codes.join(', ')}`, language)
      return (response) => isInLanguage(response, language)
    },
  },
}
