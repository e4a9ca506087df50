/** One run, one tab: who works on a run holds its lock. */
import { EvalError } from '../../base/errors.ts'
import { runLockName, stealLock, tryLock } from '../../storage/locks.ts'

/**
 * Runs `body` as the only one that works on the run, in any tab. Throws `run/busy` when another does, unless it `takesOver`: then the other
 * one loses the run, and hears of it by `onLost` there.
 */
export async function holdRunLock<T>(
  runId: string,
  body: () => Promise<T>,
  takesOver: boolean,
  onLost: (reason: EvalError) => void,
): Promise<T> {
  const lose = (): void => {
    onLost(new EvalError('storage/fenced', 'Another tab or window has taken this run over; it goes on there.'))
  }
  if (takesOver) return stealLock(runLockName(runId), body, lose)
  const outcome = await tryLock(runLockName(runId), body, lose)
  if (outcome.held) throw busyElsewhere(runId)
  return outcome.value
}

/** For whoever wants a run that another tab works on. */
export function busyElsewhere(runId: string): EvalError {
  return new EvalError('run/busy', `Run ${runId} is going on in another tab or window.`, { details: { runId } })
}
