/** Helpers of `super_glue/copa/utils.py`, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { codePoints, lower, strip } from '../../../python/string.ts'
import { pyEquals, repr, type PyDict } from '../../../python/value.ts'
import { columnOf, textOf } from '../columns.ts'

export const copa: FunctionFamily = {
  folder: 'super_glue/copa',
  docTo: {
    'utils.doc_to_text': promptOf,
    'utils.doc_to_target': (doc) => continuation(doc, pyEquals(columnOf(doc, 'label'), 0) ? 'choice1' : 'choice2'),
    'utils.doc_to_choice': (doc) => [continuation(doc, 'choice1'), continuation(doc, 'choice2')],
  },
}

function promptOf(doc: PyDict): string {
  const question = columnOf(doc, 'question')
  const connector = question === 'cause' ? 'because' : question === 'effect' ? 'therefore' : null
  if (connector === null) {
    throw new EvalError('dataset/schema', `wanted 'cause' or 'effect' in the column 'question', found ${repr(question)}`, {
      details: { column: 'question' },
    })
  }
  // The premise's last character is its full stop.
  const premise = codePoints(strip(textOf(doc, 'premise')))
  return `${premise.slice(0, -1).join('')} ${connector}`
}

function continuation(doc: PyDict, column: string): string {
  const [first, ...rest] = codePoints(textOf(doc, column))
  if (first === undefined)
    throw new EvalError('dataset/schema', `wanted text in the column '${column}', found none`, { details: { column } })
  return ` ${lower(first)}${rest.join('')}`
}
