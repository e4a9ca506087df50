/** The set-up page's state: what is typed, the files that were added, and what is wrong with it. */
import { toEvalError, type EvalError } from '../../base/errors.ts'
import { folderNameOf } from '../../base/local-names.ts'
import type { PromptPreview } from '../../contracts/requests.ts'
import type { RunSettings, TaskFile } from '../../contracts/run-settings.ts'
import type { Query } from '../router.svelte.ts'
import type { RunClient } from '../run-client.ts'
import { benchmarkOf, type Benchmark } from './benchmarks.ts'
import type { Catalogue } from './catalogue.svelte.ts'
import type { EmbeddedModel } from './embedded.ts'
import type { LocalFiles } from './local-files.svelte.ts'
import { neededFiles } from './needed-files.ts'
import type { ChosenFolder } from './read-folder.ts'
import { defaultFields, queryToFields, type FieldProblem, type SetupFields } from './setup-fields.ts'
import type { SuggestedModel } from './suggested-models.ts'
import { takenForm } from './taken-form.ts'

type Preview =
  | { readonly state: 'none' | 'loading' }
  | { readonly state: 'ready'; readonly prompts: readonly PromptPreview[] }
  | { readonly state: 'failed'; readonly error: EvalError }

/** A choice that rests this long is looked up. */
const restMs = 300

export class SetupForm {
  fields: SetupFields = $state(defaultFields())
  /** False until what a link or a first visit leaves open is filled in: a run asked for before would lack its model and tasks. */
  isFilled = $state(false)
  /** Which part of the model list is chosen; `hub` shows the search and the text fields for an id, `folder` what it takes to open one. */
  source: 'embedded' | 'suggested' | 'hub' | 'folder' = $state('embedded')
  taskFiles: readonly TaskFile[] = $state.raw([])
  /** The opened folder of task files, the harness's `--include_path`; its tasks are in the list. */
  taskFolder: { readonly name: string; readonly tasks: number } | null = $state.raw(null)
  search = $state('')
  /** Problems of the last attempt to start; fields clear their own when edited. */
  problems: readonly FieldProblem[] = $state.raw([])
  preview: Preview = $state.raw({ state: 'none' })
  /** What the last benchmark chosen by name changed besides the tasks. */
  begun: { readonly benchmark: Benchmark; readonly isModelOurs: boolean; readonly isLimitOurs: boolean } | null = $state.raw(null)
  readonly #client: RunClient
  readonly #catalogue: Catalogue
  readonly #local: LocalFiles
  #applied: Query | null = null
  /** True once a model was chosen by hand or by a link: a benchmark then leaves it alone. */
  #isModelGiven = false
  /** The tasks that were ticked without being asked for; others once anything was chosen. */
  #preset: readonly string[] | null = null
  #soon: ReturnType<typeof setTimeout> | undefined

  constructor(client: RunClient, catalogue: Catalogue, local: LocalFiles) {
    this.#client = client
    this.#catalogue = catalogue
    this.#local = local
  }

  /** Loads what can be chosen, fills the form in from the link, then with the default model and benchmark where the link is silent. */
  async open(query: Query): Promise<void> {
    const isNewLink = JSON.stringify(query) !== JSON.stringify(this.#applied ?? {})
    if (isNewLink && Object.keys(query).length > 0) {
      this.fields = { ...defaultFields(), ...queryToFields(query) }
      this.begun = null
      this.#isModelGiven = this.fields.model !== ''
    }
    this.#applied = query
    const refusals = isNewLink ? this.#refuseNaming() : Promise.resolve()
    const { models, tasks } = this.#catalogue
    const listing = tasks.state === 'ready' ? Promise.resolve([]) : this.#catalogue.loadTasks(this.taskFiles)
    const suggestions = this.#catalogue.suggested.state === 'ready' ? Promise.resolve() : this.#catalogue.loadSuggested()
    if (models.state !== 'ready') await this.#catalogue.loadModels()
    // A model that is named may be one of them; the included one doesn't wait.
    if (this.fields.model !== '') await suggestions
    this.#settleModel()
    await listing
    this.#settleTasks()
    this.isFilled = true
    await suggestions
    await refusals
  }

  /** What a link may not set is told of before anything is started. */
  async #refuseNaming(): Promise<void> {
    const { modelArgs, genKwargs, metadata } = this.fields
    if (modelArgs + genKwargs + metadata === '') return
    const { readFields } = await import('./read-fields.ts')
    const read = readFields($state.snapshot(this.fields), this.taskFiles)
    this.problems = read.ok ? [] : read.problems.filter(({ kind }) => kind === 'naming')
  }

