/** What holds for a queue of runs wherever it is kept, shown or run. */
import type { QueuedRun } from '../contracts/run-settings.ts'

/** True for an entry that is still to be run, or to be run to its end. */
export function isLeft({ state }: Pick<QueuedRun, 'state'>): boolean {
  return state === 'waiting' || state === 'running'
}
