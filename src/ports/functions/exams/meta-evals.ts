/**
 * Helpers of Meta's recipe for the published Llama 3 evaluations (llama-cookbook, `meta_eval/meta_template`; what they do is told in its
 * README). Prompts come rendered, in the list column `input_final_prompts`; answers in `input_correct_responses`.
 */
import type { DocTo, FunctionFamily, ProcessDocs, ProcessResults } from '../../../harness/function-table.ts'
import { strip } from '../../../python/string.ts'
import { dictGet, type PyDict, type PyValue } from '../../../python/value.ts'
import { boxedAnswer, lastBoxed, unbox } from '../answers/math-strings.ts'
import { isSameFormula, normalizeFinalAnswer } from '../answers/minerva-answers.ts'
import { columnOf, itemOf, textOf, textsOf } from '../columns.ts'
import { textResult } from '../logprobs.ts'

/** What of the published columns the docs keep, in this order; `subtask_name` is ours, for averages over subtasks. */
const keptColumns: readonly string[] = [
  'input_question',
  'input_correct_responses',
  'input_final_prompts',
  'is_correct',
  'input_question_hash',
  'input_choice_list',
  'output_prediction_text',
  'subtask_name',
]

const first = (doc: PyDict, column: string): string => itemOf(textsOf(doc, column), 0, column)

/** The kept columns that the row has, `is_correct` under the name `renamed`. */
function keep(doc: PyDict, columns: readonly string[], renamed: string): readonly (readonly [string, PyValue])[] {
  return columns.flatMap((name) => {
    const value = dictGet(doc, name)
    return value === undefined ? [] : [[name === 'is_correct' ? renamed : name, value] as const]
  })
}

/** The first prompt, as it was rendered. */
const promptOf: DocTo = (doc) => first(doc, 'input_final_prompts')

/** Where prompts were published once for each option, each ending in its letter (`Answer: B`): without the blank and the letter. */
const promptBeforeLetter: DocTo = (doc) => {
  const prompts = textsOf(doc, 'input_final_prompts')
  const prompt = itemOf(prompts, 0, 'input_final_prompts')
  return prompts.length > 1 && prompts.every((one) => / [A-Z]$/.test(one)) ? prompt.slice(0, -2) : prompt
}

/** `problem`, the question, and the answer under the name that the task's `doc_to_target` has. */
function questionsWith(answer: string): ProcessDocs {
  return (docs) =>
    docs.map(
      (doc) =>
        new Map<string, PyValue>([
          ...keep(doc, keptColumns, 'previously_is_correct'),
          ['problem', columnOf(doc, 'input_question')],
          [answer, first(doc, 'input_correct_responses')],
        ]),
    )
}

/** After the join with the original benchmark: its boxed answer, for Meta's own is a rounded number in places (`1.59e+1`). */
const mathDocs: ProcessDocs = (docs) =>
  docs.map((doc) => {
    const kept = keep(
      doc,
      [
        'input_question',
        'input_correct_responses',
        'input_final_prompts',
        'is_correct',
        'solution',
        'output_prediction_text',
        'subtask_name',
      ],
      'previously_is_correct',
    )
    return new Map<string, PyValue>([
      ...kept,
      ['problem', columnOf(doc, 'input_question')],
      ['answer', normalizeFinalAnswer(boxedAnswer(textOf(doc, 'solution')), 'leaderboard')],
      ['meta_target', columnOf(doc, 'input_correct_responses')],
    ])
  })

/** What is boxed last, equal as a text or as mathematics; a reply that boxes nothing is wrong. */
const scoreMath: ProcessResults = (doc, results) => {
  const boxed = lastBoxed(textResult(results))
  const inside = boxed === null ? null : unbox(boxed)
  return new Map([
    ['exact_match', inside !== null && isSameAnswer(normalizeFinalAnswer(inside, 'leaderboard'), textOf(doc, 'answer')) ? 1 : 0],
  ])
}

/** The one place where equality of answers is decided: texts first (lm_eval's issue 2212: `[0,1)`), then the leaderboard's algebra. */
function isSameAnswer(answer: string, gold: string): boolean {
  return strip(answer) === strip(gold) || isSameFormula(answer, gold)
}

/**
 * After the join with the original IFEval: the rendered prompt as `prompt`, and the original's `instruction_id_list`, `kwargs` and `key`,
 * which lm_eval's checks read.
 */
const ifevalDocs: ProcessDocs = (docs) =>
  docs.map(
    (doc) =>
      new Map<string, PyValue>([
        ['input_question', questionIn(columnOf(doc, 'input_question'))],
        ['prompt', promptOf(doc)],
        ...keep(doc, ['is_correct'], 'previously_is_correct'),
        ...keep(doc, ['instruction_id_list', 'kwargs', 'output_prediction_text', 'key', 'subtask_name'], ''),
      ]),
  )

/** The question of `{"dialog": [{"body": …}, …]}`, as IFEval's are published; any other value as it is. */
function questionIn(value: PyValue): PyValue {
  if (typeof value !== 'string' || !value.startsWith('{')) return value
  try {
    const { dialog } = JSON.parse(value) as { readonly dialog?: readonly { readonly body?: unknown }[] } // Checked below.
    const body = Array.isArray(dialog) ? (dialog[0] as { readonly body?: unknown } | undefined)?.body : undefined // Checked below.
    return typeof body === 'string' ? body : value
  } catch {
    return value
  }
}

const choices = { 'utils.process_docs': questionsWith('gold') }
const rendered = { 'utils.doc_to_text': promptOf }
const mathematics = {
  processDocs: { 'utils.process_docs': mathDocs },
  docTo: rendered,
  processResults: { 'utils.process_results': scoreMath },
}

export const metaEvals: readonly FunctionFamily[] = [
  { folder: 'meta/mmlu_pro', processDocs: choices, docTo: rendered },
  { folder: 'meta/gpqa_cot', processDocs: choices, docTo: rendered },
  { folder: 'meta/gpqa', processDocs: choices, docTo: { 'utils.doc_to_text': promptBeforeLetter } },
  { folder: 'meta/mmlu', processDocs: choices, docTo: { 'utils.doc_to_text': promptBeforeLetter } },
  { folder: 'meta/bbh', processDocs: { 'utils.process_docs': questionsWith('answer') }, docTo: rendered },
  { folder: 'meta/math_hard', ...mathematics },
  { folder: 'meta/math', ...mathematics },
  // As deep as the harness's own, so that its checks are found beside it.
  { folder: 'ifeval', processDocs: { 'meta_utils.process_docs': ifevalDocs } },
]
