/** Checkpoints of a model: what is typed of them, put into the queue of runs and compared when they are done. */
import { readRevisions } from '../../analysis/compare/series/revision-list.ts'
import { isEvalError } from '../../base/errors.ts'
import type { ModelFormat } from '../../contracts/models.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { AppState } from '../app-state.svelte.ts'
import { queueOf } from '../queue/run-queue.svelte.ts'
import type { EmbeddedModel } from '../setup/embedded.ts'
import { readFields } from '../setup/read-fields.ts'
import { defaultFields } from '../setup/setup-fields.ts'
import { compareHash } from './entries.ts'
import { RevisionChoice } from './revision-choice.svelte.ts'

/** What is typed. */
interface QueueFields {
  model: string
  revisions: string
  /** Names with commas. */
  tasks: string
  dtype: string
  /** Which form of the weights to take; empty = the first that each revision has. */
  format: ModelFormat | ''
  limit: string
}

type QueueProblem = 'model' | 'tasks' | 'revisions' | 'pattern' | 'limit'

export class CheckpointQueue {
  fields: QueueFields = $state({ model: '', revisions: '', tasks: '', dtype: '', format: '', limit: '' })
  problem: QueueProblem | null = $state.raw(null)
  /** The user has been in one of the fields: nothing is filled in under their hands. */
  isTouched = false
  readonly choice: RevisionChoice
  readonly #app: AppState

  constructor(app: AppState) {
    this.#app = app
    this.choice = new RevisionChoice(app.client)
  }

  /** Fills the fields in with the embedded model that has checkpoints, unless the user came first. */
  async offer(): Promise<void> {
    const model = await this.#withCheckpoints()
    if (model !== null && this.fields.model === '' && !this.isTouched) this.fields = fieldsOf(model)
  }

  /** The checkpoints of the embedded model at once. */
  async startBuiltIn(): Promise<void> {
    const model = await this.#withCheckpoints()
    if (model === null) return
    // How much is asked of each is the reader's to say.
    this.fields = { ...fieldsOf(model), limit: this.fields.limit }
    await this.start()
  }

  /**
   * Queues what the fields say and goes on with the queue; goes to the comparison once all of it is complete. `problem` says what is wrong with
   * the fields.
   */
  async start(): Promise<void> {
    const settings = this.#read()
    if (settings === null) return
    const queue = queueOf(this.#app)
    const places = await queue.add(settings)
    // Another tab that goes on with the queue takes up what was added.
    if (queue.holder === 'elsewhere') return
    await queue.goOn()
    const done = queue.doneAmong(places)
    if (done.length === places.length && this.#app.router.route.page === 'compare') this.#app.router.go(compareHash(done))
  }

  #read(): readonly RunSettings[] | null {
    const { model, revisions, tasks, dtype, format, limit } = this.fields
    this.problem = null
    const names = this.#revisions(revisions)
    const listed = tasks.split(/[\s,]+/).filter((name) => name !== '')
    if (model.trim() === '') this.problem ??= 'model'
    if (listed.length === 0) this.problem ??= 'tasks'
    const given = { model: model.trim(), tasks: listed, dtype: dtype.trim(), modelFormat: format, limit: limit.trim() }
    const read = readFields({ ...defaultFields(), ...given }, [])
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

const forms = new WeakMap<AppState, CheckpointQueue>()

/** The tab's: what was typed outlives the page that shows it. */
export function checkpointQueueOf(app: AppState): CheckpointQueue {
  const form = forms.get(app) ?? new CheckpointQueue(app)
  forms.set(app, form)
  return form
}

/** Revisions that name a training step. */
function stepsOf({ revisions }: EmbeddedModel): readonly string[] {
  return revisions.filter((revision) => /step/i.test(revision))
}

function fieldsOf(model: EmbeddedModel): QueueFields {
  return {
    model: model.id,
    // The finished model too: no step may be it.
    revisions: [...stepsOf(model), ...model.revisions.filter((revision) => revision === 'main')].join(', '),
    tasks: model.defaultTasks.join(', '),
    // Checkpoints needn't offer the dtypes that the model does: each takes its own default.
    dtype: '',
    format: '',
    limit: '',
  }
}
