/** Labels for what IFEval's checks draw at random, see decision 0037. */
import { isList, type PyDict } from '../../../python/value.ts'
import { drawnInstructions } from './process-results.ts'

const needingLanguage = ['language:response_language', 'change_case:english_capital', 'change_case:english_lowercase']

/** One sentence for the docs of which parameters are drawn, and one for those whose language is detected. Throws as `processIfeval` does. */
export function ifevalNotes(docs: readonly PyDict[]): readonly string[] {
  const drawn = docs.flatMap((doc) => drawnInstructions(doc))
  const detected = docs.filter((doc) => {
    const ids = doc.get('instruction_id_list') ?? null
    return isList(ids) && needingLanguage.some((id) => ids.includes(id))
  }).length
  return [
    ...(drawn.length === 0
      ? []
      : [
          `${drawn.length} instructions (${[...new Set(drawn)].join(', ')}) lack a parameter that can be used; it is drawn with seed 0 for each doc, where lm-evaluation-harness goes on drawing through the whole run.`,
        ]),
    ...(detected === 0
      ? []
      : [
          `the language of the responses to ${detected} docs is detected from samples drawn with seed 0; lm-evaluation-harness leaves these draws unseeded, so that its scores of short or mixed texts may differ from run to run.`,
        ]),
  ]
}
