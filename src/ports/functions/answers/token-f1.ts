/**
 * SQuAD's normalisation, exact match and token F1, in the copies that the harness's helpers hold: `afrobench/afriqa` and
 * transformers' `squad_metrics.py` (`xquad`, `noreval/norquad`, `super_glue/record`), lm_eval 0.4.13.
 */
import { EvalError } from '../../../base/errors.ts'
import { compileWhenUsed } from '../../../python/regex/compile.ts'
import { lower, split } from '../../../python/string.ts'
import { isList, pyFloat, repr, toNumber, type PyValue } from '../../../python/value.ts'
import { meanOf } from '../logprobs.ts'

const articles = compileWhenUsed(String.raw`\b(a|an|the)\b`)
const punctuation = /[!-/:-@[-`{-~]/g

/** Lower case, without ASCII punctuation, English articles and extra space. */
export function normalizeAnswer(text: string): string {
  return split(articles.sub(' ', lower(text).replace(punctuation, ''))).join(' ')
}

/** Number of tokens that both sides share, with repeats. */
function countShared(left: readonly string[], right: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const token of left) counts.set(token, (counts.get(token) ?? 0) + 1)
  let shared = 0
  for (const token of right) {
    const rest = counts.get(token) ?? 0
    if (rest === 0) continue
    counts.set(token, rest - 1)
    shared++
  }
  return shared
}

/** F1 of tokens: the int 0 when nothing is shared, else a float. */
export function tokenF1(gold: readonly string[], predicted: readonly string[]): PyValue {
  const shared = countShared(gold, predicted)
  if (shared === 0) return 0
  const precision = shared / predicted.length
  const recall = shared / gold.length
  return pyFloat((2 * precision * recall) / (precision + recall))
}

/** transformers' `compute_f1(gold, prediction)`: without tokens on a side, 1 if both have none, else 0. */
export function squadF1(gold: string, prediction: string): PyValue {
  return bareTokenF1(tokens(gold), tokens(prediction))
}

/** `tokenF1`, but where a side has no tokens: 1 if both have none, else 0. */
export function bareTokenF1(gold: readonly string[], predicted: readonly string[]): PyValue {
  if (gold.length === 0 || predicted.length === 0) return gold.length === predicted.length ? 1 : 0
  return tokenF1(gold, predicted)
}

/** transformers' `compute_exact(gold, prediction)`: 1 or 0. */
export function squadExact(gold: string, prediction: string): number {
  return normalizeAnswer(gold) === normalizeAnswer(prediction) ? 1 : 0
}

/** The mean token F1 of `(gold, prediction)` items. */
export function tokenF1Mean(items: readonly PyValue[]): PyValue {
  const scores = items.map((item) => {
    const [gold, prediction] = isList(item) ? item : []
    if (typeof gold !== 'string' || typeof prediction !== 'string')
      throw new EvalError('metric/failed', `The aggregation wants pairs of texts, found ${repr(item).slice(0, 80)}.`)
    return toNumber(tokenF1(tokens(gold), tokens(prediction))) ?? 0
  })
  return pyFloat(meanOf(scores))
}

function tokens(text: string): readonly string[] {
  return split(normalizeAnswer(text))
}
