/** Reads the `(log-likelihood, is_greedy)` results that helpers unpack. */
import { EvalError } from '../../base/errors.ts'
import { sum } from '../../harness/metrics/means.ts'
import { isList, repr, toNumber, type PyValue } from '../../python/value.ts'

/** The log-likelihoods, in order. Throws `metric/failed` for results that are no pairs. */
export function logprobsOf(results: readonly PyValue[]): readonly number[] {
  return results.map((result) => {
    const number = isList(result) ? toNumber(result[0] ?? null) : null
    if (number === null)
      throw new EvalError('metric/failed', `Wanted a (log-likelihood, is_greedy) pair, found ${repr(result).slice(0, 80)}.`)
    return number
  })
}

/** The one text of a generative doc. Throws `metric/failed`. */
export function textResult(results: readonly PyValue[]): string {
  const [text] = results
  if (typeof text === 'string') return text
  throw new EvalError('metric/failed', `Wanted a text as the response, found ${repr(text ?? null).slice(0, 80)}.`)
}

/** `sum(values) / len(values)`. Throws `metric/failed` for none. */
export function meanOf(values: readonly number[]): number {
  if (values.length === 0) throw new EvalError('metric/failed', 'There are no values to take the mean of.')
  return sum(values) / values.length
}