  chooseEmbedded(model: EmbeddedModel, revision: string): void {
    this.#isModelGiven = true
    this.#takeEmbedded(model, revision)
  }

  /** Chooses a model of `models.json` and looks it up after a moment: only its list of files and its config.json are fetched. */
  chooseSuggested(model: SuggestedModel): void {
    this.#isModelGiven = true
    this.#takeSuggested(model)
  }

  /** Takes another form of the model's weights: each has dtypes of its own. */
  chooseFormat(format: SetupFields['modelFormat']): void {
    this.fields.modelFormat = format
    this.fields.dtype = ''
  }

  chooseHub(): void {
    if (this.source === 'hub') return
    this.#isModelGiven = true
    this.source = 'hub'
    this.#setModel('', 'main')
  }

  /** Takes a model that a search found, and looks it up. */
  chooseFound(id: string): void {
    this.#isModelGiven = true
    this.source = 'hub'
    this.#setModel(id, 'main')
    this.#describeAfter(0)
  }

  /** The benchmark whose tasks are the ones chosen. */
  get benchmark(): Benchmark | null {
    return benchmarkOf(this.fields.tasks)
  }

  /** False while the task list lacks one of its tasks (or isn't there yet). */
  offers({ tasks: names }: Benchmark): boolean {
    const { tasks } = this.#catalogue
    return tasks.state === 'ready' && names.every((name) => tasks.value.some((task) => task.name === name))
  }

  /**
   * Sets the form up for a benchmark, so that one click more runs it: its tasks; a limit for a first look unless one was typed; and the
   * first suggested model unless a model was chosen, since the included ones know too little for it.
   */
  begin(benchmark: Benchmark): void {
    const { limit } = this.fields
    const isLimitTyped = limit.trim() !== '' && limit !== String(this.begun?.benchmark.limit)
    this.fields.tasks = [...benchmark.tasks]
    if (!isLimitTyped) this.fields.limit = String(benchmark.limit)
    this.clear('tasks')
    this.clear('limit')
    const { suggested } = this.#catalogue
    const [first] = suggested.state === 'ready' ? suggested.value : []
    const isModelOurs = !this.#isModelGiven && first !== undefined
    if (isModelOurs && this.fields.model !== first.id) this.#takeSuggested(first)
    this.begun = { benchmark, isModelOurs, isLimitOurs: !isLimitTyped }
  }

  /** All docs of the benchmark instead of the first ones. */
  useAllDocs(): void {
    this.fields.limit = ''
    this.clear('limit')
  }

