/** Helpers of `minerva_math/utils.py` and `leaderboard/math/utils.py`, lm_eval 0.4.13. */
import type { DocTo, FunctionFamily, ProcessResults } from '../../../harness/function-table.ts'
import { strip } from '../../../python/string.ts'
import { parseAnswer, verifyAnswer } from '../../math-verify/verify.ts'
import { columnOf, textOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'
import { textResult } from '../logprobs.ts'
import { boxedAnswer, lastBoxed, unbox } from './math-strings.ts'
import { finalAnswer, invalidAnswer, isSameFormula, normalizeFinalAnswer } from './minerva-answers.ts'
import { leaderboardExamples, minervaExamples } from './minerva-examples.ts'

const ask: DocTo = (doc) => `Problem:\n${textOf(doc, 'problem')}\n\nSolution:`

const scoreMinerva: ProcessResults = (doc, results) => {
  const reply = textResult(results)
  const answer = normalizeFinalAnswer(finalAnswer(reply), 'minerva')
  const gold = textOf(doc, 'answer')
  return new Map([
    ['exact_match', (answer !== '' && answer === gold) || isSameFormula(answer, gold) ? 1 : 0],
    ['math_verify', verifyAnswer(parseAnswer(textOf(doc, 'solution')), parseAnswer(reply)) ? 1 : 0],
  ])
}

const scoreLeaderboard: ProcessResults = (doc, results) => {
  const reply = textResult(results)
  const answer = normalizeFinalAnswer(finalAnswer(reply), 'leaderboard')
  const gold = normalizeFinalAnswer(textOf(doc, 'answer'), 'leaderboard')
  const isRight = answer !== invalidAnswer && (strip(answer) === strip(gold) || isSameFormula(answer, gold))
  return new Map([
    ['exact_match', verifyAnswer(parseAnswer(textOf(doc, 'solution'), true), parseAnswer(reply)) ? 1 : 0],
    ['exact_match_original', isRight ? 1 : 0],
  ])
}

const minervaMath: FunctionFamily = {
  folder: 'minerva_math',
  docTo: { 'utils.doc_to_text': ask },
  processResults: { 'utils.process_results': scoreMinerva },
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
  processResults: { 'utils.process_results': scoreLeaderboard },
  samples: { 'utils.list_fewshot_samples': leaderboardExamples },
  processDocs: { 'utils.process_docs': (docs) => withAnswer(docs.filter((doc) => columnOf(doc, 'level') === 'Level 5')) },
}

export const minervaFamilies: readonly FunctionFamily[] = [minervaMath, leaderboardMath]
