/** One run at a time: its workers, its repairs, its end. */
import { passTimesToJson } from '../../analysis/speed/pass-times.ts'
import { speedToJson } from '../../analysis/speed/speed-table.ts'
import { EvalError, isEvalError, toWire } from '../../base/errors.ts'
import type { DeviceSpeed } from '../../contracts/device-speed.ts'
import type { RunEvent } from '../../contracts/progress.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { RunRow } from '../../contracts/runs.ts'
import type { SecondOpinion } from '../../contracts/second-opinion.ts'
import { openRunChannel } from '../../rpc/run-channel.ts'
import type { Keeping, OnRunEvent, RunOutcome } from '../../rpc/run-worker-api.ts'
import { acquireLock } from '../../storage/locks.ts'
import { withOwnKey } from '../amend-results.ts'
import { keyMakerOf } from '../answer-keys.ts'
import { evaluate } from '../evaluate.ts'
import { dataWorker } from '../inputs/data-worker.ts'
import type { RunInputs } from '../inputs/run-inputs.ts'
import { workerOpener } from '../model/opener.ts'
import type { Attempt, Evaluation } from '../ports.ts'
import { withDeadlines } from '../text-worker.ts'
import { measureSpeed } from '../measure-speed.ts'
import { askSecondOpinion, withSecondOpinion } from '../second-opinion.ts'
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
    const { abort, leave } = this.#begin()
    let runId = first.resumeOf?.runId ?? ''
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
      leave()
    }
  }

  /** What transformers.js makes of a complete run's first docs (`evaluation/second-opinion.ts`); it is kept in the run's results. Throws `run/busy` while a run goes on. */
  async consult(row: RunRow, docs: number, onDocs: (done: number, total: number) => void): Promise<SecondOpinion> {
    const { abort, leave } = this.#begin()
    try {
      const store = await this.#kept.open()
      const results = await store.loadResults(row.runId)
      if (row.status !== 'complete' || results === null)
        throw new EvalError('settings/invalid', `A second opinion is on a complete run's results; ${row.runId} has none yet.`)
      const worker = this.#options.startSecondWorker()
      const end = () => worker.terminate(isEvalError(abort.signal.reason) ? abort.signal.reason : undefined)
      abort.signal.addEventListener('abort', end)
      try {
        const opinion = await this.#inputs.usingFiles(() =>
          this.#withWorkers({ abort, emit: () => undefined, takesOver: false, runId: null }, (evaluation) =>
            askSecondOpinion(row, docs, { evaluation, worker, results, acquireLock, onDocs }),
          ),
        )
        await store.amendResults(row.runId, withSecondOpinion(results, opinion))
        return opinion
      } finally {
        end()
      }
    } finally {
      leave()
    }
  }

  /** Prompt and writing speed of what the settings run (`evaluation/measure-speed.ts`). Throws `run/busy` while a run goes on. */
  async measure(settings: RunSettings, onRound: (test: string, done: number, total: number) => void): Promise<DeviceSpeed> {
    const { abort, leave } = this.#begin()
    try {
      return await this.#inputs.usingFiles(() =>
        this.#withWorkers({ abort, emit: () => undefined, takesOver: false, runId: null }, (evaluation) =>
          measureSpeed(settings, evaluation, onRound),
        ),
      )
    } finally {
      leave()
    }
  }

  /** As `measure`, of a complete run's model on its device; it is kept in the run's results, with where the run's own time went. */
  async measureRun(
    { runId, manifest, status }: RunRow,
    onRound: (test: string, done: number, total: number) => void,
  ): Promise<DeviceSpeed> {
    const store = await this.#kept.open()
    const results = await store.loadResults(runId)
    if (status !== 'complete' || results === null)
      throw new EvalError('settings/invalid', `Speed is kept with a complete run's results; ${runId} has none yet.`)
    const { settings, engine } = manifest
    const speed = await this.measure({ ...settings, dtype: engine.dtype, device: engine.device }, onRound)
    const measured = withOwnKey(results, 'device_speed', speedToJson(speed))
    // Of the session that ended the run; none where every answer was kept.
    const times = results.own?.speed?.times
    await store.amendResults(runId, times === undefined ? measured : withOwnKey(measured, 'pass_times', passTimesToJson(times)))
    return speed
  }

  /** Makes this the only thing that goes on. Throws `run/busy`. */
  #begin(): { readonly abort: AbortController; readonly leave: () => void } {
    if (this.#current !== null) throw new EvalError('run/busy', 'A run is going on in this page already: wait for it or stop it.')
    const abort = new AbortController()
    this.#current = { end: (reason) => abort.abort(reason) }
    let becomeIdle: () => void = () => undefined
    this.#idle = new Promise((resolve) => (becomeIdle = resolve))
    return {
      abort,
      leave: () => {
        this.#inputs.onEvent = null
        this.#current = null
        becomeIdle()
      },
    }
  }

  /** One straight run with workers of its own. */
  async #attempt(
    { settings, resumeOf, excluded, runId }: Attempt,
    emit: OnRunEvent,
    { abort, takesOver }: { readonly abort: AbortController; readonly takesOver: boolean },
  ): Promise<void> {
    await this.#withWorkers({ abort, emit, takesOver, runId: runId ?? null }, (evaluation) =>
      evaluate(settings, evaluation, resumeOf, excluded),
    )
  }

  /** Starts what an evaluation needs, uses it, and ends it whatever happens. */
  async #withWorkers<T>({ abort, emit, takesOver, runId }: Surroundings, use: (evaluation: Evaluation) => Promise<T>): Promise<T> {
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
      return await use(evaluation)
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  }
}

interface Surroundings {
  readonly abort: AbortController
  readonly emit: OnRunEvent
  readonly takesOver: boolean
  /** Of a new run; null = one is made up. */
  readonly runId: string | null
}

/** What a run's user must know of the store, for those who see no banner: the command line. */
function troubleOf({ state, error }: Keeping): string | null {
  if (state === 'memory') return `This run is kept in memory only and can't be resumed. ${error?.message ?? ''}`
  return error?.message ?? null
}
