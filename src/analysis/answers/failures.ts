/** Replies from which no answer could be read: how many, and, where somebody asks for it, what guessing would make of them. */
import { EvalError } from '../../base/errors.ts'
import { PyRandom } from '../../python/random.ts'

interface FailureRate {
  readonly n: number
  readonly failed: number
  readonly rate: number
}

/** How many filtered replies are the filter's fallback. Throws `metric/failed` without replies. */
export function failureRate(filtered: readonly unknown[], fallback = '[invalid]'): FailureRate {
  if (filtered.length === 0) throw new EvalError('metric/failed', 'There are no replies to count failures of.')
  const failed = filtered.filter((reply) => reply === fallback).length
  return { n: filtered.length, failed, rate: failed / filtered.length }
}

interface GuessedAnswers {
  readonly answers: readonly string[]
  /** Positions that were guessed. */
  readonly guessed: readonly number[]
  readonly seed: number
}

/**
 * Puts a random letter in the place of every failed reply, as the program of MMLU-Pro does without a seed. It raises a score by about one over
 * the number of options for each failure, so it is never done unless asked for, and its result says which answers are guesses. `options[i]`
 * is the number of options of reply i. Source: TIGER-Lab/MMLU-Pro `compute_accuracy.py`. Throws `metric/failed` where options are missing.
 */
export function guessFailures(
  filtered: readonly string[],
  options: readonly number[],
  seed: number,
  fallback = '[invalid]',
): GuessedAnswers {
  const random = new PyRandom(seed)
  const guessed: number[] = []
  const answers = filtered.map((reply, i) => {
    if (reply !== fallback) return reply
    const count = options[i]
    if (count === undefined || count < 1) throw new EvalError('metric/failed', `Reply ${i} wants a number of options to guess from.`)
    guessed.push(i)
    return String.fromCodePoint(65 + Math.floor(random.random() * count))
  })
  return { answers, guessed, seed }
}
