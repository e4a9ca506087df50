/** DROP's answers and their exact match and F1: `drop/utils.py`, lm_eval 0.4.13, after the benchmark's own script. */
import { maxOf } from '../../../base/arrays.ts'
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { parseFloatText, reprFloat } from '../../../python/number.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { lower, split, strip } from '../../../python/string.ts'
import { isList, pyFloat, repr, str, type PyDict, type PyValue } from '../../../python/value.ts'
import { columnOf, dictOf, itemOf, listOf, textOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'
import { textResult } from '../logprobs.ts'

const articles = compileWhenUsed(String.raw`\b(a|an|the)\b`)
const isNumber = (text: string): boolean => parseFloatText(text) !== null

/** A number, spans, or else the date as one text; always a list, as a data set keeps it. */
function readAnswer({ number, spans, date }: { number: PyValue; spans: readonly PyValue[]; date: PyDict }): PyValue {
  if (number !== '') return [str(number)]
  if (spans.length > 0) return spans
  return [strip(['day', 'month', 'year'].map((part) => textOf(date, part)).join(' '))]
}

/** The answer and those of the validators, without repeats. */
function acceptedAnswers(doc: PyDict): readonly PyValue[] {
  const own = dictOf(doc, 'answer')
  const others = dictOf(doc, 'validated_answers')
  const [spans, dates] = [listOf(others, 'spans'), listOf(others, 'date')]
  const candidates = [
    readAnswer({ number: columnOf(own, 'number'), spans: listOf(own, 'spans'), date: dictOf(own, 'date') }),
    ...listOf(others, 'number').map((number, i) => {
      const [span, date] = [itemOf(spans, i, 'spans'), itemOf(dates, i, 'date')]
      return readAnswer({ number, spans: isList(span) ? span : [], date: date instanceof Map ? date : new Map<string, PyValue>() })
    }),
  ]
  return [...new Map(candidates.map((answer) => [repr(answer), answer])).values()]
}

function normalizeToken(token: string): string {
  const bare = isNumber(token) ? token : token.replace(/[!-/:-@[-`{-~]/g, '')
  const number = parseFloatText(bare)
  return split(articles.sub(' ', number === null ? bare : reprFloat(number))).join(' ')
}

function normalize(answer: string): string {
  const tokens = answer.split(/[ -]/).map((token) => normalizeToken(lower(token)))
  return strip(tokens.filter((token) => strip(token) !== '').join(' '))
}

const bagOf = (span: string): ReadonlySet<string> => new Set(split(span))

/** F1 of two bags of words; 0 where the gold has numbers and none of them was said. */
function bagF1(gold: ReadonlySet<string>, predicted: ReadonlySet<string>): number {
  const numbers = [...gold].filter(isNumber)
  if (numbers.length > 0 && !numbers.some((number) => predicted.has(number))) return 0
  const shared = [...gold].filter((word) => predicted.has(word)).length
  const precision = predicted.size === 0 ? 1 : shared / predicted.size
  const recall = gold.size === 0 ? 1 : shared / gold.size
  return precision === 0 && recall === 0 ? 0 : (2 * precision * recall) / (precision + recall)
}

/** Python's `round` of a numpy float to two places: half to even, after scaling. */
function roundToCents(value: number): number {
  const scaled = value * 100
  const floor = Math.floor(scaled)
  const rest = scaled - floor
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0)
  return (up ? floor + 1 : floor) / 100
}

/** The one prediction is aligned with the gold span that it fits best. */
function scoreAgainst(predicted: string, golds: readonly string[]): { readonly em: number; readonly f1: number } {
  const spans = golds.map(normalize)
  const best = maxOf(spans.map((span) => bagF1(bagOf(span), bagOf(predicted))))
  return { em: spans.length === 1 && spans[0] === predicted ? 1 : 0, f1: roundToCents(best / spans.length) }
}

function scoreAnswer(doc: PyDict, results: readonly PyValue[]): PyDict {
  const predicted = normalize(textResult(results))
  const scores = listOf(doc, 'answers').map((answer) => {
    const spans = isList(answer) ? answer.filter((span) => typeof span === 'string') : []
    const first = spans[0]
    if (first === undefined) throw new EvalError('metric/failed', `Wanted the texts of an answer, found ${repr(answer).slice(0, 80)}.`)
    const score = scoreAgainst(predicted, spans)
    return strip(first) === '' ? { em: 0, f1: 0 } : score
  })
  // Upstream starts from the int 0.
  const best = (values: readonly number[]): PyValue => {
    const largest = maxOf(values, 0)
    return largest > 0 ? pyFloat(largest) : 0
  }
  return new Map([
    ['em', best(scores.map(({ em }) => em))],
    ['f1', best(scores.map(({ f1 }) => f1))],
  ])
}

export const drop: FunctionFamily = {
  folder: 'drop',
  processDocs: {
    'utils.process_docs': mapDocs((doc) => [
      ['id', columnOf(doc, 'query_id')],
      ['passage', columnOf(doc, 'passage')],
      ['question', columnOf(doc, 'question')],
      ['answers', acceptedAnswers(doc)],
    ]),
  },
  processResults: { 'utils.process_results': scoreAnswer },
}
