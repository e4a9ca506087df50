/** Refusals: where the harness raises, this program must refuse with an error of its own, and nowhere else. */
import { isEvalError } from '../../src/base/errors.ts'
import { jsonDumps, str, type PyValue } from '../../src/python/value.ts'
import { shorten } from './compare.ts'
import { get } from './values.ts'

/** What `run` gives, or why it refused. Anything but a deliberate refusal is thrown on. */
export function attempt<T>(run: () => T): { readonly value: T } | { readonly refusal: string } {
  try {
    return { value: run() }
  } catch (error) {
    if (isEvalError(error) && error.code !== 'internal') return { refusal: `${error.message} [${error.code}]` }
    throw error
  }
}

/**
 * Null when `run` refuses where `error` names an exception, or else gives a value in which `compare` finds no difference; in other cases
 * what differs.
 */
export function judge(run: () => PyValue, error: PyValue, compare: (value: PyValue) => string | null): string | null {
  const outcome = attempt(run)
  if (error !== null) {
    return 'refusal' in outcome ? null : `wanted a refusal (${str(error)}), found ${shorten(jsonDumps(outcome.value))}`
  }
  return 'refusal' in outcome ? `refused: ${outcome.refusal}` : compare(outcome.value)
}

/** The exception that a part of `expected` names, or null. */
export function expectedError(expected: PyValue): PyValue {
  return get(expected, 'error')
}
