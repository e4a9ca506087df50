/** The task page's state: the files that are written, the task that is shown, and one doc of it, each kept up with the others. */
import { toEvalError, type EvalError } from '../../base/errors.ts'
import { folderNameOf } from '../../base/local-names.ts'
import type { TaskListing } from '../../contracts/listings.ts'
import type { RunSettings, TaskFile } from '../../contracts/run-settings.ts'
import { stripInTemplate } from '../../harness/requests/prompt-lint.ts'
import type { LocalFile } from '../../rpc/run-worker-api.ts'
import type { DocView, StudyIndex, TaskProblem, TaskDetails } from '../../rpc/task-preview-api.ts'
import type { AppState } from '../app-state.svelte.ts'
import { readFields } from '../setup/read-fields.ts'
import type { ChosenFolder } from '../setup/read-folder.ts'
import { defaultFields } from '../setup/setup-fields.ts'
import { freePath, keepDraft, recallDraft, setKey } from './task-draft.ts'

/** Typing that rests this long is looked at. */
const restMs = 250

/** Whose tokens are shown. */
interface TokenizerChoice {
  readonly model: string
  readonly revision: string
}

export class TaskPageState {
  /** The reader's own files; `current` is in the editor. */
  files: readonly TaskFile[] = $state.raw([])
  current = $state(0)
  /** A task of the list, in place of one of the files. */
  picked: string | null = $state(null)
  /** Which task of the files is shown, where they define several. */
  wanted: string | null = $state(null)
  leaf: string | null = $state(null)
  docId = $state(0)
  numFewshot = $state('')
  applyChatTemplate = $state(false)
  tokenizer: TokenizerChoice | null = $state.raw(null)

  index: StudyIndex = $state.raw({ tasks: [], problems: [] })
  story: TaskDetails | null = $state.raw(null)
  view: DocView | null = $state.raw(null)
  error: EvalError | null = $state.raw(null)
  /** The dataset on the Hub that the reader would have to allow asking for. */
  remote: string | null = $state.raw(null)
  isWorking = $state(false)
  /** The view belongs to an earlier state of the text, since the present one can't be shown. */
  isStale = $state(false)
  /** How far the reading of a dropped folder is. */
  reading: { readonly name: string; readonly read: number; readonly total: number } | null = $state.raw(null)
  readonly #app: AppState
  /** Datasets of the Hub that the reader allowed asking for. */
  #allowed: readonly string[] = []
  #ticket = 0
  #soon: ReturnType<typeof setTimeout> | undefined

  constructor(app: AppState) {
    this.#app = app
    this.files = recallDraft()
  }

  get text(): string {
    return this.files[this.current]?.text ?? ''
  }

  get path(): string {
    return this.files[this.current]?.path ?? 'my_task.yaml'
  }

  /** The task, group or tag that is shown; null while the files define none. */
  get name(): string | null {
    if (this.picked !== null) return this.picked
    const { tasks } = this.index
    const own = tasks.filter(({ kind }) => kind !== 'tag')
    const inEditor = own.find(({ file }) => file === this.path)
    return own.find(({ name }) => name === this.wanted)?.name ?? inEditor?.name ?? own[0]?.name ?? null
  }

  /** Problems of the files, those of the task that is shown among them. */
  get problems(): readonly TaskProblem[] {
    const { error } = this
    const { file, line, column } = error?.details ?? {}
    const isOfFile = error !== null && typeof file === 'string' && typeof line === 'number' && this.files.some(({ path }) => path === file)
    if (!isOfFile) return this.index.problems
    return [...this.index.problems, { file, message: error.message, line, column: typeof column === 'number' ? column : null }]
  }

  get dataFiles(): readonly string[] {
    return dataFilesOf(this.story)
  }

