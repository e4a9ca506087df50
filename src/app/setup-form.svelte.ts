/** The set-up page's state: what is typed, the files that were added, and what is wrong with it. */
import { toEvalError, type EvalError } from '../core/errors.ts'
import type { PromptPreview, RunSettings, TaskFile } from '../core/types.ts'
import type { Catalogue } from './catalogue.svelte.ts'
import type { EmbeddedModel } from './embedded.ts'
import type { Query } from './router.svelte.ts'
import type { RunClient } from './run-client.ts'
import { defaultFields, queryToFields, readFields, type FieldProblem, type SetupFields } from './setup-fields.ts'

export type Preview =
  | { readonly state: 'none' | 'loading' }
  | { readonly state: 'ready'; readonly prompts: readonly PromptPreview[] }
  | { readonly state: 'failed'; readonly error: EvalError }

export class SetupForm {
  fields: SetupFields = $state(defaultFields())
  /** `hub` shows the text fields for a model id, `embedded` the list. */
  source: 'embedded' | 'hub' = $state('embedded')
  taskFiles: readonly TaskFile[] = $state.raw([])
  search = $state('')
  /** Problems of the last attempt to start; fields clear their own when edited. */
  problems: readonly FieldProblem[] = $state.raw([])
  preview: Preview = $state.raw({ state: 'none' })
  readonly #client: RunClient
  readonly #catalogue: Catalogue
  #applied: Query | null = null

  constructor(client: RunClient, catalogue: Catalogue) {
    this.#client = client
    this.#catalogue = catalogue
  }

  /** Loads what can be chosen, fills the form in from the link, then with the default model and benchmark where the link is silent. */
  async open(query: Query): Promise<void> {
    const isNewLink = JSON.stringify(query) !== JSON.stringify(this.#applied ?? {})
    if (isNewLink && Object.keys(query).length > 0) this.fields = { ...defaultFields(), ...queryToFields(query) }
    this.#applied = query
    const { models, tasks } = this.#catalogue
    const listing = tasks.state === 'ready' ? Promise.resolve([]) : this.#catalogue.loadTasks(this.taskFiles)
    if (models.state !== 'ready') await this.#catalogue.loadModels()
    this.#settleModel()
    await listing
    this.#settleTasks()
  }

  chooseEmbedded(model: EmbeddedModel, revision: string): void {
    this.source = 'embedded'
    this.#setModel(model.id, revision)
    this.describe().catch((error: unknown) => {
      throw error
    })
  }

  chooseHub(): void {
    if (this.source === 'hub') return
    this.source = 'hub'
    this.#setModel('', 'main')
  }

  /** Looks the model up. The page calls it for a Hub model only when the user asks: a link alone must not reach for the network. */
  async describe(): Promise<void> {
    const { model, revision } = this.fields
    if (model.trim() === '') return
    await this.#catalogue.describe(model.trim(), revision.trim() === '' ? 'main' : revision.trim())
    const description = this.#catalogue.descriptionOf(model.trim(), revision.trim())
    const isOffered =
      description.state === 'ready' &&
      description.value.dtypes.some(({ dtype, refusal }) => dtype === this.fields.dtype && refusal === null)
    if (description.state === 'ready' && !isOffered) this.fields.dtype = ''
  }

  toggleTask(name: string, isChosen: boolean): void {
    this.fields.tasks = isChosen ? [...this.fields.tasks, name] : this.fields.tasks.filter((task) => task !== name)
    this.clear('tasks')
  }

  /** Adds task files and ticks the tasks that they define. A file of the same path replaces the earlier one. */
  async addTaskFiles(files: readonly TaskFile[]): Promise<void> {
    const kept = this.taskFiles.filter((old) => !files.some((file) => file.path === old.path))
    this.taskFiles = [...kept, ...files]
    const found = await this.#catalogue.loadTasks(this.taskFiles)
    const fresh = found.filter((name) => !this.fields.tasks.includes(name))
    if (fresh.length > 0) this.fields.tasks = [...this.fields.tasks, ...fresh]
  }

  async removeTaskFile(path: string): Promise<void> {
    this.taskFiles = this.taskFiles.filter((file) => file.path !== path)
    await this.#catalogue.loadTasks(this.taskFiles)
    const tasks = this.#catalogue.tasks
    if (tasks.state === 'ready') this.fields.tasks = this.fields.tasks.filter((name) => tasks.value.some((task) => task.name === name))
  }

  clear(field: FieldProblem['field']): void {
    if (this.problems.some((problem) => problem.field === field)) {
      this.problems = this.problems.filter((problem) => problem.field !== field)
    }
  }

  problemOf(field: FieldProblem['field']): FieldProblem | null {
    return this.problems.find((problem) => problem.field === field) ?? null
  }

  /** The settings to start with; null when something is wrong, and then `problems` says what. */
  read(): RunSettings | null {
    const read = readFields($state.snapshot(this.fields), this.taskFiles)
    this.problems = read.ok ? [] : read.problems
    return read.ok ? read.settings : null
  }

  /** Shows the first prompts of the chosen tasks, without a model. */
  async loadPreview(docs: number): Promise<void> {
    const settings = this.read()
    if (settings === null) return
    this.preview = { state: 'loading' }
    try {
      this.preview = { state: 'ready', prompts: await this.#client.preview(settings, docs) }
    } catch (error) {
      this.preview = { state: 'failed', error: toEvalError(error) }
    }
  }

  #settleModel(): void {
    const models = this.#catalogue.models
    if (models.state !== 'ready') {
      this.source = 'hub'
      return
    }
    const { model, revision, dtype } = this.fields
    const chosen = models.value.find(({ id }) => id === model)
    if (model !== '' && chosen === undefined) {
      this.source = 'hub'
      return
    }
    const target = chosen ?? models.value[0]
    if (target === undefined) return
    const known = target.revisions.length === 0 || target.revisions.includes(revision)
    this.chooseEmbedded(target, known ? revision : (target.revisions[0] ?? 'main'))
    this.fields.dtype = dtype
  }

  #settleTasks(): void {
    const { tasks, models } = this.#catalogue
    if (tasks.state !== 'ready' || this.fields.tasks.length > 0) return
    const model = models.state === 'ready' ? models.value.find(({ id }) => id === this.fields.model) : undefined
    const offered = (model?.defaultTasks ?? []).filter((name) => tasks.value.some((task) => task.name === name))
    const first = tasks.value.find(({ kind }) => kind === 'group') ?? tasks.value[0]
    this.fields.tasks = offered.length > 0 ? offered : first === undefined ? [] : [first.name]
  }

  #setModel(id: string, revision: string): void {
    this.fields.model = id
    this.fields.revision = revision
    this.fields.dtype = ''
    this.clear('model')
  }
}
