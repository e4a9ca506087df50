/** Helpers of `mlqa/utils.py` and `tydiqa/utils.py`, lm_eval 0.4.13: SQuAD's scores with each language's articles and segmentation. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily, ProcessResults } from '../../../harness/function-table.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { lower, split, strip } from '../../../python/string.ts'
import { pyFloat, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { columnOf, dictOf, textOf, textsOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'
import { textResult } from '../logprobs.ts'
import { tokenF1 } from './token-f1.ts'

const punctuation = /[\p{P}!-/:-@[-`{-~]/gu
const ideograph = /[\u4e00-\u9fa5]/

const articles = new Map(
  Object.entries({
    en: String.raw`\b(a|an|the)\b`,
    es: String.raw`\b(un|una|unos|unas|el|la|los|las)\b`,
    vi: String.raw`\b(của|là|cái|chiếc|những)\b`,
    de: String.raw`\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b`,
    ar: String.raw`(?:^|\s)ال`,
  }).map(([language, pattern]) => [language, compileWhenUsed(pattern)]),
)

const mlqa: FunctionFamily = {
  folder: 'mlqa',
  processDocs: {
    'utils.process_docs': mapDocs((doc) => [
      ['context', columnOf(doc, 'context')],
      ['question', columnOf(doc, 'question')],
      ['answers', columnOf(dictOf(doc, 'answers'), 'text')],
    ]),
  },
  processResults: Object.fromEntries(
    ['en', 'es', 'hi', 'vi', 'de', 'ar', 'zh'].map((language) => [`utils.process_results_${language}`, scoreIn(language)]),
  ),
}

const tydiLanguages = {
  ar: 'arabic',
  bn: 'bengali',
  en: 'english',
  fi: 'finnish',
  id: 'indonesian',
  ko: 'korean',
  ru: 'russian',
  sw: 'swahili',
  te: 'telugu',
}

const answersAsTexts = mapDocs((doc) => [
  ...['id', 'title', 'context', 'question'].map((column): [string, PyValue] => [column, columnOf(doc, column)]),
  ['answers', columnOf(dictOf(doc, 'answers'), 'text')],
])

const tydiQa: FunctionFamily = {
  folder: 'tydiqa',
  processDocs: Object.fromEntries(
    Object.entries(tydiLanguages).map(([language, name]) => [
      `utils.process_docs_${language}`,
      (docs) => answersAsTexts(docs.filter((doc) => textOf(doc, 'id').startsWith(`${name}-`))),
    ]),
  ),
  processResults: Object.fromEntries(
    Object.keys(tydiLanguages).map((language) => [`utils.process_results_${language}`, scoreIn(language)]),
  ),
}

function scoreIn(language: string): ProcessResults {
  return (doc, results) => {
    const answers = textsOf(doc, 'answers')
    if (answers.length === 0) throw new EvalError('metric/failed', 'The doc has no answers.')
    const prediction = normalize(strip(textResult(results)), language)
    const golds = answers.map((answer) => normalize(answer, language))
    return score(prediction, golds)
  }
}

function score(prediction: string, golds: readonly string[]): PyDict {
  const scores = golds.map((gold) => tokenF1(split(gold), split(prediction)))
  const best = scores.reduce((left, right) => ((toNumber(right) ?? 0) > (toNumber(left) ?? 0) ? right : left))
  return new Map<string, PyValue>([
    ['exact_match', golds.includes(prediction)],
    ['f1', typeof best === 'number' && best === 0 ? 0 : pyFloat(toNumber(best) ?? 0)],
  ])
}

function normalize(text: string, language: string): string {
  const bare = lower(text).replace(punctuation, '')
  const words = articles.get(language)?.sub(' ', bare) ?? bare
  const tokens = language === 'zh' ? segment(words) : split(words)
  return tokens.filter((token) => strip(token) !== '').join(' ')
}

/** Each ideograph is a token of its own, and what stands between them is split at spaces. */
function segment(text: string): readonly string[] {
  return text.split(/([\u4e00-\u9fa5])/).flatMap((part) => (ideograph.test(part) ? [part] : split(part)))
}

export const crossLingualQa: readonly FunctionFamily[] = [mlqa, tydiQa]
