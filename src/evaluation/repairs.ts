/** Runs that begin again by themselves: after the text worker's death, and on WASM after a GPU that gave no numbers. */
import { toEvalError, type EvalError } from '../core/errors.ts'
import type { RunEvent, RunRow, RunSettings } from '../core/types.ts'

/** One straight run of `evaluate`. */
export interface Attempt {
  readonly settings: RunSettings
  /** The run to go on with; null = a new one. */
  readonly resumeOf: RunRow | null
}

export interface RepairOptions {
  /** `evaluate` with fresh workers. Emits `done` and rejects when it fails. */
  readonly run: (attempt: Attempt, emit: (event: RunEvent) => void) => Promise<unknown>
  readonly readRun: (runId: string) => Promise<RunRow | null>
  readonly emit: (event: RunEvent) => void
}

/**
 * Runs the attempt and gives the id of the run that was the last; rejects with its error.
 *
 * - The text worker died or missed a deadline: the run goes on once, as a resume would, with a new worker. What it had is kept.
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
      if (!wasRebuilt && isTextWorkerFault(known)) {
        wasRebuilt = true
        emit({ type: 'waiting', what: 'worker', message: `${known.message} It is being started again.`, seconds: null })
        attempt = { ...attempt, resumeOf: runId === '' ? null : await readRun(runId) }
      } else if (known.code === 'engine/nonfinite' && attempt.settings.device === 'auto' && onWebgpu) {
        const message = `${known.message}. The run begins again on WebAssembly, as a run of its own: numbers of two devices are never mixed.`
        emit({ type: 'warning', message })
        attempt = { settings: { ...attempt.settings, device: 'wasm' }, resumeOf: null }
      } else {
        end()
        throw known
      }
    }
  }
}

function isTextWorkerFault({ code, details }: EvalError): boolean {
  return (code === 'worker/died' || code === 'worker/timeout') && details['name'] === 'text'
}
