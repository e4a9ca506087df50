/** The harness's `general_detokenize`, and helpers built on it: `paws-x/utils.py`, `super_glue/wsc/preprocess_wsc.py`, lm_eval 0.4.13. */
import { EvalError } from '../../base/errors.ts'
import type { FunctionFamily } from '../../harness/function-table.ts'
import { codePoints, length, lower, split, strip } from '../../python/string.ts'
import type { PyDict, PyValue } from '../../python/value.ts'
import { columnOf, isTruthy, numberOf, textOf } from './columns.ts'
import { mapDocs } from './keep-where.ts'

/** Text without the spaces that tokenisation put before endings, brackets and quotes. */
export function detokenize(text: string): string {
  return text
    .replaceAll(" n't", "n't")
    .replaceAll(' )', ')')
    .replaceAll('( ', '(')
    .replaceAll('" ', '"')
    .replaceAll(' "', '"')
    .replace(/ (['.,])/g, '$1')
}

const pairs = mapDocs((doc) => {
  const first = strip(detokenize(textOf(doc, 'sentence1')))
  const [initial, ...rest] = codePoints(strip(detokenize(textOf(doc, 'sentence2'))))
  if (initial === undefined)
    throw new EvalError('dataset/schema', "wanted text in the column 'sentence2', found only white space", {
      details: { column: 'sentence2' },
    })
  return [
    ['sentence1', first.replace(/[.,;]$/, '')],
    ['sentence2', lower(initial) + rest.join('')],
  ]
})

const hasBoth = (doc: PyDict): boolean => ['sentence1', 'sentence2'].every((column) => isTruthy(columnOf(doc, column)))

/** The passage with the pronoun between stars; word places count in the passage split at white space. */
function askReference(doc: PyDict): PyValue {
  const [passage, pronoun] = [textOf(doc, 'text'), textOf(doc, 'span2_text')]
  const before = split(passage).slice(0, numberOf(doc, 'span2_index')).join(' ')
  const after = codePoints(passage)
    .slice(length(before) + length(pronoun) + 1)
    .join('')
  return (
    `Passage: ${detokenize(`${before} *${pronoun}*${after}`)}\n` +
    `Question: In the passage above, does the pronoun "*${pronoun}*" refer to "*${textOf(doc, 'span1_text')}*"?\nAnswer:`
  )
}

export const detokenized: readonly FunctionFamily[] = [
  { folder: 'paws-x', processDocs: { 'utils.process_docs_paraphrases': (docs) => pairs(docs.filter(hasBoth)) } },
  { folder: 'super_glue/wsc', docTo: { 'preprocess_wsc.default_doc_to_text': askReference } },
]
