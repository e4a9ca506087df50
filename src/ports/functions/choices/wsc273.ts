/** Helpers of `wsc273/utils.py`, lm_eval 0.4.13. */
import { EvalError } from '../../../base/errors.ts'
import type { FunctionFamily } from '../../../harness/function-table.ts'
import { codePoints, lower, split } from '../../../python/string.ts'
import type { PyDict } from '../../../python/value.ts'
import { itemOf, textOf, textsOf, wholeTextOf } from '../columns.ts'
import { mapDocs } from '../keep-where.ts'

const capitalized = ['A', 'An', 'The', 'She', 'He', 'It', 'They', 'My', 'His', 'Her', 'Their']
const possessive = ['my', 'his', 'her', 'our', 'their']

/** The option as it reads where the pronoun stood: possessive if the pronoun is, and in lower case within a sentence. */
function fitOption(doc: PyDict, text: string, option: string): string {
  const owned = possessive.includes(lower(textOf(doc, 'pronoun'))) ? `${option}'s` : option
  const first = itemOf(split(owned), 0, 'options')
  const before = codePoints(text).at(wholeTextOf(doc, 'pronoun_loc') - 2)
  if (before === undefined) throw new EvalError('dataset/schema', "wanted a place in the text in the column 'pronoun_loc'")
  return before !== '.' && capitalized.includes(first) ? owned.replaceAll(first, lower(first)) : owned
}

export const wsc273: FunctionFamily = {
  folder: 'wsc273',
  processDocs: {
    'utils.process_doc': mapDocs((doc) => {
      const text = textOf(doc, 'text').replaceAll('  ', ' ')
      const options = textsOf(doc, 'options')
      const fitted = [0, 1].map((i) => fitOption(doc, text, itemOf(options, i, 'options')))
      return [
        ['text', text],
        ['options', [...fitted, ...options.slice(2)]],
      ]
    }),
  },
}
