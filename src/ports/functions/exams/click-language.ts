/** Helpers of `click/click_lang/utils.py`, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { pyEquals, str, type PyDict } from '../../../python/value.ts'
import { isTruthy, columnOf, itemOf, listOf, textOf, wordOf } from '../columns.ts'
import { keepIf } from '../keep-where.ts'

/** `int(id.split('_')[place])`; upstream raises for anything else. */
function part(doc: PyDict, place: number): number {
  const text = itemOf(textOf(doc, 'id').split('_'), place, 'id')
  if (/^\s*[+-]?\d+\s*$/.test(text)) return Number(text)
  throw new EvalError('dataset/schema', `wanted a whole number in the column 'id', found '${text}'`, { details: { column: 'id' } })
}

const isOf = (doc: PyDict, name: string): boolean => textOf(doc, 'id').includes(name)
const isTalk = (doc: PyDict): boolean => ['대화', '발화', '질의'].some((word) => textOf(doc, 'question').includes(word))
const lettersOf = (doc: PyDict): readonly string[] => ['A', 'B', 'C', 'D', ...(isOf(doc, 'CSAT') ? ['E'] : [])]

const isText = (doc: PyDict): boolean =>
  isOf(doc, 'CSAT_korean_22') || (isOf(doc, 'CSAT_korean_23') && part(doc, -1) < 35) || (isOf(doc, 'TK') && part(doc, -1) > 4)

const isGrammar = (doc: PyDict): boolean =>
  (isOf(doc, 'CSAT_korean') && part(doc, 2) < 21 && part(doc, 3) > 10) ||
  (isOf(doc, 'Kedu_1') && (itemOf(textOf(doc, 'id').split('_'), 1, 'id') !== '16' || !isTalk(doc))) ||
  (isOf(doc, 'TK') && part(doc, -1) < 5)

const isFunction = (doc: PyDict): boolean =>
  (isOf(doc, 'CSAT_korean') && (part(doc, -1) > 34 || (part(doc, 2) < 21 && part(doc, 3) < 11))) ||
  (isOf(doc, 'Kedu_16') && isTalk(doc)) ||
  isOf(doc, 'PSE_korean')

export const clickLanguage: FunctionFamily = {
  folder: 'click/click_lang',
  processDocs: {
    'utils.extract_text': keepIf(isText),
    'utils.extract_grammar': keepIf(isGrammar),
    'utils.extract_function': keepIf(isFunction),
  },
  docTo: {
    'utils.get_context': (doc) => {
      const choices = listOf(doc, 'choices')
      const options = ['A', 'B', 'C', 'D']
        .map((letter, i) => `${letter}:${i === 0 ? '' : ' '}${str(itemOf(choices, i, 'choices'))}`)
        .join(', ')
      const rest = `질문: ${wordOf(doc, 'question')}\n보기:\n${options}\n정답:`
      return isTruthy(columnOf(doc, 'paragraph'))
        ? `주어진 맥락을 천천히 읽고, 질문에 대한 적절한 정답을 A, B, C, D 중에 골라 알파벳 하나로 답하시오.\n\n맥락: ${wordOf(doc, 'paragraph')}\n${rest}`
        : `주어진 질문을 천천히 읽고, 적절한 정답을 A, B, C, D 중에 골라 알파벳 하나로 답하시오.\n\n${rest}`
    },
    'utils.get_choices': lettersOf,
    'utils.get_target': (doc) => {
      const place = listOf(doc, 'choices').findIndex((choice) => pyEquals(choice, columnOf(doc, 'answer')))
      const letter = place < 0 ? undefined : lettersOf(doc)[place]
      if (letter !== undefined) return letter
      throw new EvalError('dataset/schema', "wanted one of the choices in the column 'answer'", { details: { column: 'answer' } })
    },
  },
}
