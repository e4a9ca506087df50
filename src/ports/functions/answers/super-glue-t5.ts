/** SuperGLUE as T5 words and scores it: `super_glue/{cb,multirc,record,wsc}/t5_utils.py`, lm_eval 0.4.13. */
import { maxOf } from '../../../base/arrays.ts'
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily, ScoreResponse } from '../../../harness/function-table.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { lower, split, strip } from '../../../python/string.ts'
import { isList, pyEquals, pyFloat, pyTuple, repr, str, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { columnOf, textOf, textsOf, wholeTextOf } from '../columns.ts'
import { meanOf, textResult } from '../logprobs.ts'
import { normalizeAnswer, tokenF1 } from './token-f1.ts'

/** The items of a metric as tuples of one size. Throws `metric/failed`. */
function tuples(items: readonly PyValue[], size: number): readonly (readonly PyValue[])[] {
  if (items.length === 0) throw new EvalError('metric/failed', 'There are no values to aggregate.')
  return items.map((item) => {
    if (isList(item) && item.length === size) return item
    throw new EvalError('metric/failed', `The aggregation wants tuples of ${size}, found ${repr(item).slice(0, 80)}.`)
  })
}

/** `[group, text]` of a reference such as `12_True`. Throws `metric/failed` unless it has one underscore. */
function splitGroup(reference: PyValue | undefined): readonly [group: string, text: string] {
  const [group, text, ...rest] = str(reference ?? null).split('_')
  if (group !== undefined && text !== undefined && rest.length === 0) return [group, text]
  throw new EvalError('metric/failed', `Wanted a reference like 12_text, found ${repr(reference ?? null).slice(0, 80)}.`)
}

function placeOf(labels: readonly string[], text: PyValue | undefined): number {
  const place = labels.findIndex((label) => label === text)
  if (place >= 0) return place
  throw new EvalError('metric/failed', `Wanted one of ${labels.join(', ')}, found ${repr(text ?? null).slice(0, 80)}.`)
}

/** F1 of one value among `[prediction, reference]` pairs. */
function f1Of(pairs: readonly (readonly PyValue[])[], value: number): number {
  const is = (place: number) => pairs.map((pair) => pyEquals(pair[place] ?? null, value))
  const [predicted, gold] = [is(0), is(1)]
  const both = predicted.filter((one, i) => one && gold[i] === true).length
  const marked = predicted.filter(Boolean).length + gold.filter(Boolean).length
  return marked === 0 ? 0 : (2 * both) / marked
}

const inferences = ['entailment', 'contradiction', 'neutral']

const cb: FunctionFamily = {
  folder: 'super_glue/cb',
  metric: {
    't5_utils.mean_3class_f1': ([reference], [prediction]) =>
      pyTuple([Math.max(0, inferences.indexOf(str(prediction ?? null))), placeOf(inferences, reference)]),
  },
  aggregation: {
    't5_utils.agg_mean_3class_f1': (items) => {
      const pairs = tuples(items, 2)
      return pyFloat(meanOf([0, 1, 2].map((label) => f1Of(pairs, label))))
    },
  },
}

const truths = ['False', 'True']

/** The truth that was said; one that is neither counts as wrong. */
const saidTruth = (prediction: PyValue | undefined, reference: number): PyValue =>
  typeof prediction === 'string' && truths.includes(prediction) ? truths.indexOf(prediction) : reference === 0

const multirc: FunctionFamily = {
  folder: 'super_glue/multirc',
  metric: {
    't5_utils.f1': ([reference], [prediction]) => {
      const gold = placeOf(
        truths,
        str(reference ?? null)
          .split('_')
          .at(-1),
      )
      return pyTuple([saidTruth(prediction, gold), gold])
    },
    't5_utils.em': ([reference], [prediction]) => {
      const [group, text] = splitGroup(reference)
      const gold = placeOf(truths, text)
      return pyTuple([group, saidTruth(prediction, gold), gold])
    },
  },
  aggregation: {
    't5_utils.agg_f1': (items) => pyFloat(f1Of(tuples(items, 2), 1)),
    't5_utils.agg_em': (items) => {
      const groups = new Map<string, boolean>()
      for (const [group = null, prediction = null, gold = null] of tuples(items, 3))
        groups.set(str(group), (groups.get(str(group)) ?? true) && pyEquals(prediction, gold))
      return pyFloat(meanOf([...groups.values()].map(Number)))
    },
  },
}

const highlightAfterMark = compileWhenUsed(String.raw`(\.|\?|\!|\"|\')\n@highlight\n`)
const highlight = compileWhenUsed(String.raw`\n@highlight\n`)
const pair: ScoreResponse = ([reference = null], [prediction = null]) => pyTuple([prediction, reference])

interface Answers {
  readonly predictions: string[]
  readonly targets: string[]
}

/** Normalised predictions and targets by question. */
function byQuestion(items: readonly PyValue[]): readonly Answers[] {
  const groups = new Map<string, Answers>()
  for (const [prediction = null, reference] of tuples(items, 2)) {
    const [group, text] = splitGroup(reference)
    const answers = groups.get(group) ?? { predictions: [], targets: [] }
    answers.predictions.push(normalizeAnswer(str(prediction)))
    answers.targets.push(normalizeAnswer(text))
    groups.set(group, answers)
  }
  return [...groups.values()]
}

function firstF1({ predictions, targets }: Answers): number {
  const said = split(predictions[0] ?? '')
  return maxOf(targets.map((target) => toNumber(tokenF1(split(target), said)) ?? 0))
}

const record: FunctionFamily = {
  folder: 'super_glue/record',
  processDocs: {
    't5_utils.process_docs': (docs) =>
      docs.flatMap((doc) => textsOf(doc, 'answers').map((answer) => new Map([...doc, ['answers', answer]]))),
  },
  docTo: {
    't5_utils.doc_to_text': (doc) => {
      const passage = highlight.sub('. ', highlightAfterMark.sub(String.raw`\1 `, textOf(doc, 'passage')))
      return `record query: ${textOf(doc, 'query')} entities: ${textsOf(doc, 'entities').join(', ')} passage: ${passage}`
    },
  },
  metric: { 't5_utils.em': pair, 't5_utils.f1': pair },
  aggregation: {
    't5_utils.squad_em_agg': (items) =>
      pyFloat(meanOf(byQuestion(items).flatMap(({ predictions, targets }) => predictions.map((said) => (targets.includes(said) ? 1 : 0))))),
    // Upstream keeps a question's first prediction only.
    't5_utils.squad_f1_agg': (items) => pyFloat(meanOf(byQuestion(items).map(firstF1))),
  },
}

const whipped =
  'The boy continued to whip the pony , and eventually the pony threw him over. John laughed out quite loud. "Good for him," he said. '
const pebble =
  'When they had eventually calmed down a bit , and had gotten home, Mr. Farley put the magic pebble in an iron safe . ' +
  'Some day they might want to use it , but really for now, what more could they wish for?'

/** The text with X for the pronoun; two of the data set's rows point at a wrong word. */
function withGap(doc: PyDict): string {
  const text = textOf(doc, 'text')
  const words = text.split(' ')
  const place = wholeTextOf(doc, 'span2_index')
  if (place <= 0 || place >= words.length)
    throw new EvalError('dataset/schema', `wanted a word within the text in the column 'span2_index', found ${place} of ${words.length}`)
  if (text === whipped) return text.replace('"Good for him," he said. ', '"Good for X ," he said.')
  if (text === pebble) return text.replace('use it ,', 'use X ,')
  if (words[place] !== textOf(doc, 'span2_text'))
    throw new EvalError('dataset/schema', `wanted the word '${textOf(doc, 'span2_text')}' at ${place}, found '${words[place] ?? ''}'`)
  return [words.slice(0, place).join(' '), 'X', words.slice(place + 1).join(' ')].join(' ')
}

const determiners = new Set('a an few her his each every many much my our some that the their these this those which whose your'.split(' '))

function withoutDeterminers(text: string): string {
  return lower(strip(text))
    .split(' ')
    .filter((word) => !determiners.has(word))
    .join(' ')
}

/** Whether the words of one are among the other's, unless only one has an apostrophe. */
function namesReferent(said: string, referent: string): boolean {
  if (said.includes("'") !== referent.includes("'")) return false
  const [left, right] = [new Set(said.split(' ')), new Set(referent.split(' '))]
  return [...left].every((word) => right.has(word)) || [...right].every((word) => left.has(word))
}

const gap = compileWhenUsed(' X ')

const wsc: FunctionFamily = {
  folder: 'super_glue/wsc',
  docTo: { 't5_utils.doc_to_text': (doc) => `wsc: ${gap.sub(` *${textOf(doc, 'span2_text')}* `, withGap(doc))}` },
  processResults: {
    't5_utils.process_results': (doc, results) => {
      const isReferent = namesReferent(withoutDeterminers(textResult(results)), withoutDeterminers(textOf(doc, 'span1_text')))
      return new Map([['accuracy', pyFloat(pyEquals(columnOf(doc, 'label'), isReferent) ? 1 : 0)]])
    },
  },
}

export const superGlueT5: readonly FunctionFamily[] = [cb, multirc, record, wsc]
