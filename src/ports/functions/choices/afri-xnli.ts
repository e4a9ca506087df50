/** Helpers of `afrixnli/*` (every folder's `utils.py`), lm_eval 0.4.13. */
import type { DocTo, FunctionFamily } from '../../../harness/function-table.ts'
import type { PyDict } from '../../../python/value.ts'
import { weightedF1Score } from '../answers/f1-scores.ts'
import { lookUp, wordOf } from '../columns.ts'

const aggregation = { 'utils.weighted_f1_score': weightedF1Score }

type Labels = readonly [entailment: string, neutral: string, contradiction: string]
const plain: Labels = ['entailment', 'neutral', 'contradiction']
const anli: Labels = ['True', 'Neither', 'False']
// The words are upstream's: a neutral pair is "false", a contradiction "inconclusive".
const fifth: Labels = ['true', 'false', 'inconclusive']

const labels: readonly (readonly [folder: string, labels: Labels])[] = [
  ['anli prompt/en-direct', anli],
  ['anli prompt/translate', anli],
  ...['direct', 'translate'].flatMap((form): (readonly [string, Labels])[] => [
    [`${form}/prompt_1`, plain],
    [`${form}/prompt_2`, anli],
    [`${form}/prompt_3`, plain],
    [`${form}/prompt_4`, plain],
    [`${form}/prompt_5`, fifth],
  ]),
]

const laiPrompt = (doc: PyDict): string =>
  'Please identify whether the premise entails or contradicts the hypothesis in the following premise\n' +
  '    and hypothesis. The answer should be exact entailment, contradiction, or neutral.\n\n' +
  `    Premise: ${wordOf(doc, 'premise')}\n    Hypothesis: ${wordOf(doc, 'hypothesis')}\n\n` +
  '    Is it entailment, contradiction, or neutral?'

export const afriXnli: readonly FunctionFamily[] = [
  { folder: 'afrixnli/anli prompt/native-direct', aggregation },
  ...['direct', 'translate'].map((form) => ({
    folder: `afrixnli/lai prompt/${form}`,
    docTo: { 'utils.doc_to_target': labelWord(plain), 'utils.doc_to_text': laiPrompt },
    aggregation,
  })),
  ...labels.map(([folder, words]) => ({ folder: `afrixnli/${folder}`, docTo: { 'utils.doc_to_target': labelWord(words) }, aggregation })),
]

function labelWord([entailment, neutral, contradiction]: Labels): DocTo {
  return (doc) => lookUp(doc, 'label', { 0: entailment, 1: neutral, 2: contradiction })
}
