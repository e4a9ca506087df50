/** What is taken of a reply or of a reference before it is judged (OpenCompass: `pred_postprocessor`). */
import type { Filter } from '../../harness/filters/filter.ts'
import { buildPipeline } from '../../harness/filters/filters.ts'
import { str, type PyValue } from '../../python/value.ts'
import { extractLetter } from '../answers/answer-letter.ts'
import { boxedOf } from '../answers/math-equality.ts'

/**
 * `none`: all of it. `filtered`: what the run's own filter left, for replies only. `boxed`: what the last `\boxed{…}` holds, or all of it.
 * `number`: the last number, or nothing. `letter`: the option that it names, or nothing. `last-line`: its last line that isn't empty.
 */
export type Postprocessor = 'none' | 'filtered' | 'boxed' | 'number' | 'letter' | 'last-line'

export const postprocessors: readonly Postprocessor[] = ['none', 'filtered', 'boxed', 'number', 'letter', 'last-line']

/** Those that a reference can go through. */
export const goldPostprocessors: readonly Exclude<Postprocessor, 'filtered'>[] = ['none', 'boxed', 'number', 'letter', 'last-line']

/** The text without blanks around it; empty where there is nothing to judge. `filtered` is the caller's to have done. */
export function postprocess(text: string, by: Postprocessor): string {
  switch (by) {
    case 'none':
    case 'filtered':
      return text.trim()
    case 'boxed':
      return (boxedOf(text) ?? text).trim()
    case 'number':
      return lastNumber(text)
    case 'letter':
      return extractLetter(text, 26)?.letter ?? ''
    case 'last-line':
      return text.trim().split('\n').at(-1)?.trim() ?? ''
  }
}

/** The filters of GSM8K's flexible-extract in lm_eval 0.4.13 (`tasks/gsm8k/gsm8k.yaml`). */
const numberFilters: readonly ReadonlyMap<string, PyValue>[] = [
  new Map<string, PyValue>([
    ['function', 'regex'],
    ['group_select', -1],
    ['regex_pattern', '(-?[$0-9.,]{2,})|(-?[0-9]+)'],
    ['fallback', ''],
  ]),
  new Map<string, PyValue>([['function', 'take_first']]),
]

let numberPipeline: Filter | null = null

/** Without marks of currency and of thousands, and without the full stop behind it. */
function lastNumber(text: string): string {
  numberPipeline ??= buildPipeline(numberFilters)
  const [found = ''] = numberPipeline([[text]], [new Map()])
  return str(found).replace(/[$,]/g, '').replace(/\.$/, '')
}
