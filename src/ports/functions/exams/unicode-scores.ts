/**
 * Scores of the bundled `*_unicode` tasks, which know the words of every script. Not the harness's: its ROUGE and its copies of SQuAD's
 * normalisation know a-z, ASCII signs and English articles only, and its accuracy of tags can't run at all (`afro-bench.ts`).
 */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily, ProcessResults } from '../../../harness/function-table.ts'
import { tokenizeUnicode } from '../../../harness/metrics/rouge.ts'
import { textExactMatch, textF1 } from '../../../harness/metrics/text-overlap.ts'
import { isList, pyFloat, pyTuple, repr, str, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { readSpans } from '../answers/span-f1.ts'
import { masakhaPosTags } from '../choices/afro-bench.ts'
import { columnOf, textOf } from '../columns.ts'

/** Exact match and token F1 of an answer and its reference, letters and their marks composed first. */
const scoreAnswer: ProcessResults = (doc, results) => {
  const [reference, prediction] = [textOf(doc, 'answer_pivot'), textIn(results)]
  return new Map([
    ['exact_match', textExactMatch([reference], prediction, { nfc: true })],
    ['f1', pyFloat(textF1([reference], prediction, { nfc: true }))],
  ])
}

/** Spans that both name, with repeats, that were predicted, and that the reference has. */
const scoreSpans: ProcessResults = (doc, results) => {
  const normalize = (text: string): string => tokenizeUnicode(text.normalize('NFC')).join(' ')
  const gold = readSpans(textOf(doc, 'target'), normalize)
  const predicted = readSpans(textIn(results), normalize)
  const left = [...gold]
  let hits = 0
  for (const { tag, entity } of predicted) {
    const at = left.findIndex((span) => span.tag === tag && span.entity === entity)
    if (at < 0) continue
    hits++
    left.splice(at, 1)
  }
  return counts('span_f1', hits, predicted.length, gold.length)
}

/** Words that have the reference's tag at their place, that were tagged, and that the sentence has: a missing or surplus word costs. */
const scoreTags: ProcessResults = (doc, results) => {
  const gold = masakhaPosTags(doc)
  const tagged = results[0] ?? null
  const predicted = isList(tagged) ? tagged.map(str) : []
  const hits = gold.filter((tag, i) => tag === predicted[i]).length
  return counts('tag_f1', hits, predicted.length, gold.length)
}

function counts(name: string, hits: number, predicted: number, gold: number): PyDict {
  return new Map([[name, pyTuple([hits, predicted, gold])]])
}

function textIn(results: readonly PyValue[]): string {
  const [text] = results
  return typeof text === 'string' ? text : ''
}

/** F1 over all docs, from each doc's `(hits, predicted, gold)`; 0 where nothing was predicted and nothing was there. */
function microF1(items: readonly PyValue[]): PyValue {
  const [hits, predicted, gold] = [0, 1, 2].map((at) => items.reduce((sum: number, item) => sum + countAt(item, at), 0))
  const all = (predicted ?? 0) + (gold ?? 0)
  return pyFloat(all === 0 ? 0 : (2 * (hits ?? 0)) / all)
}

function countAt(item: PyValue, at: number): number {
  const count = isList(item) ? toNumber(item[at] ?? null) : null
  if (count === null) throw new EvalError('metric/failed', `The aggregation wants three counts a doc, found ${repr(item).slice(0, 80)}.`)
  return count
}

export const unicodeScores: FunctionFamily = {
  folder: 'unicode/*',
  docTo: { 'scores.tags': (doc) => str(columnOf(doc, 'upos')) },
  processResults: { 'scores.answer': scoreAnswer, 'scores.spans': scoreSpans, 'scores.tag_each': scoreTags },
  aggregation: { 'scores.micro_f1': microF1 },
}
