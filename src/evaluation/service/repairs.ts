/** Runs that begin again by themselves: after the text worker's death, and on WASM after a GPU that gave no numbers. */
import { toEvalError, type EvalError } from '../../base/errors.ts'
import type { ExcludedDoc } from '../../contracts/built-task.ts'
import type { RunEvent } from '../../contracts/progress.ts'
import type { RunRow } from '../../contracts/runs.ts'
import { readStuckStep } from '../../rpc/stuck-step.ts'
import type { Attempt } from '../ports.ts'

/** Each costs its deadline, and a pattern that hangs on more docs than this hangs on many. */
export const mostExcluded = 5

interface RepairOptions {
  /** `evaluate` with fresh workers. Emits `done` and rejects when it fails. */
  readonly run: (attempt: Attempt, emit: (event: RunEvent) => void) => Promise<unknown>
  readonly readRun: (runId: string) => Promise<RunRow | null>
  readonly emit: (event: RunEvent) => void
}

/**
 * Runs the attempt and gives the id of the run that was the last; rejects with its error.
 *
 * - The text worker died or missed a deadline: the run goes on once, as a resume would, with a new worker. What it had is kept.
 * - A filter or the metrics never ended on a doc: the run goes on with that doc left out of the scores, and says so. After `mostExcluded` such
 *   docs the fault is the pattern's, not a doc's: the run ends with that error. See `docs/decisions/0035-stuck-docs.md`.
 * - `engine/nonfinite` on WebGPU that `auto` had chosen: that run has failed, and a new one begins on WASM. An explicit device is obeyed.
 *
 * Only the last attempt's `done` is emitted.
 */
export async function runWithRepairs(first: Attempt, { run, readRun, emit }: RepairOptions): Promise<string> {
  let attempt = first
  let runId = first.resumeOf?.runId ?? ''
  let wasRebuilt = false
  for (;;) {
    let onWebgpu = false
    let done: RunEvent | null = null
    const receive = (event: RunEvent): void => {
      if (event.type === 'started') runId = event.runId
      if (event.type === 'engine') onWebgpu = event.facts.device === 'webgpu'
      if (event.type === 'done') done = event
      else emit(event)
    }
    const end = (): void => {
      if (done !== null) emit(done)
    }
    try {
      await run(attempt, receive)
      end()
      return runId
    } catch (error) {
      const known = toEvalError(error)
      const stuck = stuckDoc(known)
      if (!wasRebuilt && isTextWorkerFault(known)) {
        wasRebuilt = true
        emit({ type: 'waiting', what: 'worker', message: `${known.message} It is being started again.`, seconds: null })
        attempt = { ...attempt, resumeOf: runId === '' ? null : await readRun(runId) }
      } else if (stuck !== null && attempt.excluded.length < mostExcluded) {
        emit({ type: 'warning', message: stuck.message })
        attempt = { ...attempt, resumeOf: runId === '' ? null : await readRun(runId), excluded: [...attempt.excluded, stuck] }
      } else if (known.code === 'engine/nonfinite' && attempt.settings.device === 'auto' && onWebgpu) {
        const message = `${known.message}. The run begins again on WebAssembly, as a run of its own: numbers of two devices are never mixed.`
        emit({ type: 'warning', message })
        attempt = { ...attempt, settings: { ...attempt.settings, device: 'wasm' }, resumeOf: null, runId: null }
      } else {
        end()
        throw known
      }
    }
  }
}

/** The doc that a filter or the metrics never ended on; null for other errors. A prompt that can't be made is no such doc: it was never asked. */
function stuckDoc(error: EvalError): ExcludedDoc | null {
  const step = readStuckStep(error)
  if (step === null || step.kind === 'prompt') return null
  const { task, docId, filter, pattern } = step
  const message = `${error.message} The doc is left out: the scores of ${task} are over its other docs.`
  return { task, docId, filter, pattern, message }
}

function isTextWorkerFault({ code, details }: EvalError): boolean {
  return (code === 'worker/died' || code === 'worker/timeout') && details['name'] === 'text'
}
