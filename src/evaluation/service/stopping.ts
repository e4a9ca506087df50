/** The ends of a run that aren't its last. */
import { EvalError, isEvalError, type ErrorCode } from '../../base/errors.ts'

const resumable: readonly ErrorCode[] = [
  'run/stopped',
  'worker/died',
  'worker/timeout',
  'engine/device-lost',
  'engine/out-of-memory',
  'engine/failed',
  'engine/timeout',
  'storage/quota',
  'storage/fenced',
  'storage/blocked',
  'storage/unavailable',
  // The model is opened on first need, which may be in the middle of a run.
  'hub/unreachable',
  'hub/rate-limited',
]

/** True for errors after which the answers so far stand and the run can go on later. */
export function isResumable(code: ErrorCode): boolean {
  return resumable.includes(code)
}

/** Why the run was ended from outside: the user's stop, or another tab that took it over. */
export function stopped(signal: AbortSignal, error?: unknown): EvalError {
  if (isEvalError(signal.reason)) return signal.reason
  return new EvalError('run/stopped', 'The run was stopped. Its answers so far are kept.', { cause: error })
}

/** Throws when the run was ended from outside. */
export function throwIfStopped(signal: AbortSignal): void {
  if (signal.aborted) throw stopped(signal)
}