  /** The settings of a run of this task, for the command and the set-up page; null while there is none. */
  get settings(): RunSettings | null {
    if (this.name === null) return null
    const fields = { ...defaultFields(), ...this.#app.setup.fields, tasks: [this.name], limit: '', numFewshot: this.numFewshot }
    const model = this.tokenizer ?? { model: fields.model, revision: fields.revision }
    const isSame = model.model === fields.model
    const read = readFields(
      { ...fields, ...model, dtype: isSame ? fields.dtype : '', applyChatTemplate: this.applyChatTemplate },
      this.files,
    )
    return read.ok ? read.settings : null
  }

  async open(name: string | null): Promise<void> {
    if (name !== null) this.picked = name
    const { catalogue, setup } = this.#app
    if (catalogue.models.state !== 'ready') await catalogue.loadModels()
    if (catalogue.tasks.state !== 'ready') await catalogue.loadTasks(setup.taskFiles)
    const models = catalogue.models.state === 'ready' ? catalogue.models.value : []
    const first = models[0]
    if (this.tokenizer === null && first !== undefined) this.tokenizer = { model: first.id, revision: first.revisions[0] ?? 'main' }
    await this.update()
  }

  close(): void {
    clearTimeout(this.#soon)
    this.#ticket += 1
    // Nothing waits for it.
    this.#app.client.restTaskInspector().catch(() => undefined)
  }

  write(text: string): void {
    const { path } = this
    this.picked = null
    this.files =
      this.files.length === 0
        ? [{ path, text }]
        : this.files.map((file, index) => (index === this.current ? { path: file.path, text } : file))
    this.#kept()
  }

  rename(path: string): void {
    const others = this.files.filter((_, index) => index !== this.current)
    this.files = this.files.map((file, index) => (index === this.current ? { path: freePath(path, others), text: file.text } : file))
    this.#kept()
  }

  show(index: number): void {
    this.picked = null
    this.current = index
    this.#reset()
    this.updateSoon(0)
  }

  remove(index: number): void {
    this.files = this.files.filter((_, at) => at !== index)
    this.current = Math.max(0, Math.min(this.current, this.files.length - 1))
    this.#reset()
    this.#kept()
  }

  addFile(file: TaskFile): void {
    const at = this.files.findIndex(({ path }) => path === file.path)
    this.files = at < 0 ? [...this.files, file] : this.files.map((old, index) => (index === at ? file : old))
    this.current = at < 0 ? this.files.length - 1 : at
    this.picked = null
    this.#reset()
    this.#kept()
  }

  pick(listing: TaskListing): void {
    this.picked = listing.name
    this.#reset()
    this.updateSoon(0)
  }

  /** The shown task's file as one of the reader's own, under its own path, so that what it includes is still found. */
  editCopy(): void {
    const leaf = this.story?.leaf
    if (leaf === undefined) return
    const kept = this.files.some(({ path }) => path === leaf.file)
    const { docId } = this
    if (kept) this.show(this.files.findIndex(({ path }) => path === leaf.file))
    else this.addFile({ path: leaf.file, text: leaf.text })
    this.wanted = leaf.name
    this.docId = docId
  }

  /** Rewrites `doc_to_text` so that prompts come without surplus white space. */
  strip(): void {
    const leaf = this.story?.leaf
    const template = leaf?.entries.find(({ key }) => key === 'doc_to_text')?.value
    if (leaf === undefined || template === undefined || template.startsWith('!function')) return
    if (this.picked !== null) this.editCopy()
    const isColumn = this.view?.fields.some(([column]) => column === template) === true
    this.write(setKey(this.text, 'doc_to_text', stripInTemplate(template, isColumn)))
  }

  get canStrip(): boolean {
    const template = this.story?.leaf.entries.find(({ key }) => key === 'doc_to_text')?.value ?? '!'
    return !template.startsWith('!') && !template.startsWith('{% set prompt %}')
  }

  /** Everything that was dropped or chosen: folders of task files, task files, data files. */
  async take(folders: readonly ChosenFolder[]): Promise<void> {
    for (const { name, files } of folders) {
      if (name !== '') await this.openFolder({ name, files })
      else await this.#takeFiles(files)
    }
  }

  async openFolder({ name, files }: ChosenFolder): Promise<void> {
    this.reading = { name, read: 0, total: files.length }
    try {
      await this.#app.setup.openTaskFolder({ name, files }, (read, total) => (this.reading = { name, read, total }))
    } finally {
      this.reading = null
    }
    await this.update()
  }

  allowRemote(): void {
    if (this.remote !== null) this.#allowed = [...this.#allowed, this.remote]
    this.updateSoon(0)
  }

  updateSoon(delayMs: number = restMs): void {
    clearTimeout(this.#soon)
    this.#soon = setTimeout(() => {
      this.update().catch((error: unknown) => this.#app.notices.report(error))
    }, delayMs)
  }

  /** Brings everything that is shown up to date; what a later call overtakes is dropped. */
  async update(): Promise<void> {
    const ticket = ++this.#ticket
    const isCurrent = () => ticket === this.#ticket
    const { client } = this.#app
    this.isWorking = true
    try {
      const index = this.files.length === 0 ? { tasks: [], problems: [] } : await client.checkTaskFiles(this.files)
      if (!isCurrent()) return
      this.index = index
      const { name } = this
      if (name === null) {
        this.#fail(null)
        return
      }
      const numFewshot = /^\d+$/.test(this.numFewshot.trim()) ? Number(this.numFewshot.trim()) : null
      const story = await client.explainTask(this.files, name, this.leaf, numFewshot)
      if (!isCurrent()) return
      this.story = story
      const view = await this.#load(story, numFewshot)
      if (!isCurrent()) return
      this.remote = view === null ? story.leaf.dataset.path : null
      this.view = view
      this.error = null
      this.isStale = false
    } catch (error) {
      if (isCurrent()) this.#fail(toEvalError(error))
    } finally {
      if (isCurrent()) this.isWorking = false
    }
  }

  #load(story: TaskDetails, numFewshot: number | null): Promise<DocView | null> {
    const defaults = readFields({ ...defaultFields(), model: 'none', tasks: [story.name] }, [])
    const { seeds } = defaults.ok ? defaults.settings : { seeds: { random: 0, numpy: 1234, torch: 1234, fewshot: 1234 } }
    const isOpen = this.tokenizer !== null && (folderNameOf(this.tokenizer.model) === null || this.#app.local.isOpen(this.tokenizer.model))
    return this.#app.client.viewDoc({
      files: this.files,
      name: story.name,
      leaf: story.leaf.name,
      docId: this.docId,
      settings: {
        numFewshot,
        applyChatTemplate: this.applyChatTemplate,
        fewshotAsMultiturn: null,
        systemInstruction: null,
        genKwargs: {},
        seeds,
      },
      tokenizer: this.tokenizer !== null && isOpen ? { ...this.tokenizer, modelArgs: {} } : null,
      dataFiles: this.#app.local.settingsFor(dataFilesOf(story)),
      mayAskHub: this.#allowed.includes(story.leaf.dataset.path),
    })
  }

