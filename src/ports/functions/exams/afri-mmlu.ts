/** Helpers of `afrimmlu/{direct,translate}/prompt_{1..5}/utils.py`, lm_eval 0.4.13; the indents are the prompts' own. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { literalEval } from '../../../python/literal.ts'
import { isList, str, type PyDict, type PyValue } from '../../../python/value.ts'
import { weightedF1Score } from '../answers/f1-scores.ts'
import { itemOf, textOf, wordOf } from '../columns.ts'

type Word = (subject: string, question: string, choices: readonly string[]) => string

const listed = (indent: string, choices: readonly string[]): string =>
  ['A', 'B', 'C', 'D'].map((letter, i) => `${indent}${letter}: ${itemOf(choices, i, 'choices')}\n`).join('')

const short = (question: string, choices: readonly string[]): string =>
  `Question: ${question}\nChoices:\n${listed(' '.repeat(8), choices)}Answer: `

const first: Word = (subject, question, choices) => {
  const indent = ' '.repeat(16)
  return [
    'You are a highly knowledgeable and intelligent artificial intelligence\n',
    `${indent}model answers multiple-choice questions about ${subject}\n\n`,
    `${indent}Question: ${question}\n\n`,
    `${indent}Choices:\n`,
    listed(' '.repeat(24), choices),
    `\n${indent}Answer:  `,
  ].join('')
}

const second: Word = (subject, question, choices) =>
  `As an expert in ${subject}, choose the most accurate answer to the question below.\n` +
  `Your goal is to select the correct option 'A', 'B', 'C', or 'D' by understanding the nuances of the topic.\n\n${short(question, choices)}`

/** The translated tasks' prompt has its quotes doubled. */
const third =
  (quote: string): Word =>
  (subject, question, choices) => {
    const [a, b, c, d] = ['A', 'B', 'C', 'D'].map((letter) => quote + letter + quote)
    return (
      `You are a subject matter expert in ${subject}.\n\n` +
      `  Utilizing your expertise in ${subject}, answer the following multiple-choice question\n` +
      `  by picking ${a}, ${b}, ${c}, or ${d}.\n\n${short(question, choices)}`
    )
  }

const fourth: Word = (_subject, question, choices) =>
  `Analyze each question critically and determine the most correct option based on your understanding of the subject matter\n\n${short(question, choices)}`

const fifth =
  (gap: string): Word =>
  (subject, question, choices) =>
    `Given your proficiency in ${subject}, please answer the subsequent multiple-choice question with 'A', 'B', 'C', or 'D'.${gap}${short(question, choices)}`

const prompts: readonly (readonly [folder: string, word: Word])[] = [
  ['direct/prompt_1', first],
  ['direct/prompt_2', second],
  ['direct/prompt_3', third("'")],
  ['direct/prompt_4', fourth],
  ['direct/prompt_5', fifth('\n\n')],
  ['translate/prompt_1', first],
  ['translate/prompt_2', second],
  ['translate/prompt_3', third("''")],
  ['translate/prompt_4', fourth],
  ['translate/prompt_5', fifth('\n')],
]

export const afriMmlu: readonly FunctionFamily[] = prompts.map(([folder, word]) => ({
  folder: `afrimmlu/${folder}`,
  docTo: {
    'utils.doc_to_choice': choicesOf,
    'utils.doc_to_text': (doc) => word(wordOf(doc, 'subject'), wordOf(doc, 'question'), choicesOf(doc).map(str)),
  },
  aggregation: { 'utils.weighted_f1_score': weightedF1Score },
}))

/** The column holds a list as Python writes it. */
function choicesOf(doc: PyDict): readonly PyValue[] {
  const choices = literalEval(textOf(doc, 'choices'))
  if (isList(choices)) return choices
  throw new EvalError('dataset/schema', `wanted a list in the column 'choices', found ${str(choices)}`, { details: { column: 'choices' } })
}
