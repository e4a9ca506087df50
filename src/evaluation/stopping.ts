/** The end of a run from outside. */
import { EvalError, isEvalError } from '../core/errors.ts'

/** Why the run was ended from outside: the user's stop, or another tab that took it over. */
export function stopped(signal: AbortSignal, error?: unknown): EvalError {
  if (isEvalError(signal.reason)) return signal.reason
  return new EvalError('run/stopped', 'The run was stopped. Its answers so far are kept.', { cause: error })
}

/** Throws when the run was ended from outside. */
export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw stopped(signal)
}
