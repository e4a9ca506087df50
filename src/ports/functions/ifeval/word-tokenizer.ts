/** `nltk.word_tokenize`: NLTK 3.10.4, `tokenize/destructive.py`, `NLTKWordTokenizer`, over Punkt's sentences. */
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { split } from '../../../python/string.ts'
import type { PunktModel } from './punkt-model.ts'
import { splitSentences } from './punkt.ts'
import { space, word } from './regex-module.ts'

type Rule = readonly [pattern: RegExp, replacement: string]

const before: readonly Rule[] = [
  // Opening quotes
  [/([«“‘„]|`+)/gu, ' $1 '],
  [/^"/gu, '``'],
  [/(``)/gu, ' $1 '],
  [/([ ([{<])("|'{2})/gu, '$1 `` '],
  [new RegExp(`(?<![${word}])'(?!(?:re|ve|ll|m|t|s|d|n)(?![${word}]))(?=[${word}])`, 'giv'), "' "],
  // Punctuation
  [new RegExp(`([^.])(\\.)([\\]\\)\\}>"'»”’ ]*)[${space}]*$`, 'gv'), '$1 $2 $3 '],
  [/([:,])(\P{Nd})/gu, ' $1 $2'],
  [/([:,])(?=\n?$)/gu, ' $1 '],
  [/\.{2,}/gu, ' $& '],
  [/[;@#$%&]/gu, ' $& '],
  [/[\u2012-\u2015]/gu, ' $& '],
  [new RegExp(`([^.])(\\.)([\\]\\)\\}>"']*)[${space}]*$`, 'gv'), '$1 $2$3 '],
  [/[?!]/gu, ' $& '],
  [/([^'])' /gu, "$1 ' "],
  [/[*]/gu, ' $& '],
  [/[\][(){}<>]/gu, ' $& '],
  [/--/gu, ' -- '],
]

const after: readonly Rule[] = [
  [/([»”’])/gu, ' $1 '],
  [/''/gu, " '' "],
  [/"/gu, " '' "],
  [new RegExp(`[${space}]+`, 'gv'), ' '],
  [/([^' ])('[sS]|'[mM]|'[dD]|') /gu, '$1 $2 '],
  [/([^' ])('ll|'LL|'re|'RE|'ve|'VE|n't|N'T) /gu, '$1 $2 '],
]

const contractions = [
  String.raw`\b(can)(not)\b`,
  String.raw`\b(d)('ye)\b`,
  String.raw`\b(gim)(me)\b`,
  String.raw`\b(gon)(na)\b`,
  String.raw`\b(got)(ta)\b`,
  String.raw`\b(lem)(me)\b`,
  String.raw`\b(more)('n)\b`,
  String.raw`\b(wan)(na)(?=\s)`,
  String.raw` ('t)(is)\b`,
  String.raw` ('t)(was)\b`,
].map((pattern) => compileWhenUsed(pattern, ['IGNORECASE']))

/** The words and marks of an English text. */
export function wordTokenize(text: string, model: PunktModel): string[] {
  return splitSentences(text, model).flatMap(tokenizeSentence)
}

function tokenizeSentence(sentence: string): string[] {
  const apply = (text: string, rules: readonly Rule[]): string =>
    rules.reduce((all, [pattern, replacement]) => all.replace(pattern, replacement), text)
  const spaced = apply(` ${apply(sentence, before)} `, after)
  return split(contractions.reduce((all, pattern) => pattern.sub(String.raw` \1 \2 `, all), spaced))
}
