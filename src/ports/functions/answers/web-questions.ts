/** Helpers of `webqs/utils.py`, lm_eval 0.4.13. */
import type { FunctionFamily } from '../../../harness/function-table.ts'
import type { PyDict } from '../../../python/value.ts'
import { itemOf, textsOf } from '../columns.ts'
import { compareCodePoints } from '../../../python/compare-strings.ts'

/** The accepted answers in order, without those that begin as the one kept before them does. */
function distinctAnswers(doc: PyDict): readonly string[] {
  const sorted = [...textsOf(doc, 'answers')].sort(compareCodePoints)
  const kept = [itemOf(sorted, 0, 'answers')]
  for (const answer of sorted.slice(1)) if (!answer.startsWith(kept.at(-1) ?? '')) kept.push(answer)
  return kept
}

export const webQuestions: FunctionFamily = {
  folder: 'webqs',
  docTo: { 'utils.doc_to_choice': distinctAnswers, 'utils.doc_to_target': (doc) => distinctAnswers(doc).map((_, i) => i) },
}
