/** Helpers of `winogrande/preprocess_winogrande.py`, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { strip } from '../../../python/string.ts'
import { repr, type PyDict } from '../../../python/value.ts'
import { columnOf, textOf } from '../columns.ts'

export const winogrande: FunctionFamily = {
  folder: 'winogrande',
  docTo: {
    'preprocess_winogrande.doc_to_text': answerIndex,
    'preprocess_winogrande.doc_to_target': restOfSentence,
    'preprocess_winogrande.doc_to_choice': choiceContexts,
  },
}

/** The index of the answer, `'1'` or `'2'`. */
export function answerIndex(doc: PyDict): number {
  const answer = columnOf(doc, 'answer')
  if (answer === '1') return 0
  if (answer === '2') return 1
  throw new EvalError('dataset/schema', `wanted '1' or '2' in the column 'answer', found ${repr(answer)}`, {
    details: { column: 'answer' },
  })
}

/** What follows the gap. */
export function restOfSentence(doc: PyDict): string {
  return strip(parts(doc).after)
}

/** What precedes the gap, with each option in it. */
export function choiceContexts(doc: PyDict): readonly string[] {
  return ['option1', 'option2'].map((name) => parts(doc).before + textOf(doc, name))
}

function parts(doc: PyDict): { readonly before: string; readonly after: string } {
  const sentence = textOf(doc, 'sentence')
  const at = sentence.indexOf('_')
  if (at < 0)
    throw new EvalError('dataset/schema', `wanted a '_' in the column 'sentence', found ${repr(sentence)}`, {
      details: { column: 'sentence' },
    })
  return { before: sentence.slice(0, at), after: sentence.slice(at + 1) }
}
