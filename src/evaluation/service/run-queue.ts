/** The queue of runs: who may go on with it, and an entry's way from waiting to done over any number of cut-off tabs (decision 0066). */
import { EvalError, toWire, type ErrorCode, type WireError } from '../../base/errors.ts'
import type { QueuedRun, RunSettings } from '../../contracts/run-settings.ts'
import type { RunRow } from '../../contracts/runs.ts'
import type { OnRunEvent, QueueView, RunOutcome } from '../../rpc/run-worker-api.ts'
import { isLockHeld, tryLock } from '../../storage/locks.ts'
import type { Store } from '../../storage/store.ts'
import { isResumable } from './stopping.ts'

/** The lock of whoever goes on with the queue: it goes with its worker, however that ends. */
const queueLockName = 'queue'

interface QueueHost {
  readonly openStore: () => Promise<Store>
  /** A new run under this id. Rejects for what fails before the run is stored, else tells its error. */
  readonly start: (settings: RunSettings, runId: string, onEvent: OnRunEvent) => Promise<RunOutcome>
  /** Goes on with a run that was cut off. Rejects when it fails. */
  readonly resume: (row: RunRow, onEvent: OnRunEvent) => Promise<RunOutcome>
  readonly newRunId: () => string
}

export class RunQueue {
  readonly #host: QueueHost
  /** Lets the lock go; null while this worker doesn't hold it. */
  #leave: (() => void) | null = null

  constructor(host: QueueHost) {
    this.#host = host
  }

  async read(): Promise<QueueView> {
    const runs = await (await this.#host.openStore()).readQueue()
    if (this.#leave !== null) return { runs, holder: 'here' }
    return { runs, holder: (await isLockHeld(queueLockName)) ? 'elsewhere' : 'nobody' }
  }

  async add(settings: readonly RunSettings[]): Promise<readonly number[]> {
    return (await this.#host.openStore()).addToQueue(settings)
  }

  async drop(places: readonly number[]): Promise<void> {
    await (await this.#host.openStore()).dropFromQueue(places)
  }

  /** Makes this worker the one that goes on with the queue; false when another tab's does. */
  async take(): Promise<boolean> {
    if (this.#leave !== null) return true
    return new Promise((resolve, reject) => {
      const hold = (): Promise<void> =>
        new Promise((leave) => {
          this.#leave = () => {
            this.#leave = null
            leave()
          }
          resolve(true)
        })
      tryLock(queueLockName, hold).then(({ held }) => {
        if (held) resolve(false)
      }, reject)
    })
  }

  leave(): void {
    this.#leave?.()
  }

  /**
   * Runs an entry, or goes on with its run; answers as `RunWorkerApi.start`. The run's id is written before the run begins: whenever the tab
   * dies, the entry names the run that was cut off, or one that was never made and is made under that id. What can go on later
   * leaves the entry to be resumed; any other error ends it. Rejects with `run/busy` when this worker doesn't hold the queue.
   */
  async run(place: number, onEvent: OnRunEvent): Promise<RunOutcome> {
    if (this.#leave === null) throw new EvalError('run/busy', 'The queue goes on in another tab or window.')
    const store = await this.#host.openStore()
    const entry = (await store.readQueue()).find((one) => one.place === place)
    if (entry === undefined) throw new EvalError('run/not-found', `The queue has no run at place ${place} any more.`)
    const runId = entry.runId ?? this.#host.newRunId()
    await store.changeQueued(place, { state: 'running', runId, error: null })
    const receive: OnRunEvent = (event) => {
      // A run that began again on another device goes under an id of its own. Not awaited: events come in the order they happen.
      if (event.type === 'started' && event.runId !== runId) store.changeQueued(place, { runId: event.runId }).catch(() => undefined)
      onEvent(event)
    }
    try {
      const outcome = await this.#begin(entry, runId, store, receive)
      await store.changeQueued(place, endOf(outcome.error))
      return outcome
    } catch (error) {
      await store.changeQueued(place, endOf(toWire(error)))
      throw error
    }
  }

  async #begin({ settings }: QueuedRun, runId: string, store: Store, onEvent: OnRunEvent): Promise<RunOutcome> {
    const row = await store.readRun(runId)
    if (row === null) return this.#host.start(settings, runId, onEvent)
    if (row.status !== 'complete') return this.#host.resume(row, onEvent)
    // The tab died between the run's end and the entry's.
    onEvent({ type: 'done', runId, status: 'complete', error: null })
    return { runId, error: null }
  }
}

/** What never ended once won't the next time: the entry isn't resumed by itself, so that the ones behind it get their turn. */
const neverEnds: readonly ErrorCode[] = ['engine/timeout', 'worker/timeout']

function endOf(error: WireError | null): { readonly state: QueuedRun['state']; readonly error: WireError | null } {
  if (error === null) return { state: 'done', error: null }
  const isLeft = error.code === 'run/busy' || (isResumable(error.code) && !neverEnds.includes(error.code))
  return { state: isLeft ? 'running' : 'failed', error }
}
