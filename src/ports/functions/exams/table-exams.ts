/** Helpers of `tmmluplus/default/utils.py`, `tmlu/default/utils.py` and `mmlusr/*` (each `utils.py`), lm_eval 0.4.13. */
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { strip } from '../../../python/string.ts'
import { dictGet, type PyDict, type PyValue } from '../../../python/value.ts'
import { columnOf, isTruthy, placeOf, textOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'

type Fields = readonly (readonly [string, PyValue])[]
const four = ['A', 'B', 'C', 'D']

const withGoal = (doc: PyDict, letters: readonly string[]): Fields => [
  ['questions', columnOf(doc, 'question')],
  ['choices', letters.map((letter) => columnOf(doc, letter))],
  ['goal', placeOf(doc, 'answer', letters)],
]

const tmlu = (doc: PyDict): Fields => withGoal(doc, [...four, ...['E', 'F'].filter((letter) => isTruthy(dictGet(doc, letter) ?? null))])

/** Empty cells count as empty texts. */
const mmluSr = (doc: PyDict): Fields => [
  ['choices', [1, 2, 3, 4].map((place) => (isTruthy(columnOf(doc, `choice${place}`)) ? columnOf(doc, `choice${place}`) : ''))],
  ['answer', isTruthy(columnOf(doc, 'answer')) ? strip(textOf(doc, 'answer')) : ''],
]

export const tableExams: readonly FunctionFamily[] = [
  { folder: 'tmmluplus/default', processDocs: { 'utils.process_docs': mapDocs((doc) => withGoal(doc, four)) } },
  { folder: 'tmlu/default', processDocs: { 'utils.process_docs': mapDocs(tmlu) } },
  ...['answer_only', 'question_and_answer', 'question_only'].map((form) => ({
    folder: `mmlusr/${form}`,
    processDocs: { 'utils.process_docs': mapDocs(mmluSr) },
  })),
]
