/**
 * `gpqa/{zeroshot,n_shot,generative,cot_zeroshot,cot_n_shot}/utils.py` and `leaderboard/gpqa/utils.py`, lm_eval 0.4.13.
 *
 * Upstream shuffles with the global generator, seeded 0 when a run begins, so the order depends on what drew from it before and on what
 * the datasets library has cached; here it is what a lone task on a cold cache gets. `n_shot` draws from a generator of its own, seeded
 * 42, that goes on between calls, so upstream's prompts and answers come from different shuffles; here they agree.
 */
import type { FunctionFamily, ProcessDocs } from '../../../harness/function-table.ts'
import { PyRandom } from '../../../python/random.ts'
import { replace, strip } from '../../../python/string.ts'
import type { PyDict, PyValue } from '../../../python/value.ts'
import { columnOf, textOf } from '../columns.ts'

const columns = ['Incorrect Answer 1', 'Incorrect Answer 2', 'Incorrect Answer 3', 'Correct Answer']

interface Form {
  readonly seed: number
  /** Drops what stands in brackets. */
  readonly dropsBrackets: boolean
  /** Adds the choices as one list too. */
  readonly addsList: boolean
}

function clean(doc: PyDict, column: string, dropsBrackets: boolean): string {
  if (columnOf(doc, column) === null) return ' '
  const text = replace(strip(textOf(doc, column)), ' [title]', '. ')
  // Python's dot stops at newlines only.
  return replace(dropsBrackets ? text.replace(/\[[^\n]*?\]/g, '') : text, '  ', ' ')
}

function shuffleChoices({ seed, dropsBrackets, addsList }: Form): ProcessDocs {
  return (docs) => {
    const random = new PyRandom(seed)
    return docs.map((doc) => {
      const choices = columns.map((column) => clean(doc, column, dropsBrackets))
      random.shuffle(choices)
      const place = choices.indexOf(clean(doc, 'Correct Answer', dropsBrackets))
      return new Map<string, PyValue>([
        ...doc,
        ...choices.map((choice, i): [string, PyValue] => [`choice${i + 1}`, choice]),
        ...(addsList ? [['choices', choices] as const] : []),
        ['answer', `(${String.fromCharCode(65 + place)})`],
      ])
    })
  }
}

const family = (folder: string, form: Form): FunctionFamily => ({ folder, processDocs: { 'utils.process_docs': shuffleChoices(form) } })

export const gpqa: readonly FunctionFamily[] = [
  family('gpqa/zeroshot', { seed: 0, dropsBrackets: false, addsList: false }),
  family('gpqa/n_shot', { seed: 42, dropsBrackets: false, addsList: false }),
  ...['gpqa/generative', 'gpqa/cot_zeroshot', 'gpqa/cot_n_shot'].map((folder) =>
    family(folder, { seed: 0, dropsBrackets: false, addsList: true }),
  ),
  family('leaderboard/gpqa', { seed: 0, dropsBrackets: true, addsList: false }),
]
