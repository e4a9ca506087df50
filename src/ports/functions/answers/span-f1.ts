/** Span F1 of `afrobench/masakhaner/prompt_*` (each `utils.py`), lm_eval 0.4.13, which copies multilingual T5's. */
import { EvalError } from '../../../base/errors.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { lower, split, strip } from '../../../python/string.ts'
import { isList, pyFloat, repr, str, type PyValue } from '../../../python/value.ts'

const wideSpace = compileWhenUsed(String.raw`\s{3,}|\t`)
const anySpace = compileWhenUsed(String.raw`\s+`)
const articles = compileWhenUsed(String.raw`\b(a|an|the)\b`)
// Upstream puts the characters into a class as they are, so that some hyphens make ranges.
const punctuation = compileWhenUsed('[!"$%&\'()*+,-./:;<=>?[\\]^_`{|}~•@.""-,`]+')

/** One named entity. */
interface Span {
  readonly tag: string
  readonly entity: string
}

/** F1 over all spans of `(gold, prediction)` items, whose texts read `TAG: entity $$ TAG: entity`. */
export function spanF1(items: readonly PyValue[]): PyValue {
  let hits = 0
  let extra = 0
  let missed = 0
  for (const item of items) {
    if (!isList(item) || item.length !== 2)
      throw new EvalError('metric/failed', `The aggregation wants pairs, found ${repr(item).slice(0, 80)}.`)
    const gold = readSpans(item[0] ?? null)
    for (const { tag, entity } of readSpans(item[1] ?? null)) {
      const at = gold.findIndex((span) => span.tag === tag && span.entity === entity)
      if (at < 0) extra++
      else {
        hits++
        gold.splice(at, 1)
      }
    }
    missed += gold.length
  }
  const precision = hits / (hits + extra + 1e-13)
  const recall = hits / (hits + missed + 1e-13)
  return pyFloat(2 * ((precision * recall) / (precision + recall + 1e-13)))
}

/** The spans of a text or list that reads `TAG: entity $$ TAG: entity`, tag and entity normalised. */
export function readSpans(value: PyValue, normalize: (text: string) => string = normalizeSpan): Span[] {
  if (typeof value !== 'string' && !isList(value))
    throw new EvalError('metric/failed', `The aggregation wants texts, found ${repr(value).slice(0, 80)}.`)
  const text = typeof value === 'string' ? value : value.map((item) => strip(str(item))).join(' ')
  return split(strip(text), '$$')
    .flatMap((part) => split(part, '$').filter((item) => item !== ''))
    .map((part) => strip(part))
    .flatMap((part) => split(part, '. '))
    .flatMap((part) => split(part, ', '))
    .map((part) => split(strip(part), ': '))
    .filter((parts) => parts.length === 2)
    .map(([tag = '', entity = '']) => ({ tag: normalize(strip(tag)), entity: normalize(strip(entity)) }))
}

function normalizeSpan(text: string): string {
  const words = articles.sub(' ', punctuation.sub(' ', text))
  return lower(anySpace.sub(' ', wideSpace.sub('', words)))
}
