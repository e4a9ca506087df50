/**
 * Helpers of single benchmarks, lm_eval 0.4.13: `careqa/utils.py`, `kormedmcqa/utils.py`, `llama3/instruct/arc_challenge/utils.py`,
 * `arabic_leaderboard_{complete,light}/arabic_leaderboard_arabic_mt_sciq…/utils.py`, `japanese_leaderboard/ja_leaderboard_*.py`,
 * `darija_bench/darija_sentiment/utils.py` and `mutual/utils.py`.
 */
import { EvalError } from '../../../base/errors.ts'
import { readList } from '../../../harness/filters/filters.ts'
import type { FunctionFamily, ProcessDocs } from '../../../harness/function-table.ts'
import { argmax } from '../../../harness/metrics/means.ts'
import { parseFloatText } from '../../../python/number.ts'
import { PyRandom } from '../../../python/random.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { strip, upper } from '../../../python/string.ts'
import { isDict, isList, pyEquals, pyFloat, repr, str, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { columnOf, dictOf, itemOf, listOf, lookUp, placeOf, textOf, textsOf, wholeTextOf, wordOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'
import { logprobsOf, textResult } from '../logprobs.ts'

const letters = ['A', 'B', 'C', 'D']

const careQa: FunctionFamily = {
  folder: 'careqa',
  docTo: {
    // Without a question, upstream asks one of its own instead; no row lacks one.
    'utils.doc_to_text': (doc) => {
      const options = letters.map((letter, i) => `${letter}. ${wordOf(doc, `op${i + 1}`)}\n`).join('')
      return `Question: ${textOf(doc, 'question')}\nChoices:\n${options}Answer:`
    },
    'utils.doc_to_target': (doc) => wholeTextOf(doc, 'cop') - 1,
  },
}

const choicePatterns = [
  String.raw`정답[:\s]*([ABCDE])`,
  String.raw`정답은\s*([ABCDE])\s*입니다`,
  String.raw`\b([ABCDE])\.`,
  String.raw`\b([ABCDE])\b`,
].map((pattern) => compileWhenUsed(pattern, ['IGNORECASE']))

/** The last match of the first pattern that matches. */
function readChoice(response: PyValue): string {
  for (const pattern of choicePatterns) {
    const last = pattern.findall(str(response)).at(-1)
    if (typeof last === 'string') return upper(last)
  }
  return ''
}

const korMedMcqa: FunctionFamily = {
  folder: 'kormedmcqa',
  filter: { 'utils.ExtractChoiceFilter': () => (responses) => responses.map((response) => readList(response).map(readChoice)) },
}

const llamaArc: FunctionFamily = {
  folder: 'llama3/instruct/arc_challenge',
  processDocs: {
    'utils.process_docs': (docs) =>
      mapDocs((doc) => {
        const key = textOf(doc, 'answerKey')
        return [
          ['choices', new Map([...dictOf(doc, 'choices'), ['label', letters]])],
          ['answerKey', letters.includes(key) ? key : itemOf(letters, wholeTextOf(doc, 'answerKey') - 1, 'labels')],
        ]
      })(docs.filter((doc) => listOf(dictOf(doc, 'choices'), 'label').length === 4)),
  },
}

const instruction = 'بناءً على السياق أدناه، اختر الإجابة الصحيحة للسؤال التالي من قائمة الاقتراحات'

/** Upstream shuffles with the global generator; this is what a lone task on a cold cache gets, as with GPQA. */
const shuffledSciq: ProcessDocs = (docs) => {
  const random = new PyRandom(0)
  return docs.map((doc) => {
    const choices = ['distractor1', 'distractor2', 'distractor3', 'correct_answer'].map((column) => columnOf(doc, column))
    random.shuffle(choices)
    const query = `${instruction}\n    السياق:\n    ${wordOf(doc, 'support')}\n    السؤال:\n    ${wordOf(doc, 'question')}\n    الإجابات المحتملة:\n\n    `
    return new Map<string, PyValue>([
      ...doc,
      ['query', query],
      ['choices', choices],
      ['gold', choices.findIndex((choice) => pyEquals(choice, columnOf(doc, 'correct_answer')))],
    ])
  })
}

const arabicSciq: readonly FunctionFamily[] = [
  'arabic_leaderboard_complete/arabic_leaderboard_arabic_mt_sciq',
  'arabic_leaderboard_light/arabic_leaderboard_arabic_mt_sciq_light',
].map((folder) => ({ folder, processDocs: { 'utils.process_docs': shuffledSciq } }))

const numeral = compileWhenUsed(String.raw`(\-?[0-9\.\,]+)`)

/** The last number of a text if it is whole. */
function lastWhole(text: string): number | null {
  const last = numeral.findall(text).at(-1)
  const number = typeof last === 'string' ? parseFloatText(strip(last, '.').replaceAll(',', '')) : null
  return number !== null && Number.isInteger(number) ? number : null
}

const japanese: FunctionFamily = {
  folder: 'japanese_leaderboard',
  processDocs: {
    'ja_leaderboard_jcommonsenseqa.process_docs': mapDocs((doc) => [
      ['choices', [0, 1, 2, 3, 4].map((place) => columnOf(doc, `choice${place}`))],
    ]),
    'ja_leaderboard_xwinograd.process_docs': mapDocs((doc) => [
      ['label', wholeTextOf(doc, 'answer') - 1],
      ['choices', ['sentence1', 'sentence2'].map((column) => strip(textOf(doc, column)))],
    ]),
  },
  processResults: {
    'ja_leaderboard_mgsm.process_results': (doc, results) => {
      const answer = lastWhole(textResult(results))
      return new Map([
        ['acc', answer === null ? pyEquals('[invalid]', columnOf(doc, 'answer_number')) : pyEquals(answer, columnOf(doc, 'answer_number'))],
      ])
    },
  },
}

function messageOf(doc: PyDict, place: number): string {
  const message = itemOf(listOf(doc, 'messages'), place, 'messages')
  if (isDict(message)) return textOf(message, 'content')
  throw new EvalError('dataset/schema', `wanted records in the column 'messages', found ${repr(message).slice(0, 80)}`)
}

const darijaSentiment: FunctionFamily = {
  folder: 'darija_bench/darija_sentiment',
  docTo: {
    'utils.doc_to_text': (doc) =>
      messageOf(doc, 0)
        .replaceAll('-سلبي', 'A. سلبي')
        .replaceAll('-ايجابي', 'B. ايجابي')
        .replaceAll('-ماكينش إحساس', 'C. ماكينش إحساس\nThe answer should be strictly one letter of the following: A, B, C.'),
    'utils.doc_to_target': (doc) =>
      lookUp(new Map([['content', messageOf(doc, 1)]]), 'content', { سلبي: 'A', ايجابي: 'B', 'ماكينش إحساس': 'C' }),
    'utils.doc_to_choice_2': () => letters.slice(0, 2),
    'utils.doc_to_choice_3': () => letters.slice(0, 3),
  },
}

const spacing: readonly (readonly [from: string, to: string])[] = [
  [" '", "'"],
  [' \n', '\n'],
  ['\n ', '\n'],
  [" n't", "n't"],
  ['`` ', '"'],
  ["''", '"'],
  [' :', ':'],
  [' ;', ';'],
  [' !', '!'],
  [' ?', '?'],
  [' ,', ','],
  [' .', '.'],
]
const detokenize = (text: string): string => spacing.reduce((current, [from, to]) => current.replaceAll(from, to), text)

/** Recall at one and two, and the reciprocal rank. Upstream seeks the largest among log-likelihoods and flags alike, all in one row. */
function rankAnswers(doc: PyDict, results: readonly PyValue[]): PyDict {
  const gold = placeOf(doc, 'answers', letters)
  const logprobs = logprobsOf(results)
  const flags = results.map((result) => (isList(result) ? (toNumber(result[1] ?? null) ?? 0) : 0))
  const isFirst = argmax(logprobs.flatMap((logprob, i) => [logprob, flags[i] ?? 0])) === gold
  const own = itemOf(logprobs, gold, 'results')
  const ahead = logprobs.filter((logprob, i) => logprob > own || (logprob === own && (flags[i] ?? 0) > (flags[gold] ?? 0))).length
  return new Map<string, PyValue>([
    ['r@1', isFirst],
    ['r@2', ahead === 1 || isFirst],
    ['mrr', pyFloat(1 / (ahead + 1))],
  ])
}

const mutual: FunctionFamily = {
  folder: 'mutual',
  processDocs: {
    'utils.process_docs': mapDocs((doc) => [
      ['article', detokenize(textOf(doc, 'article'))],
      ['options', textsOf(doc, 'options').map(detokenize)],
    ]),
  },
  processResults: { 'utils.process_results': rankAnswers },
}

export const smallExams: readonly FunctionFamily[] = [careQa, korMedMcqa, llamaArc, ...arabicSciq, japanese, darijaSentiment, mutual]
