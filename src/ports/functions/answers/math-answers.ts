/** Helpers of `hendrycks_math/utils.py` and `aime/utils.py`, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { lower } from '../../../python/string.ts'
import { str, type PyDict, type PyValue } from '../../../python/value.ts'
import { columnOf, textOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'
import { textResult } from '../logprobs.ts'
import { betweenDollars, boxedAnswer, isEquivalent, lastBoxed, unbox } from './math-strings.ts'

const match = (isRight: boolean): PyDict => new Map([['exact_match', isRight ? 1 : 0]])

const hendrycksMath: FunctionFamily = {
  folder: 'hendrycks_math',
  processDocs: {
    'utils.process_docs': mapDocs((doc): readonly (readonly [string, PyValue])[] => [
      ['problem', columnOf(doc, 'problem')],
      ['solution', columnOf(doc, 'solution')],
      ['answer', boxedAnswer(textOf(doc, 'solution'))],
    ]),
  },
  processResults: {
    'utils.process_results': (doc, results) =>
      match(isEquivalent(betweenDollars(textResult(results)), boxedAnswer(textOf(doc, 'solution')))),
  },
}

const aime: FunctionFamily = {
  folder: 'aime',
  processResults: {
    'utils.process_results': (doc, results) => {
      const response = textResult(results)
      const boxed = lastBoxed(response)
      const answer = (boxed === null ? null : unbox(boxed)) ?? betweenDollars(response)
      const column = [...doc.keys()].find((key) => lower(key) === 'answer')
      if (column === undefined)
        throw new EvalError('dataset/schema', `wanted a column 'answer', but the columns are ${[...doc.keys()].join(', ')}`)
      return match(isEquivalent(answer, str(columnOf(doc, column))))
    },
  },
}

export const mathAnswers: readonly FunctionFamily[] = [hendrycksMath, aime]
