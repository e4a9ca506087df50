/** Helpers of `minerva_math/utils.py` and `leaderboard/math/utils.py`, lm_eval 0.4.13. */
import { columnOf, textOf } from './columns.ts'
import type { DocTo, FunctionFamily } from './function-types.ts'
import { mapDocs } from './keep-where.ts'
import { boxedAnswer, lastBoxed, unbox } from './math-strings.ts'
import { invalidAnswer, normalizeFinalAnswer } from './minerva-answers.ts'
import { leaderboardExamples, minervaExamples } from './minerva-examples.ts'

const ask: DocTo = (doc) => `Problem:\n${textOf(doc, 'problem')}\n\nSolution:`

const minervaMath: FunctionFamily = {
  folder: 'minerva_math',
  docTo: { 'utils.doc_to_text': ask },
  samples: { 'utils.list_fewshot_samples': minervaExamples },
  processDocs: {
    'utils.process_docs': mapDocs((doc) => [
      ['problem', columnOf(doc, 'problem')],
      ['solution', columnOf(doc, 'solution')],
      ['answer', normalizeFinalAnswer(boxedAnswer(textOf(doc, 'solution')), 'minerva')],
    ]),
  },
}

/** The boxed answer; where there is none, what the leaderboard takes for it. */
function boxedOrInvalid(solution: string): string {
  const boxed = lastBoxed(solution)
  return boxed === null ? invalidAnswer : (unbox(boxed) ?? invalidAnswer)
}

const withAnswer = mapDocs((doc) => [
  ['problem', columnOf(doc, 'problem')],
  ['solution', columnOf(doc, 'solution')],
  ['answer', boxedOrInvalid(textOf(doc, 'solution'))],
])

const leaderboardMath: FunctionFamily = {
  folder: 'leaderboard/math',
  docTo: { 'utils.doc_to_text': ask },
  samples: { 'utils.list_fewshot_samples': leaderboardExamples },
  processDocs: { 'utils.process_docs': (docs) => withAnswer(docs.filter((doc) => columnOf(doc, 'level') === 'Level 5')) },
}

export const minervaFamilies: readonly FunctionFamily[] = [minervaMath, leaderboardMath]
