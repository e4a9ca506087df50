/** Brier score over documents. lm_eval 0.4.13, `brier_score`. */
import { EvalError } from '../../base/errors.ts'
import type { PyValue } from '../../python/value.ts'
import { isInt, isList, repr, toNumber } from '../../python/value.ts'
import { readPair } from './label-pairs.ts'
import { pairwiseSum } from './means.ts'

/**
 * Mean over `[gold, probabilities]` items of the squared distance between the probabilities and the gold choice. A negative gold
 * counts from the end. Throws `metric/failed` when the numbers of choices differ or a gold is outside them.
 */
export function brierScore(items: readonly PyValue[]): number {
  const docs = items.map(readPair).map(([gold, probabilities]) => ({ gold, probabilities: readProbabilities(probabilities) }))
  const [first] = docs
  const choices = first?.probabilities.length ?? 0
  const perDoc = docs.map(({ gold, probabilities }) => {
    if (probabilities.length !== choices)
      throw new EvalError(
        'metric/failed',
        `brier_score wants equally many choices in every doc, found ${choices} and ${probabilities.length}.`,
      )
    const index = readGold(gold, choices)
    return pairwiseSum(probabilities.map((probability, i) => (probability - (i === index ? 1 : 0)) ** 2))
  })
  return pairwiseSum(perDoc) / perDoc.length
}

function readProbabilities(value: PyValue): readonly number[] {
  const numbers = isList(value) ? value.map(toNumber) : []
  const known = numbers.filter((number) => number !== null)
  if (known.length === 0 || known.length !== numbers.length)
    throw new EvalError('metric/failed', `brier_score wants lists of probabilities, found ${repr(value).slice(0, 80)}.`)
  return known
}

function readGold(gold: PyValue, choices: number): number {
  const index = isInt(gold) ? Number(gold) : NaN
  if (!(index >= -choices && index < choices))
    throw new EvalError('metric/failed', `brier_score wants a gold index within ${choices} choices, found ${repr(gold).slice(0, 80)}.`)
  return index < 0 ? index + choices : index
}
