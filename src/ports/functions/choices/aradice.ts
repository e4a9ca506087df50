/** Helpers of `aradice/{boolq,openbookqa,piqa,truthfulqa_mcq,cultural-benchmark}`, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { codePoints, lstrip, strip } from '../../../python/string.ts'
import { dictGet, isDict, repr, type PyDict, type PyValue } from '../../../python/value.ts'
import { microF1Score } from '../answers/f1-scores.ts'
import { columnOf, dictOf, listOf, textOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'

const aggregation = { 'metrics.micro_f1_score': microF1Score }

const boolq: readonly FunctionFamily[] = ['EGY', 'ENG', 'LEV', 'MSA'].map((dialect) => {
  const [yes, no] = dialect === 'ENG' ? ['yes', 'no'] : ['نعم', 'لا']
  return {
    folder: `aradice/boolq/${dialect}`,
    processDocs: {
      'utils.process_docs': mapDocs((doc) => [
        ['question', withoutMark(textOf(doc, 'question'))],
        ['target', isYes(columnOf(doc, 'answer')) ? yes : no],
      ]),
    },
    aggregation,
  }
})

function withoutMark(question: string): string {
  const text = strip(question)
  return strip(/[?؟]$/.test(text) ? codePoints(text).slice(0, -1).join('') : text)
}

function isYes(answer: PyValue): boolean {
  if (answer === true || answer === 'true') return true
  if (answer === false || answer === 'false') return false
  throw new EvalError('dataset/schema', `wanted true or false in the column 'answer', found ${repr(answer)}`, {
    details: { column: 'answer' },
  })
}

const choicesOf = (doc: PyDict, field: string): readonly PyValue[] =>
  listOf(dictOf(doc, 'question'), 'choices').map((choice) => (isDict(choice) ? (dictGet(choice, field) ?? null) : null))

const openBookQa: FunctionFamily = {
  folder: 'aradice/openbookqa',
  docTo: {
    'utils.doc_to_text': (doc) => strip(textOf(dictOf(doc, 'question'), 'stem')),
    // An answer that is none of the labels gives None.
    'utils.doc_to_target': (doc) => {
      const place = choicesOf(doc, 'label').indexOf(lstrip(textOf(doc, 'answerKey')))
      return place < 0 ? null : place
    },
    'utils.doc_to_choice': (doc) => choicesOf(doc, 'text'),
  },
  aggregation,
}

const cultural: FunctionFamily = {
  folder: 'aradice/cultural-benchmark',
  processDocs: {
    'utils.process_docs': mapDocs((doc) => [['choices', ['A', 'B', 'C'].map((letter) => columnOf(doc, `Option ${letter}`))]]),
  },
  aggregation,
}

export const aradice: readonly FunctionFamily[] = [
  ...boolq,
  openBookQa,
  cultural,
  { folder: 'aradice/piqa', aggregation },
  { folder: 'aradice/truthfulqa_mcq', aggregation },
]
