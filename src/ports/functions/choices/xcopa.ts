/** Helpers of `xcopa/utils.py`, `copal_id/utils.py`, `xwinograd/utils.py` and of winogrande's other copies, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { DocTo, FunctionFamily } from '../../../harness/function-table.ts'
import { codePoints, lower, strip } from '../../../python/string.ts'
import type { PyDict } from '../../../python/value.ts'
import { microF1Score } from '../answers/f1-scores.ts'
import { lookUp, textOf } from '../columns.ts'
import { answerIndex, choiceContexts, restOfSentence } from './winogrande.ts'

const connectors: readonly (readonly [language: string, cause: string, effect: string])[] = [
  ['et', 'sest', 'seetõttu'],
  ['ht', 'poukisa', 'donk sa'],
  ['it', 'perché', 'quindi'],
  ['id', 'karena', 'maka'],
  ['qu', 'imataq', 'chaymi'],
  ['sw', 'kwa sababu', 'kwa hiyo'],
  ['zh', '因为', '所以'],
  ['ta', 'காரணமாக', 'எனவே'],
  ['th', 'เพราะ', 'ดังนั้น'],
  ['tr', 'çünkü', 'bu yüzden'],
  ['vi', 'bởi vì', 'vì vậy'],
]

const prompts: { readonly [name: string]: DocTo } = Object.fromEntries(
  connectors.map(([language, cause, effect]): [string, DocTo] => [`utils.doc_to_text_${language}`, (doc) => ask(doc, { cause, effect })]),
)

function ask(doc: PyDict, words: { readonly cause: string; readonly effect: string }): string {
  // The premise's last character is its full stop.
  return `${codePoints(strip(textOf(doc, 'premise')))
    .slice(0, -1)
    .join('')} ${lookUp(doc, 'question', words)}`
}

const choices: DocTo = (doc) => ['choice1', 'choice2'].map((column) => lowerFirst(textOf(doc, column), column))

function lowerFirst(text: string, column: string): string {
  const [first, ...rest] = codePoints(text)
  if (first === undefined)
    throw new EvalError('dataset/schema', `wanted text in the column '${column}', found none`, { details: { column } })
  return lower(first) + rest.join('')
}

const sentence = (module: string): { readonly [name: string]: DocTo } => ({
  [`${module}.doc_to_text`]: answerIndex,
  [`${module}.doc_to_target`]: restOfSentence,
  [`${module}.doc_to_choice`]: choiceContexts,
})

export const xcopaAndWinograd: readonly FunctionFamily[] = [
  { folder: 'xcopa', docTo: { ...prompts, 'utils.doc_to_choice': choices } },
  {
    folder: 'copal_id',
    docTo: { 'utils.doc_to_text_id': (doc) => ask(doc, { cause: 'karena', effect: 'maka' }), 'utils.doc_to_choice': choices },
  },
  { folder: 'xwinograd', docTo: sentence('utils') },
  { folder: 'aradice/winogrande', docTo: sentence('utils'), aggregation: { 'metrics.micro_f1_score': microF1Score } },
]
