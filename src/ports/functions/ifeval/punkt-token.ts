/** Words of the sentence splitter Punkt. NLTK 3.10.4, `tokenize/punkt.py`: `PunktLanguageVars`, `PunktToken`. */
import { isLower, isUpper, strip } from '../../../python/string.ts'
import { letter, space } from './regex-module.ts'

/** A word and what is decided of it. */
export interface PunktToken {
  readonly text: string
  /** In lower case, numbers as `##number##`. */
  readonly type: string
  readonly endsInPeriod: boolean
  readonly isInitial: boolean
  readonly firstIsUpper: boolean
  readonly firstIsLower: boolean
  endsSentence: boolean
  isAbbreviation: boolean
  isEllipsis: boolean
}

/** Characters that cannot stand within words. */
export const nonWord = '[\\)";\\}\\]*:@\'\\(\\{\\[‘’“”«»?!]'
const punctuationRun = `(?:-{2,}|\\.{2,}|(?:\\.[${space}]){2,}\\.)`
const wordEnd = `[${space}]|$|${nonWord}|${punctuationRun}|,(?=$|[${space}]|${nonWord}|${punctuationRun})`
const words = new RegExp(`${punctuationRun}|(?=[^\\("\`\\{\\[:;&#*@\\)\\}\\]\\-,])[^${space}]+?(?=${wordEnd})|[^${space}]`, 'gv')
const number = /^-?[.,]?\p{Nd}[\p{Nd},.-]*\.?$/u
const initial = new RegExp(`^${letter}\\.$`, 'v')

/** The words of a text, line by line. */
export function punktTokens(text: string): PunktToken[] {
  return text
    .split('\n')
    .filter((line) => strip(line) !== '')
    .flatMap((line) => line.match(words) ?? [])
    .map(punktToken)
}

function punktToken(text: string): PunktToken {
  const [first = ''] = text
  return {
    text,
    type: text.toLowerCase().replace(number, '##number##'),
    endsInPeriod: text.endsWith('.'),
    isInitial: initial.test(text),
    firstIsUpper: isUpper(first),
    firstIsLower: isLower(first),
    endsSentence: false,
    isAbbreviation: false,
    isEllipsis: /^\.\.+$/.test(text),
  }
}

/** The type without its last period. */
export function typeWithoutPeriod({ type }: PunktToken): string {
  return type.length > 1 && type.endsWith('.') ? type.slice(0, -1) : type
}

/** The type without its last period where that ends a sentence. */
export function typeInSentence(token: PunktToken): string {
  return token.endsSentence ? typeWithoutPeriod(token) : token.type
}
