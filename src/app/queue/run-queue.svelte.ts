/** The queue of runs as the page shows it, and what goes on with it in this tab. It never goes on by itself after a reload (decision 0066). */
import { EvalError, type WireError } from '../../base/errors.ts'
import type { QueuedRun, RunSettings } from '../../contracts/run-settings.ts'
import type { QueueView } from '../../rpc/run-worker-api.ts'
import { isLeft } from '../../settings/run-queue.ts'
import type { AppState } from '../app-state.svelte.ts'

class RunQueue {
  runs: readonly QueuedRun[] = $state.raw([])
  holder: QueueView['holder'] = $state.raw('nobody')
  /** This tab goes on with the queue, or will as soon as the run that goes on has ended. */
  isGoing = $state.raw(false)
  /** Why it stands still although runs are left; null also when it was stopped. */
  error: WireError | null = $state.raw(null)
  /** The entry that runs in this tab. */
  current: number | null = $state.raw(null)
  readonly #app: AppState
  /** The going on that counts: one that was stopped while it waited for another run ends by itself. */
  #going: { isStopped: boolean; readonly ended: Promise<void> } | null = null

  constructor(app: AppState) {
    this.#app = app
  }

  /** What is still to be run, or to be run to its end. */
  get left(): readonly QueuedRun[] {
    return this.runs.filter(isLeft)
  }

  /** Ids of the complete runs among these places, or of all, in the queue's order. */
  doneAmong(places: readonly number[] | null = null): readonly string[] {
    const asked = this.runs.filter(({ place }) => places?.includes(place) ?? true)
    return asked.flatMap(({ state, runId }) => (state === 'done' && runId !== null ? [runId] : []))
  }

  async load(): Promise<void> {
    const { runs, holder } = await this.#app.client.readQueue()
    this.runs = runs
    this.holder = holder
  }

  /** Puts runs at the end and gives their places. A run that goes on in this tab is followed by the queue; else it waits to be told. */
  async add(settings: readonly RunSettings[]): Promise<readonly number[]> {
    const places = await this.#app.client.addToQueue(settings)
    await this.load()
    if (this.#app.isBusy && this.holder !== 'elsewhere') this.goOn().catch((error: unknown) => this.#app.notices.report(error))
    return places
  }

  /**
   * Runs what is left, one after the other: a run that was cut off first, from where it was. A run that fails is passed over; one that is
   * stopped or cut off ends the going on. Throws `run/busy` when another tab goes on with the queue.
   */
  goOn(): Promise<void> {
    if (this.#going !== null) return this.#going.ended
    // Begun a moment later, when `#going` is what it is held against.
    this.#going = { isStopped: false, ended: Promise.resolve().then(() => this.#runAll()) }
    this.isGoing = true
    this.error = null
    return this.#going.ended
  }

  async #runAll(): Promise<void> {
    const { client } = this.#app
    const going = this.#going
    try {
      if (!(await client.takeQueue())) throw new EvalError('run/busy', 'The queue goes on in another tab or window.')
      for (;;) {
        while (this.#app.isBusy) await this.#app.live?.ended
        await this.load()
        const [next] = this.left
        if (next === undefined || going?.isStopped !== false) break
        this.current = next.place
        // As the worker writes it; it is read back when the run has ended.
        this.runs = this.runs.map((one) => (one.place === next.place ? { ...one, state: 'running' } : one))
        const live = await this.#app.runAside(next.settings, (onEvent) => client.runQueued(next.place, onEvent))
        await this.load()
        const isStill = this.left.some(({ place }) => place === next.place)
        if (isStill && live.error?.code !== 'run/stopped') this.error = live.error
        if (isStill) break
      }
    } finally {
      if (this.#going === going) {
        this.#going = null
        this.current = null
        this.isGoing = false
        await client.leaveQueue().catch(() => undefined)
        await this.load()
      }
    }
  }

  /** Stops the queue's current run, which can be resumed, and starts no other. */
  async stop(): Promise<void> {
    if (this.#going !== null) this.#going.isStopped = true
    if (this.current !== null) {
      await this.#app.stop()
      return
    }
    // It waits for a run that isn't the queue's: that one is none of its business.
    this.#going = null
    this.isGoing = false
    await this.#app.client.leaveQueue()
    await this.load()
  }

  /** Forgets what is left or, where nothing is, the whole list. Runs that were begun stay in the history. */
  async drop(): Promise<void> {
    const dropped = this.left.length > 0 ? this.left : this.runs
    await this.#app.client.dropFromQueue(dropped.map(({ place }) => place))
    await this.load()
  }
}

const queues = new WeakMap<AppState, RunQueue>()

/** The tab's view of the queue: it outlives the parts that show it. */
export function queueOf(app: AppState): RunQueue {
  const queue = queues.get(app) ?? new RunQueue(app)
  queues.set(app, queue)
  return queue
}
