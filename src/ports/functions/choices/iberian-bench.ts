/** Helpers of `{catalan,galician,spanish,basque}_bench/utils.py` that prepare rows or score answers, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily, ProcessDocs } from '../../../harness/function-table.ts'
import { codePoints, lower, split, strip } from '../../../python/string.ts'
import { isDict, toNumber, type PyDict, type PyValue } from '../../../python/value.ts'
import { meanBest, scoreQa } from '../answers/question-answering.ts'
import { squadExact, squadF1 } from '../answers/token-f1.ts'
import { columnOf, dictOf, isTruthy, itemOf, listOf, lookUp, textOf } from '../columns.ts'
import { detokenize } from '../detokenize.ts'
import { mapDocs } from '../keep-where.ts'
import { textResult } from '../logprobs.ts'
import { leadingTrueMass } from './true-mass.ts'

/** `text[0].lower() + text[1:]`. Throws `dataset/schema` for an empty text. */
function lowerFirst(text: string, column: string): string {
  const [first, ...rest] = codePoints(text)
  if (first === undefined)
    throw new EvalError('dataset/schema', `wanted text in the column '${column}', found none`, { details: { column } })
  return lower(first) + rest.join('')
}

/** The first text without the final mark that `mark` matches, the second beginning in lower case. */
function joinable(left: string, right: string, { mark, clean }: { mark: RegExp; clean: (text: string) => string }): ProcessDocs {
  return mapDocs((doc) => [
    [left, clean(textOf(doc, left)).replace(mark, '')],
    [right, lowerFirst(clean(textOf(doc, right)), right)],
  ])
}

const detokenized = (text: string): string => strip(detokenize(text))

/** Pairs of which a side is missing or empty go. */
function paraphrases(left: string, right: string, clean = detokenized): ProcessDocs {
  const join = joinable(left, right, { mark: /[.,;]$/, clean })
  return (docs) => join(docs.filter((doc) => [left, right].every((column) => isTruthy(columnOf(doc, column)))))
}

/** A premise without its final mark, and a hypothesis in lower case that ends with a full stop. */
function inference(left: string, right: string): ProcessDocs {
  const join = joinable(left, right, { mark: /[.,!?]$/, clean: detokenized })
  const end = mapDocs((doc) => [[right, textOf(doc, right).replace(/(?<!\.)$/, '.')]])
  return (docs) => end(join(docs))
}

const labelled = mapDocs((doc) => [['gold_label', lookUp(doc, 'gold_label', { entailment: 0, neutral: 1, contradiction: 2 })]])
const lowerChoices = mapDocs((doc) => ['choice1', 'choice2'].map((column) => [column, lowerFirst(textOf(doc, column), column)]))
const oneSpace = (text: string): string => text.replace(/ +/g, ' ')
const spacedOnce = mapDocs((doc) => ['text', 'summary'].map((column) => [column, oneSpace(textOf(doc, column))]))

const cabreu = mapDocs((doc) => {
  const summaries = new Map(dictOf(doc, 'summaries'))
  for (const kind of ['abstractive', 'extractive', 'extreme']) {
    const versions = dictOf(summaries, kind)
    summaries.set(
      kind,
      new Map([...versions, ...['a1', 'a2', 'a3'].map((key): [string, PyValue] => [key, oneSpace(textOf(versions, key))])]),
    )
  }
  return [
    ['content', oneSpace(textOf(doc, 'content'))],
    ['summaries', summaries],
  ]
})

/** CoQCat: the turn is the number of questions so far. */
function scoreTurn(doc: PyDict, results: readonly PyValue[]): PyDict {
  const questions = columnOf(doc, 'questions')
  const turn =
    (typeof questions === 'string' ? codePoints(questions).length : isDict(questions) ? questions.size : listOf(doc, 'questions').length) -
    1
  const said = (answers: PyDict): string => {
    const answer = itemOf(listOf(answers, 'input_text'), turn, 'input_text')
    if (typeof answer === 'string') return answer
    throw new EvalError('dataset/schema', "wanted texts in the column 'input_text'", { details: { column: 'input_text' } })
  }
  const golds = [said(dictOf(doc, 'answers'))]
  const others = doc.get('additional_answers') ?? null
  if (isDict(others)) {
    for (const key of others.keys()) {
      const other = said(dictOf(others, key))
      if (!golds.some((gold) => lower(gold) === lower(other))) golds.push(other)
    }
  }
  const answer = split(strip(textResult(results)), '\n')[0] ?? ''
  return new Map([
    ['em', meanBest(golds, (gold) => squadExact(gold, answer))],
    ['f1', meanBest(golds, (gold) => toNumber(squadF1(gold, answer)) ?? 0)],
  ])
}

/** The first of `answers`, a list of records here. */
function scoreFirstAnswer(doc: PyDict, results: readonly PyValue[]): PyDict {
  const first = itemOf(listOf(doc, 'answers'), 0, 'answers')
  return scoreQa(isDict(first) ? textOf(first, 'text') : '', textResult(results))
}

export const iberianBench: readonly FunctionFamily[] = [
  {
    folder: 'catalan_bench',
    processDocs: {
      'utils.process_doc_nli': inference('premise', 'hypothesis'),
      'utils.process_docs_paraphrases': paraphrases('sentence1', 'sentence2'),
      'utils.process_docs_copa_ca': lowerChoices,
      'utils.process_doc_cabreu': cabreu,
    },
    processResults: { 'utils.process_results_coqcat': scoreTurn, 'utils.process_results_qa': scoreFirstAnswer },
  },
  {
    folder: 'spanish_bench',
    processDocs: {
      'utils.process_doc_nli': inference('premise', 'hypothesis'),
      'utils.process_docs_paraphrases': paraphrases('sentence1', 'sentence2'),
      'utils.process_docs_copa_es': lowerChoices,
      'utils.process_xlsum': spacedOnce,
    },
  },
  {
    folder: 'galician_bench',
    processDocs: {
      'utils.process_doc_nli': (docs) => labelled(inference('sentence1', 'sentence2')(docs)),
      'utils.process_docs_paraphrases': paraphrases('Frase', 'Paráfrase'),
      'utils.process_docs_paws': paraphrases('sentence1', 'sentence2'),
      'utils.process_summarization': spacedOnce,
    },
    processResults: { 'utils.process_results_mc2': leadingTrueMass },
  },
  {
    folder: 'basque_bench',
    docTo: {
      'utils.xcopa_doc_to_text': (doc) =>
        strip(textOf(doc, 'premise')) + lookUp(doc, 'question', { cause: ' Izan ere,', effect: ' Beraz,' }),
      'utils.xcopa_doc_to_choice': (doc) => ['choice1', 'choice2'].map((column) => lowerFirst(textOf(doc, column), column)),
    },
    processDocs: { 'utils.paws_process_docs': paraphrases('sentence1', 'sentence2', (text) => text) },
  },
]
