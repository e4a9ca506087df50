/** Helpers of `wikitext/preprocess_wikitext.py`, `c4/preprocess_c4.py` and `paloma/paloma_utils.py`, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { pyFloat, pyTuple, repr, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { textOf, wordOf } from '../columns.ts'

const space = compileWhenUsed(String.raw`\s+`)
const quotedDigits = compileWhenUsed("/' [0-9]/")

/** What stands in brackets or quotes loses the space at its edges. */
const enclosed: readonly (readonly [pattern: string, replacement: string])[] = [
  [String.raw`\(\s*([^\)]*?)\s*\)`, String.raw`(\1)`],
  [String.raw`\[\s*([^\]]*?)\s*\]`, String.raw`[\1]`],
  [String.raw`{\s*([^}]*?)\s*}`, String.raw`{\1}`],
  [String.raw`\"\s*([^\"]*?)\s*\"`, String.raw`"\1"`],
  [String.raw`'\s*([^']*?)\s*'`, String.raw`'\1'`],
]
const brackets = enclosed.map(([pattern, replacement]) => ({ regex: compileWhenUsed(pattern), replacement }))

const spacing: readonly (readonly [from: string, to: string])[] = [
  [' @-@ ', '-'],
  [' @,@ ', ','],
  [' @.@ ', '.'],
  [' : ', ': '],
  [' ; ', '; '],
  [' . ', '. '],
  [' ! ', '! '],
  [' ? ', '? '],
  [' , ', ', '],
]

const rest: readonly (readonly [from: string, to: string])[] = [
  ['= = = =', '===='],
  ['= = =', '==='],
  ['= =', '=='],
  [' ° ', '°'],
  [' \n', '\n'],
  ['\n ', '\n'],
  [' N ', ' 1 '],
  [" 's", "'s"],
]

const replaceAll = (text: string, pairs: readonly (readonly [from: string, to: string])[]): string =>
  pairs.reduce((current, [from, to]) => current.replaceAll(from, to), text)

/** The text without the spaces that WikiText's tokens brought in. The pattern for digits is upstream's, slashes included. */
export function detokenizeWiki(text: string): string {
  const joined = quotedDigits.sub("/'[0-9]/", text.replaceAll("s '", "s'"))
  const closed = brackets.reduce((current, { regex, replacement }) => regex.sub(replacement, current), replaceAll(joined, spacing))
  return replaceAll(closed, rest)
}

/** Words and bytes count before the spaces are taken away. */
export function rollingScores(text: string, results: readonly PyValue[]): PyDict {
  const logprob = toNumber(results[0] ?? null)
  if (logprob === null || results.length !== 1)
    throw new EvalError('metric/failed', `Wanted one log-likelihood, found ${repr([...results]).slice(0, 80)}.`)
  const words = space.split(text).length
  const bytes = new TextEncoder().encode(text).length
  return new Map([
    ['word_perplexity', pyTuple([pyFloat(logprob), words])],
    ['byte_perplexity', pyTuple([pyFloat(logprob), bytes])],
    ['bits_per_byte', pyTuple([pyFloat(logprob), bytes])],
  ])
}

export const rolling: readonly FunctionFamily[] = [
  {
    folder: 'wikitext',
    docTo: { 'preprocess_wikitext.wikitext_detokenizer': (doc) => detokenizeWiki(textOf(doc, 'page')) },
    processResults: { 'preprocess_wikitext.process_results': (doc, results) => rollingScores(textOf(doc, 'page'), results) },
  },
  {
    folder: 'c4',
    docTo: { 'preprocess_c4.c4_detokenizer': (doc) => detokenizeWiki(textOf(doc, 'text')) },
    processResults: { 'preprocess_c4.process_results': (doc, results) => rollingScores(textOf(doc, 'text'), results) },
  },
  { folder: 'paloma', docTo: { 'paloma_utils.doc_to_target': (doc) => wordOf(doc, 'text') } },
]
