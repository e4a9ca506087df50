/** Checkpoints of a model, run one after the other in this tab, then compared. */
import { readRevisions } from '../../core/compare/revision-list.ts'
import { isEvalError, type WireError } from '../../core/errors.ts'
import type { RunSettings, RunStatus } from '../../core/types.ts'
import type { AppState } from '../app-state.svelte.ts'
import type { EmbeddedModel } from '../embedded.ts'
import { defaultFields, readFields } from '../setup-fields.ts'
import { compareHash } from './entries.ts'

/** What is typed. */
export interface QueueFields {
  model: string
  revisions: string
  /** Names with commas. */
  tasks: string
  dtype: string
  limit: string
}

export type QueueProblem = 'model' | 'tasks' | 'revisions' | 'pattern' | 'limit' | 'busy'

export interface QueuedRun {
  readonly revision: string
  readonly status: RunStatus | 'waiting'
  readonly runId: string | null
}

export class CheckpointQueue {
  fields: QueueFields = $state({ model: '', revisions: '', tasks: '', dtype: '', limit: '' })
  runs: readonly QueuedRun[] = $state.raw([])
  problem: QueueProblem | null = $state.raw(null)
  isGoing = $state.raw(false)
  /** Why the last run wasn't complete. */
  error: WireError | null = $state.raw(null)
  readonly #app: AppState

  constructor(app: AppState) {
    this.#app = app
  }

  /** Fills the fields in with the embedded model that has checkpoints; leaves what was typed. */
  async offer(): Promise<void> {
    const model = await this.#withCheckpoints()
    if (model !== null && this.fields.model === '') this.fields = fieldsOf(model)
  }

  /** The checkpoints of the embedded model at once. */
  async startBuiltIn(): Promise<void> {
    const model = await this.#withCheckpoints()
    if (model === null) return
    this.fields = fieldsOf(model)
    await this.start()
  }

  /** Runs what the fields say, and goes to the comparison of what is complete; `problem` says what is wrong with them. */
  async start(): Promise<void> {
    const queued = this.#read()
    if (queued === null) return
    this.runs = queued.map(({ revision }) => ({ revision, status: 'waiting', runId: null }))
    this.isGoing = true
    try {
      for (const settings of queued) {
        // Stopped meanwhile, between two runs too.
        if (!this.isGoing) break
        this.#set(settings.revision, { status: 'running' })
        const live = await this.#app.runAside(settings)
        this.#set(settings.revision, { status: live.status, runId: live.runId })
        this.error = live.status === 'complete' ? null : live.error
        if (live.status !== 'complete') break
      }
    } finally {
      this.isGoing = false
    }
    const done = this.runs.flatMap(({ status, runId }) => (status === 'complete' && runId !== null ? [runId] : []))
    if (done.length === queued.length && this.#app.router.route.page === 'compare') this.#app.router.go(compareHash(done))
  }

  /** Ends the run that goes on, and starts none of the others. */
  async stop(): Promise<void> {
    this.isGoing = false
    await this.#app.stop()
  }

  #set(revision: string, change: Partial<QueuedRun>): void {
    this.runs = this.runs.map((run) => (run.revision === revision ? { ...run, ...change } : run))
  }

  #read(): readonly RunSettings[] | null {
    const { model, revisions, tasks, dtype, limit } = this.fields
    this.problem = null
    if (this.#app.isBusy || this.isGoing) this.problem = 'busy'
    const names = this.#revisions(revisions)
    const listed = tasks.split(/[\s,]+/).filter((name) => name !== '')
    if (model.trim() === '') this.problem ??= 'model'
    if (listed.length === 0) this.problem ??= 'tasks'
    const read = readFields({ ...defaultFields(), model: model.trim(), tasks: listed, dtype: dtype.trim(), limit: limit.trim() }, [])
    if (!read.ok) this.problem ??= 'limit'
    if (names !== null && names.length < 2) this.problem ??= 'revisions'
    if (this.problem !== null || names === null || !read.ok) return null
    return names.map((revision) => ({ ...read.settings, revision }))
  }

  #revisions(text: string): readonly string[] | null {
    try {
      return readRevisions(text)
    } catch (error) {
      if (!isEvalError(error)) throw error
      this.problem ??= /twice/.test(error.message) ? 'revisions' : 'pattern'
      return null
    }
  }

  async #withCheckpoints(): Promise<EmbeddedModel | null> {
    const models = await this.#app.client.listModels()
    return models.find((model) => stepsOf(model).length > 1) ?? null
  }
}

const queues = new WeakMap<AppState, CheckpointQueue>()

/** The tab's queue: it outlives the page that shows it. */
export function queueOf(app: AppState): CheckpointQueue {
  const queue = queues.get(app) ?? new CheckpointQueue(app)
  queues.set(app, queue)
  return queue
}

/** Revisions that name a training step: `main` is one of them under another name, or later than any. */
function stepsOf({ revisions }: EmbeddedModel): readonly string[] {
  return revisions.filter((revision) => /step/i.test(revision))
}

function fieldsOf(model: EmbeddedModel): QueueFields {
  return {
    model: model.id,
    revisions: stepsOf(model).join(', '),
    tasks: model.defaultTasks.join(', '),
    // Checkpoints needn't offer the dtypes that the model does: each takes its own default.
    dtype: '',
    limit: '',
  }
}