  /** A model from the user's own folder: its id once the folder is open, before that an empty one. */
  chooseFolder(id: string): void {
    this.#isModelGiven = true
    this.source = 'folder'
    this.#setModel(id, 'main')
    if (id !== '' && this.#local.isOpen(id)) this.#describeAfter(0)
  }

  /** After the access to the Hub has changed: asks once more for a model that was refused. */
  async lookUpAgain(): Promise<void> {
    const { model, revision } = this.fields
    if (this.#catalogue.descriptionOf(model.trim(), revision.trim() || 'main').state === 'failed') await this.describe()
  }

  /** The data files on this machine that the chosen tasks name, groups' and tags' members included. */
  get neededFiles(): readonly string[] {
    const { tasks } = this.#catalogue
    return tasks.state === 'ready' ? neededFiles(this.fields.tasks, tasks.value) : []
  }

  /** Those of them that were not handed over. A pattern stands for any number of files, and an address is asked about where it is typed. */
  get missingFiles(): readonly string[] {
    return this.neededFiles.filter((path) => !/[*?[{]|^[a-z][a-z0-9+.-]+:/i.test(path) && this.#local.fileFor(path) === null)
  }

  /** Looks the model up. The page calls it for a Hub model only when the user asks: a link alone must not reach for the network. */
  async describe(): Promise<void> {
    const { model, revision } = this.fields
    if (model.trim() === '') return
    await this.#catalogue.describe(model.trim(), revision.trim() === '' ? 'main' : revision.trim())
    const description = this.#catalogue.descriptionOf(model.trim(), revision.trim())
    if (description.state !== 'ready') return
    const offered = takenForm(description.value, this.fields.modelFormat)?.dtypes ?? []
    if (!offered.some(({ dtype, refusal }) => dtype === this.fields.dtype && refusal === null)) this.fields.dtype = ''
  }

  toggleTask(name: string, isChosen: boolean): void {
    this.fields.tasks = isChosen ? [...this.fields.tasks, name] : this.fields.tasks.filter((task) => task !== name)
    this.clear('tasks')
  }

  /**
   * Adds task files and ticks the tasks that they define, or of these only the ones in `ticked`. A file of the same path replaces the
   * earlier one.
   */
  async addTaskFiles(files: readonly TaskFile[], ticked: readonly string[] | null = null): Promise<void> {
    const kept = this.taskFiles.filter((old) => !files.some((file) => file.path === old.path))
    this.taskFiles = [...kept, ...files]
    const found = await this.#catalogue.loadTasks(this.taskFiles)
    const fresh = found.filter((name) => !this.fields.tasks.includes(name) && (ticked?.includes(name) ?? true))
    // What the page ticked by itself gives way to what the reader brings.
    if (fresh.length > 0) this.fields.tasks = this.fields.tasks === this.#preset ? fresh : [...this.fields.tasks, ...fresh]
  }

  /** Makes the tasks of a folder ones that can be chosen. None is ticked: a folder may have thousands. */
  async openTaskFolder({ name, files }: ChosenFolder, onFiles: (read: number, total: number) => void): Promise<void> {
    const { tasks } = await this.#client.openTaskFolder(name, files, onFiles)
    this.taskFolder = { name, tasks: tasks.length }
    await this.#catalogue.loadTasks(this.taskFiles)
  }

  async closeTaskFolder(): Promise<void> {
    await this.#client.closeTaskFolder()
    this.taskFolder = null
    await this.#catalogue.loadTasks(this.taskFiles)
    this.#dropUnknownTasks()
  }

  /** Takes over what a configuration file says; fields that it doesn't name stay. */
  async applyConfig(fields: Partial<SetupFields>): Promise<void> {
    this.fields = { ...this.fields, ...fields }
    this.begun = null
    this.problems = []
    if (fields.model === undefined) return
    this.#isModelGiven = true
    const { dtype, revision, model, modelFormat } = this.fields
    this.#settleModel()
    // Settling knows the models beside the page alone.
    if (this.fields.model === model) Object.assign(this.fields, { dtype, revision, modelFormat })
  }

  /** The settings with the files of the opened folder that their tasks need, and no others. */
  async complete(settings: RunSettings): Promise<RunSettings> {
    if (this.taskFolder === null) return settings
    return { ...settings, taskFiles: await this.#client.filesBehindTasks(settings.tasks, settings.taskFiles) }
  }

  async removeTaskFile(path: string): Promise<void> {
    this.taskFiles = this.taskFiles.filter((file) => file.path !== path)
    await this.#catalogue.loadTasks(this.taskFiles)
    this.#dropUnknownTasks()
    this.#settleTasks()
  }

  #dropUnknownTasks(): void {
    const { tasks } = this.#catalogue
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
  async read(): Promise<RunSettings | null> {
    const { readFields } = await import('./read-fields.ts')
    const read = readFields($state.snapshot(this.fields), this.taskFiles)
    const isOpen = this.#local.isOpen(this.fields.model)
    const closed: readonly FieldProblem[] = isOpen ? [] : [{ field: 'model', kind: 'missing', found: this.fields.model }]
    const [lacking] = this.missingFiles
    const unread: readonly FieldProblem[] = lacking === undefined ? [] : [{ field: 'tasks', kind: 'missing-file', found: lacking }]
    this.problems = [...(read.ok ? [] : read.problems), ...closed, ...unread]
    return read.ok && this.problems.length === 0 ? { ...read.settings, dataFiles: this.#local.settingsFor(this.neededFiles) } : null
  }

  /** Shows the first prompts of the chosen tasks, without a model. */
  async loadPreview(docs: number): Promise<void> {
    const settings = await this.read()
    if (settings === null) return
    this.preview = { state: 'loading' }
    try {
      this.preview = { state: 'ready', prompts: await this.#client.previewPrompts(await this.complete(settings), docs) }
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
    const { model, revision, dtype, modelFormat } = this.fields
    // "From the Hub" or "from a folder", chosen while the lists were still on their way: which one isn't said yet.
    if (this.#isModelGiven && model === '') return
    if (folderNameOf(model) !== null) {
      this.chooseFolder(model)
      Object.assign(this.fields, { dtype, modelFormat })
      return
    }
    const chosen = models.value.find(({ id }) => id === model)
    if (model !== '' && chosen === undefined) {
      const { suggested } = this.#catalogue
      const isSuggested = revision === 'main' && suggested.state === 'ready' && suggested.value.some(({ id }) => id === model)
      this.source = isSuggested ? 'suggested' : 'hub'
      return
    }
    const target = chosen ?? models.value[0]
    if (target === undefined) return
    const known = target.revisions.length === 0 || target.revisions.includes(revision)
    this.#takeEmbedded(target, known ? revision : (target.revisions[0] ?? 'main'))
    Object.assign(this.fields, { dtype, modelFormat })
  }

  #settleTasks(): void {
    const { tasks, models } = this.#catalogue
    if (tasks.state !== 'ready' || this.fields.tasks.length > 0) return
    const embedded = models.state === 'ready' ? models.value : []
    // For a model of the Hub too: the first group of the list would be one by its initial letter.
    const model = embedded.find(({ id }) => id === this.fields.model) ?? embedded[0]
    const offered = (model?.defaultTasks ?? []).filter((name) => tasks.value.some((task) => task.name === name))
    const first = tasks.value.find(({ kind }) => kind === 'group') ?? tasks.value[0]
    this.fields.tasks = offered.length > 0 ? offered : first === undefined ? [] : [first.name]
    // As the form holds it, so that any change of it is seen.
    this.#preset = this.fields.tasks
  }

  #takeEmbedded(model: EmbeddedModel, revision: string): void {
    this.source = 'embedded'
    this.#setModel(model.id, revision)
    this.#describeAfter(0)
  }

  #takeSuggested(model: SuggestedModel): void {
    this.source = 'suggested'
    this.#setModel(model.id, 'main')
    this.fields.dtype = model.dtype ?? ''
    // Arrow keys pass through the list; only where they rest is worth a request.
    this.#describeAfter(restMs)
  }

  #describeAfter(delayMs: number): void {
    clearTimeout(this.#soon)
    const describe = () => {
      this.describe().catch((error: unknown) => {
        throw error
      })
    }
    if (delayMs === 0) describe()
    else this.#soon = setTimeout(describe, delayMs)
  }

  #setModel(id: string, revision: string): void {
    clearTimeout(this.#soon)
    this.fields.model = id
    this.fields.revision = revision
    this.fields.dtype = ''
    this.fields.modelFormat = ''
    this.clear('model')
  }
}