  #fail(error: EvalError | null): void {
    // Beyond the last doc: back to it.
    const docs = error?.details['docs']
    if (error?.code === 'settings/invalid' && typeof docs === 'number' && this.docId >= docs) {
      this.docId = Math.max(0, docs - 1)
      this.updateSoon(0)
      return
    }
    this.error = error
    this.isStale = this.view !== null
    if (error === null) {
      this.story = null
      this.view = null
      this.isStale = false
    }
  }

  async #takeFiles(files: readonly LocalFile[]): Promise<void> {
    const tasks = files.filter(({ path }) => /\.(?:ya?ml|py)$/i.test(path))
    for (const { path, file } of tasks) this.addFile({ path, text: await file.text() })
    const data = files.filter((file) => !tasks.includes(file))
    if (data.length > 0) await this.#app.local.addDataFiles(data)
    await this.update()
  }

  #reset(): void {
    this.wanted = null
    this.leaf = null
    this.docId = 0
    this.view = null
    this.story = null
    this.error = null
    this.remote = null
    this.isStale = false
  }

  #kept(): void {
    keepDraft(this.files)
    this.updateSoon()
  }
}

/** The files on the reader's machine that a task names, each once. */
function dataFilesOf(story: TaskDetails | null): readonly string[] {
  const paths = Object.values(story?.leaf.dataset.dataFiles ?? {}).flat()
  return paths.filter((path, at) => paths.indexOf(path) === at)
}
