/**
 * Helpers of `mmlu_pro/utils.py`, `mmlu-pro-plus/utils.py`, `llama3/instruct/mmlu_pro/utils.py` and `leaderboard/mmlu_pro/utils.py`,
 * lm_eval 0.4.13.
 */
import type { FunctionFamily, ProcessDocs } from '../../../harness/function-table.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { strip } from '../../../python/string.ts'
import { str, type PyDict, type PyValue } from '../../../python/value.ts'
import { itemOf, listOf, textOf, textsOf, wordOf } from '../columns.ts'
import { keepEach } from '../keep-where.ts'

const subjects = [
  'biology',
  'business',
  'chemistry',
  'computer science',
  'economics',
  'engineering',
  'health',
  'history',
  'law',
  'math',
  'other',
  'philosophy',
  'physics',
  'psychology',
]

/** `process_<subject>`: the rows whose category is the subject. */
export const keepCategory: { readonly [name: string]: ProcessDocs } = keepEach(
  'category',
  Object.fromEntries(subjects.map((subject) => [`utils.process_${subject.replace(' ', '_')}`, subject])),
)

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

const mmluPro: FunctionFamily = {
  folder: 'mmlu_pro',
  processDocs: keepCategory,
  docTo: {
    'utils.doc_to_text': (doc) => wordQuestion(doc, textsOf(doc, 'options').slice(0, 10)),
    // The few-shot question ends as the asked one does; the chain of thought is the target.
    'utils.fewshot_to_text': (doc) => wordQuestion(doc, textsOf(doc, 'options').slice(0, 10)),
    'utils.fewshot_to_target': chainOfThought,
  },
}

const mmluProPlus: FunctionFamily = {
  folder: 'mmlu-pro-plus',
  processDocs: keepCategory,
  docTo: {
    'utils.doc_to_text': (doc) => wordQuestion(doc, textsOf(doc, 'options')),
    'utils.fewshot_to_text': (doc) => wordQuestion(doc, textsOf(doc, 'options')),
    'utils.fewshot_to_target': chainOfThought,
  },
}

function wordQuestion(doc: PyDict, options: readonly string[]): string {
  const lines = options.map((option, i) => `${itemOf([...letters.slice(0, 16)], i, 'options')}. ${strip(option)}\n`).join('')
  return `Question:\n${textOf(doc, 'question')}\nOptions:\n${lines}Answer: Let's think step by step.`
}

function chainOfThought(doc: PyDict): PyValue {
  return textOf(doc, 'cot_content').replaceAll("A: Let's think step by step. ", '')
}

const finalAnswer = compileWhenUsed(String.raw`The answer is \(([A-Z])\)\.`)

const llama3MmluPro: FunctionFamily = {
  folder: 'llama3/instruct/mmlu_pro',
  processDocs: keepCategory,
  docTo: {
    'utils.fewshot_to_text': (doc) => {
      const thought = textOf(doc, 'cot_content')
      const lead = "A: Let's think step by step."
      return finalAnswer.sub(String.raw`The best answer is \1.`, strip(thought.startsWith(lead) ? thought.slice(lead.length) : thought))
    },
  },
}

const leaderboardMmluPro: FunctionFamily = {
  folder: 'leaderboard/mmlu_pro',
  docTo: {
    'utils.doc_to_text': (doc) => {
      const options = listOf(doc, 'options').map((_, i) => `${itemOf([...letters], i, 'options')}. ${optionOf(doc, i)}\n`)
      return `${wordOf(doc, 'question')}\n${options.join('')}Answer:`
    },
    'utils.doc_to_choice': (doc) => listOf(doc, 'options').map((_, i) => itemOf([...letters], i, 'options')),
  },
}

function optionOf(doc: PyDict, index: number): string {
  return str(itemOf(listOf(doc, 'options'), index, 'options'))
}

export const mmluProFamilies: readonly FunctionFamily[] = [mmluPro, mmluProPlus, llama3MmluPro, leaderboardMmluPro]
