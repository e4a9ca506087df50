/**
 * Helpers that score answers, lm_eval 0.4.13: `agieval/utils.py` (choices only), `xquad/utils.py`, `coqa/utils.py`,
 * `super_glue/record/util.py`.
 */
import { maxOf } from '../../../base/arrays.ts'
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily, ProcessResults } from '../../../harness/function-table.ts'
import { argmax } from '../../../harness/metrics/means.ts'
import { length, lower, split, strip } from '../../../python/string.ts'
import { isDict, isList, pyEquals, pyFloat, repr, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { columnOf, dictOf, itemOf, listOf, textOf, textsOf } from '../columns.ts'
import { compareCodePoints } from '../../../python/compare-strings.ts'
import { mapDocs } from '../keep-where.ts'
import { logprobsOf, textResult } from '../logprobs.ts'
import { squadExact, squadF1 } from './token-f1.ts'

const agiEval: FunctionFamily = {
  folder: 'agieval',
  processResults: {
    'utils.process_results_mcqa': (doc, results) => {
      const logprobs = logprobsOf(results)
      const lengths = textsOf(doc, 'choices').map(length)
      if (lengths.length !== logprobs.length)
        throw new EvalError('metric/failed', `There are ${lengths.length} choices for ${logprobs.length} log-likelihoods.`)
      const isGold = (place: number) => pyFloat(listOf(doc, 'gold').some((gold) => pyEquals(gold, place)) ? 1 : 0)
      return new Map([
        ['acc', isGold(argmax(logprobs))],
        ['acc_norm', isGold(argmax(logprobs.map((logprob, i) => logprob / (lengths[i] ?? NaN))))],
      ])
    },
  },
}

/** SQuAD's F1 and exact match of an answer, as `{f1, exact_match}`. */
export function scoreQa(gold: string, answer: string): PyDict {
  return new Map<string, PyValue>([
    ['f1', squadF1(gold, answer)],
    ['exact_match', squadExact(gold, answer)],
  ])
}

/** `scoreQa` against the first of `answers.text`. */
export const scoreFirstText: ProcessResults = (doc, results) =>
  scoreQa(itemOf(textsOf(dictOf(doc, 'answers'), 'text'), 0, 'answers'), textResult(results))

const xquad: FunctionFamily = { folder: 'xquad', processResults: { 'utils.process_results_qa': scoreFirstText } }

const turns = (doc: PyDict, column: string): readonly string[] => textsOf(dictOf(doc, column), 'input_text')

/** The story, and the questions so far with their answers but the last. */
function tellStory(doc: PyDict): string {
  const questions = turns(doc, 'questions')
  const answers = turns(doc, 'answers').slice(0, -1)
  const count = Math.max(questions.length, answers.length)
  const exchange = Array.from({ length: count }, (_, i) => {
    const answer = answers[i]
    return `Q: ${questions[i] ?? 'None'}\n\n${answer === undefined ? 'A:' : `A: ${answer}\n\n`}`
  })
  return `${textOf(doc, 'story')}\n\n${exchange.join('')}`
}

/** The answer of the last turn, and the other annotators' that differ in more than case. */
function acceptedAnswers(doc: PyDict): readonly string[] {
  const last = turns(doc, 'questions').length - 1
  const answers = [itemOf(turns(doc, 'answers'), last, 'answers')]
  const others = doc.get('additional_answers') ?? null
  if (!isDict(others)) return answers
  for (const key of others.keys()) {
    const other = itemOf(turns(others, key), last, key)
    if (!answers.some((answer) => lower(answer) === lower(other))) answers.push(other)
  }
  return answers
}

/** With several answers, each is left out once and the best of the rest counts. */
export function meanBest(golds: readonly string[], score: (gold: string) => number): PyValue {
  const best = (some: readonly string[]): number => maxOf(some.map(score))
  const total = golds.length > 1 ? golds.reduce((sum, _, i) => sum + best(golds.filter((_gold, k) => k !== i)), 0) : best(golds)
  return pyFloat(total / golds.length)
}

const coqa: FunctionFamily = {
  folder: 'coqa',
  docTo: { 'utils.doc_to_text': tellStory, 'utils.doc_to_target': acceptedAnswers },
  processResults: {
    'utils.process_results': (doc, results) => {
      const golds = acceptedAnswers(doc)
      const answer = strip(textResult(results)).split('\n')[0] ?? ''
      return new Map([
        ['em', meanBest(golds, (gold) => squadExact(gold, answer))],
        ['f1', meanBest(golds, (gold) => toNumber(squadF1(gold, answer)) ?? 0)],
      ])
    },
  },
}

const sortedUnique = (doc: PyDict, column: string): readonly string[] => [...new Set(textsOf(doc, column))].sort(compareCodePoints)

const fill = (doc: PyDict, entity: string): string => `  - ${textOf(doc, 'query')}`.replaceAll('@placeholder', () => entity)

const record: FunctionFamily = {
  folder: 'super_glue/record',
  processDocs: {
    'util.process_docs': mapDocs((doc) => [
      ['passage', columnOf(doc, 'passage')],
      ['query', columnOf(doc, 'query')],
      ['entities', sortedUnique(doc, 'entities')],
      ['answers', sortedUnique(doc, 'answers')],
    ]),
  },
  docTo: {
    'util.doc_to_text': (doc) => {
      const [first = '', ...highlights] = split(strip(textOf(doc, 'passage')), '\n@highlight\n')
      return `${first}\n\n${highlights.map((highlight) => `  - ${highlight}.\n`).join('')}`
    },
    'util.doc_to_target': (doc) => fill(doc, itemOf(textsOf(doc, 'answers'), 0, 'answers')),
    'util.doc_to_choice': (doc) => textsOf(doc, 'entities').map((entity) => fill(doc, entity)),
  },
  processResults: {
    'util.process_results': (doc, results) => {
      const prediction = itemOf(textsOf(doc, 'entities'), argmax(logprobsOf(results)), 'entities')
      const golds = textsOf(doc, 'answers')
      if (golds.length === 0) throw new EvalError('metric/failed', 'The doc has no answers.')
      const scores = golds.map((gold) => squadF1(prediction, gold))
      const best = scores.reduce((left, right) => ((toNumber(right) ?? 0) > (toNumber(left) ?? 0) ? right : left))
      return new Map<string, PyValue>([
        ['f1', best],
        ['em', maxOf(golds.map((gold) => squadExact(prediction, gold)))],
      ])
    },
  },
}

/** `super_glue/cb`: the mean F1 of the three labels, each on its own, of `(prediction, gold)` items in upstream's naming. */
function threeLabelF1(items: readonly PyValue[]): PyValue {
  const pairs = items.map((item) => {
    if (!isList(item) || item.length !== 2)
      throw new EvalError('metric/failed', `The aggregation wants pairs, found ${repr(item).slice(0, 80)}.`)
    return item
  })
  const scores = [0, 1, 2].map((label) => {
    const has = (place: number) => pairs.map((pair) => pyEquals(pair[place] ?? null, label))
    const [left, right] = [has(0), has(1)]
    const both = left.filter((is, i) => is && right[i] === true).length
    const marked = left.filter(Boolean).length + right.filter(Boolean).length
    return marked === 0 ? 0 : (2 * both) / marked
  })
  return pyFloat(scores.reduce((sum, value) => sum + value, 0) / 3)
}

const cb: FunctionFamily = { folder: 'super_glue/cb', aggregation: { 'aggregate.cb_multi_fi': threeLabelF1 } }

export const questionAnswering: readonly FunctionFamily[] = [agiEval, xquad, coqa, record, cb]
