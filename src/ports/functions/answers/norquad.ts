/** Helpers of `noreval/norquad/utils.py`, lm_eval 0.4.13. */
import type { DocTo, FunctionFamily } from '../../../harness/function-table.ts'
import { split, strip } from '../../../python/string.ts'
import { textOf, wordOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'
import { scoreFirstText } from './question-answering.ts'

/** The first line of the context is the passage's title. */
const withTitle = mapDocs((doc) => {
  const [title = '', ...lines] = strip(textOf(doc, 'context')).split('\n')
  return [
    ['title', strip(title)],
    ['passage', strip(lines.join('\n'))],
    ['question', split(textOf(doc, 'question')).join(' ')],
  ]
})

const ask =
  (gap: string, word: (question: string) => string): DocTo =>
  (doc) =>
    `Tittel: ${wordOf(doc, 'title')}\n\nTekst:${gap}${wordOf(doc, 'passage')}\n\n${word(wordOf(doc, 'question'))}\n\nSvar:`

export const norquad: FunctionFamily = {
  folder: 'noreval/norquad',
  processDocs: { 'utils.process_docs': withTitle },
  docTo: {
    'utils.p0': ask(' ', (question) => `Spørsmål: ${question}`),
    'utils.p1': ask(' ', (question) => `Gitt teksten over, hva er svaret på følgende spørsmål? "${question}"`),
    'utils.p2': ask(' ', (question) => `Svar på følgende: ${question}`),
    'utils.p3': ask(' ', (question) => `Hvordan kan man svare på spørsmålet "${question}", gitt teksten over?`),
    'utils.p4': ask('', (question) => `Gitt teksten over, besvar følgende spørsmål: "${question}"`),
  },
  processResults: { 'utils.process_results': scoreFirstText },
}
