/**
 * Summaries scored by ROUGE, lm_eval 0.4.13: `afrobench/xlsum/prompt_{1..3}`, `{french,catalan,galician,spanish}_bench`, `noticia`
 * (each `utils.py`), whose functions hand the texts to `evaluate.load("rouge")`, and `cnn_dailymail/utils.py`.
 */
import { EvalError } from '../../../base/errors.ts'
import type { Aggregate, FunctionFamily, ScoreResponse } from '../../../harness/function-table.ts'
import { corpusRouge } from '../../../harness/metrics/rouge-corpus.ts'
import { rougeScore, tokenizeStemmed, type RougeType } from '../../../harness/metrics/rouge.ts'
import { lower, split, strip } from '../../../python/string.ts'
import { isList, pyFloat, repr, type PyDict, type PyValue } from '../../../python/value.ts'
import { textOf } from '../columns.ts'
import { meanOf, textResult } from '../logprobs.ts'

/** A metric function that only hands on `[gold, response]`, so that its aggregation sees both. */
const passPair: ScoreResponse = ([gold = null], [response = null]) => [gold, response]

/** `evaluate`'s corpus value of one type. */
function rougeAggregation(type: RougeType): Aggregate {
  return (items) => pyFloat(corpusRouge(type, items))
}

const iberianAndFrench: readonly FunctionFamily[] = ['french_bench', 'catalan_bench', 'galician_bench', 'spanish_bench'].map((folder) => ({
  folder,
  metric: { 'utils.rouge1': passPair },
  aggregation: { 'utils.rouge1_agg': rougeAggregation('rouge1') },
}))

/** Lower case without ASCII punctuation and extra space. */
function cleanText(text: string): string {
  return lower(split(text.replace(/[!-/:-@[-`{-~]/g, '')).join(' '))
}

function cleanPairs(items: readonly PyValue[]): readonly (readonly [gold: string, response: string])[] {
  return items.map((item) => {
    const [gold, response] = isList(item) ? item : []
    if (typeof gold !== 'string' || typeof response !== 'string')
      throw new EvalError('metric/failed', `The aggregation wants pairs of texts, found ${repr(item).slice(0, 80)}.`)
    return [cleanText(gold), cleanText(response)]
  })
}

const noticia: FunctionFamily = {
  folder: 'noticia',
  metric: { 'utils.rouge1': passPair, 'utils.average_len': passPair },
  aggregation: {
    'utils.rouge1_agg': (items) => pyFloat(corpusRouge('rouge1', cleanPairs(items))),
    'utils.average_len_agg': (items) => pyFloat(meanOf(cleanPairs(items).map(([, response]) => split(response).length))),
  },
}

const oneSpace = (text: string): string => split(text).join(' ')

/** BERTScore, which upstream adds where its package is installed, is left out, as where it isn't. */
function scoreArticle(doc: PyDict, results: readonly PyValue[]): PyDict {
  const summary = results.length === 0 ? '' : oneSpace(strip(textResult(results)))
  const reference = oneSpace(doc.has('highlights') ? textOf(doc, 'highlights') : '')
  const types = ['rouge1', 'rouge2', 'rougeL'] as const
  // Without words on a side, the package gives rougeL as the int 0.
  const hasWords = [reference, summary].every((text) => tokenizeStemmed(text).length > 0)
  return new Map<string, PyValue>([
    ...types.map((type): [string, PyValue] => [
      type,
      type === 'rougeL' && !hasWords ? 0 : pyFloat(rougeScore(type, reference, summary, tokenizeStemmed).fmeasure),
    ]),
    ['summary_length', split(summary).length],
  ])
}

export const rougeSummaries: readonly FunctionFamily[] = [
  {
    folder: 'afrobench/xlsum/*',
    metric: { 'utils.rougeL': passPair },
    aggregation: { 'utils.rougeL_agg': rougeAggregation('rougeL') },
  },
  ...iberianAndFrench,
  noticia,
  { folder: 'cnn_dailymail', processResults: { 'utils.process_results': scoreArticle } },
]
