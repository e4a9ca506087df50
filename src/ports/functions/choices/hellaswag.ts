/** Helpers of `hellaswag/utils.py`, lm_eval 0.4.13. */
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { capitalize, strip } from '../../../python/string.ts'
import type { PyDict, PyValue } from '../../../python/value.ts'
import { textOf, textsOf, wholeTextOf } from '../columns.ts'

export const hellaswag: FunctionFamily = {
  folder: 'hellaswag',
  processDocs: { 'utils.process_docs': (docs) => docs.map(addQuery) },
}

/** The row with its query, cleaned choices and gold index. */
export function addQuery(doc: PyDict): PyDict {
  const context = `${textOf(doc, 'ctx_a')} ${capitalize(textOf(doc, 'ctx_b'))}`
  return new Map<string, PyValue>([
    ...doc,
    ['query', cleanWikiHow(`${textOf(doc, 'activity_label')}: ${context}`)],
    ['choices', textsOf(doc, 'endings').map(cleanWikiHow)],
    ['gold', wholeTextOf(doc, 'label')],
  ])
}

/** Drops what the WikiHow half of the data left in brackets; double spaces are joined once only, as upstream. */
export function cleanWikiHow(text: string): string {
  // Python's dot stops at newlines only; JavaScript's also at CR, U+2028 and U+2029.
  return strip(text)
    .replaceAll(' [title]', '. ')
    .replace(/\[[^\n]*?\]/g, '')
    .replaceAll('  ', ' ')
}
