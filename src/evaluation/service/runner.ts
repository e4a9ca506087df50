/** One run at a time: its workers, its repairs, its end. */
import { EvalError, isEvalError, toWire } from '../../base/errors.ts'
import type { RunEvent } from '../../contracts/progress.ts'
import { openRunChannel } from '../../rpc/run-channel.ts'
import type { Keeping, OnRunEvent, RunOutcome } from '../../rpc/run-worker-api.ts'
import { acquireLock } from '../../storage/locks.ts'
import { keyMakerOf } from '../answer-keys.ts'
import { evaluate } from '../evaluate.ts'
import { dataWorker } from '../inputs/data-worker.ts'
import type { RunInputs } from '../inputs/run-inputs.ts'
import { workerOpener } from '../model/opener.ts'
import type { Attempt, Evaluation } from '../ports.ts'
import { withDeadlines } from '../text-worker.ts'
import type { KeptStore } from './kept-store.ts'
import { runWithRepairs } from './repairs.ts'
import { holdRunLock } from './run-lock.ts'
import type { ServiceOptions } from './service-options.ts'

export class Runner {
  readonly #options: ServiceOptions
  readonly #inputs: RunInputs
  readonly #kept: KeptStore
  readonly #tell = openRunChannel()
  #idle: Promise<void> = Promise.resolve()
  /** Ends the run that is going on, with the reason that it is told to have ended for. */
  #current: { end(reason: EvalError): void } | null = null

  constructor(options: ServiceOptions, inputs: RunInputs, kept: KeptStore) {
    this.#options = options
    this.#inputs = inputs
    this.#kept = kept
  }

  /** Resolves when no run is going on. */
  get idle(): Promise<void> {
    return this.#idle
  }

  stop(): void {
    this.#current?.end(new EvalError('run/stopped', 'The run was stopped. Its answers so far are kept.'))
  }

  /** Runs to the end; one that fails after it was stored rejects only when it was taken up again. Throws `run/busy` while another runs. */
  async run(first: Attempt, onEvent: OnRunEvent, takesOver: boolean): Promise<RunOutcome> {
    if (this.#current !== null) throw new EvalError('run/busy', 'A run is going on in this page already: wait for it or stop it.')
    const abort = new AbortController()
    let runId = first.resumeOf?.runId ?? ''
    const current = {
      end: (reason: EvalError) => {
        abort.abort(reason)
      },
    }
    this.#current = current
    let becomeIdle: () => void = () => undefined
    this.#idle = new Promise((resolve) => (becomeIdle = resolve))
    const emit = (event: RunEvent): void => {
      if (event.type === 'started') runId = event.runId
      this.#tell(runId, event)
      onEvent(event)
    }
    try {
      const store = await this.#kept.open()
      this.#inputs.onEvent = emit
      const trouble = troubleOf(this.#kept.keeping)
      if (trouble !== null) emit({ type: 'warning', message: trouble })
      await this.#inputs.usingFiles(() =>
        runWithRepairs(first, {
          run: (attempt, receive) => this.#attempt(attempt, receive, { abort, takesOver: takesOver && attempt === first }),
          readRun: (id) => store.readRun(id),
          emit,
        }),
      )
      return { runId, error: null }
    } catch (error) {
      // A run that was stored has told its end by an event; what fails before that is the caller's to hear.
      if (runId === '' || first.resumeOf !== null) throw error
      return { runId, error: toWire(error) }
    } finally {
      this.#inputs.onEvent = null
      this.#current = null
      becomeIdle()
    }
  }

  /** One straight run with workers of its own. */
  async #attempt(
    { settings, resumeOf, excluded, runId }: Attempt,
    emit: OnRunEvent,
    { abort, takesOver }: { readonly abort: AbortController; readonly takesOver: boolean },
  ): Promise<void> {
    const { signal } = abort
    const text = this.#options.startTextWorker()
    const opener = workerOpener({
      startModelWorker: this.#options.startModelWorker,
      appBuild: this.#options.app.build,
      emit,
      switches: this.#inputs.access.switches,
      acquireLock,
    })
    // What runs now may not hear a signal (a WASM run, a regex): the workers are ended, which rejects every pending call.
    const decoder = dataWorker(this.#options.startDataWorker)
    const end = (): void => {
      opener.close()
      decoder.close(isEvalError(signal.reason) ? signal.reason : undefined)
      text.terminate(isEvalError(signal.reason) ? signal.reason : undefined)
    }
    signal.addEventListener('abort', end)
    try {
      const evaluation: Evaluation = {
        text: withDeadlines(text),
        store: await this.#kept.open(),
        models: { resolve: (wanted, stop) => this.#inputs.resolveModel(wanted, stop) },
        data: await this.#inputs.dataSource(decoder),
        opener,
        bundledTasks: () => this.#inputs.bundledTasks(),
        keysOf: async (basis, items, repeat) => (await keyMakerOf(basis, repeat))(items),
        exclusively: (runId, body) => holdRunLock(runId, body, takesOver, (reason) => abort.abort(reason)),
        emit,
        signal,
        app: this.#options.app,
        now: () => new Date(),
        clock: () => performance.now(),
        newRunId: () => runId ?? crypto.randomUUID(),
      }
      await evaluate(settings, evaluation, resumeOf, excluded)
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  }
}

/** What a run's user must know of the store, for those who see no banner: the command line. */
function troubleOf({ state, error }: Keeping): string | null {
  if (state === 'memory') return `This run is kept in memory only and can't be resumed. ${error?.message ?? ''}`
  return error?.message ?? null
}
