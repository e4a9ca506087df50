/** What two runs of the same requests differ in: the noise of an engine, or of batching. */
import { maxOf } from '../../base/arrays.ts'
import { EvalError } from '../../base/errors.ts'
import type { LoglikelihoodResponse } from '../../contracts/requests.ts'

interface RepeatNoise {
  readonly requests: number
  /** Requests whose log-probability is the same to the last bit. */
  readonly identical: number
  /** Largest and mean absolute difference in nats. */
  readonly maxAbsDiff: number
  readonly meanAbsDiff: number
  /** Requests whose `is_greedy` differs. */
  readonly greedyFlips: number
}

/** Compares answers in the same order. Throws `metric/failed` for other numbers of them, or none. */
export function repeatNoise(first: readonly LoglikelihoodResponse[], second: readonly LoglikelihoodResponse[]): RepeatNoise {
  if (first.length === 0 || first.length !== second.length)
    throw new EvalError('metric/failed', `Two runs of the same requests are wanted, found ${first.length} and ${second.length} answers.`)
  const differences = first.map(({ logprob }, i) => Math.abs(logprob - (second[i]?.logprob ?? NaN)))
  return {
    requests: first.length,
    identical: first.filter(({ logprob }, i) => Object.is(logprob, second[i]?.logprob)).length,
    maxAbsDiff: maxOf(differences),
    meanAbsDiff: differences.reduce((sum, one) => sum + one, 0) / differences.length,
    greedyFlips: first.filter(({ isGreedy }, i) => isGreedy !== second[i]?.isGreedy).length,
  }
}
