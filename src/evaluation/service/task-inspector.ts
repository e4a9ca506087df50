/**
 * The task page's side of the run worker: a text worker of its own that is kept between calls and started anew when it had to be killed,
 * and the harness's folder, read once. Calls come one after the other, since each sets the worker up for what it asks.
 */
import { EvalError } from '../../base/errors.ts'
import type { TaskListing } from '../../contracts/listings.ts'
import type { TokenizerFiles } from '../../contracts/models.ts'
import type { DatasetReference, Table } from '../../contracts/rows.ts'
import type { RunSettings, TaskFile } from '../../contracts/run-settings.ts'
import type { TaskRoot } from '../../harness/tasks/task-files.ts'
import type { WorkerHandle } from '../../rpc/handle.ts'
import type { DocRequest, LocalFile, PromptRequest } from '../../rpc/run-worker-api.ts'
import type { DocView, PromptTokens, StudyIndex, TaskDetails, TaskPreviewApi } from '../../rpc/task-preview-api.ts'
import type { TaskIndex } from '../../rpc/text-api.ts'
import type { RunConfig } from '../../settings/run-config.ts'
import { readTaskFiles } from '../inputs/read-task-files.ts'

/** Longest that the worker may think, in milliseconds of waking time; what is pasted is one task, a folder may be fourteen thousand. */
const deadlinesMs = { text: 5_000, folder: 120_000, tokenizer: 60_000 } as const

/** Rows are loaded in parts of this many where a doc needs its own row alone. */
const rowsAtOnce = 64

/** Root name of the opened folder. */
const folderRoot = 'folder'

interface TaskInspectorOptions {
  readonly startTextWorker: () => WorkerHandle<TaskPreviewApi>
  readonly bundledTasks: () => Promise<TaskRoot>
  /** Whether a dataset's rows come from the user's own files or from beside the page. */
  readonly isHere: (dataset: DatasetReference) => Promise<boolean>
  /** The same of a model's files. */
  readonly isModelHere: (model: string) => Promise<boolean>
  readonly loadRows: (
    leaf: TaskDetails['leaf'],
    dataFiles: RunSettings['dataFiles'],
    maxRows: number | null,
  ) => Promise<{ readonly [split: string]: Table }>
  readonly loadTokenizer: (model: string, revision: string) => Promise<TokenizerFiles>
}

export class TaskInspector {
  readonly #options: TaskInspectorOptions
  #worker: WorkerHandle<TaskPreviewApi> | null = null
  #folder: TaskRoot | null = null
  #folderProblems: StudyIndex['problems'] = []
  /** What the worker has been given, so that it isn't given twice. */
  #held: { files: string | null; rows: string | null; tokenizer: string | null } = nothingHeld()
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: TaskInspectorOptions) {
    this.#options = options
  }

  get hasFolder(): boolean {
    return this.#folder !== null
  }

  /** Reads and indexes the task files of a folder; they are found by name from now on. `onFiles` hears how many are read. */
  openFolder(name: string, files: readonly LocalFile[], onFiles: (read: number, total: number) => void): Promise<StudyIndex> {
    return this.#inTurn(async () => {
      const texts = await readTaskFiles(name, files, onFiles)
      const worker = await this.#open(null)
      const root: TaskRoot = { name: folderRoot, files: texts }
      const index = await worker.callWithDeadline(deadlinesMs.folder, (api) => api.openRoot(root))
      this.#folder = { ...root, listing: index.tasks }
      this.#folderProblems = index.problems
      return index
    })
  }

  closeFolder(): Promise<void> {
    return this.#inTurn(async () => {
      this.#folder = null
      this.#folderProblems = []
      this.rest()
    })
  }

  /** All that can be asked for: bundled tasks, the folder's, and those of `files`, later ones in place of earlier ones. */
  async list(files: readonly TaskFile[]): Promise<TaskIndex> {
    const given = await this.check(files)
    const bundled = await this.#options.bundledTasks()
    const byName = new Map<string, TaskListing>()
    for (const tasks of [bundled.listing ?? [], this.#folder?.listing ?? [], given.tasks])
      for (const task of tasks) byName.set(task.name, task)
    return {
      tasks: [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1)),
      problems: [...given.problems, ...this.#folderProblems],
    }
  }

  check(files: readonly TaskFile[]): Promise<StudyIndex> {
    return this.#inTurn(async () => {
      const worker = await this.#open(this.#folder)
      const index = await worker.callWithDeadline(deadlinesMs.text, (api) => api.giveFiles(files))
      this.#held.files = JSON.stringify(files)
      return index
    })
  }

  explain(files: readonly TaskFile[], name: string, leaf: string | null, numFewshot: number | null): Promise<TaskDetails> {
    return this.#inTurn(() => this.#explain(files, name, leaf, numFewshot))
  }

  filesBehind(names: readonly string[], files: readonly TaskFile[], withBundled = false): Promise<readonly TaskFile[]> {
    return this.#inTurn(async () => {
      const worker = await this.#withFiles(files)
      return worker.callWithDeadline(deadlinesMs.text, (api) => api.filesBehind(names, withBundled))
    })
  }

  readConfig(file: TaskFile): Promise<RunConfig | null> {
    return this.#inTurn(async () => {
      const worker = await this.#open(this.#folder)
      return worker.callWithDeadline(deadlinesMs.text, (api) => api.readConfig(file))
    })
  }

  view({ files, name, leaf, docId, settings, tokenizer, dataFiles, mayAskHub }: DocRequest): Promise<DocView | null> {
    return this.#inTurn(async () => {
      const story = await this.#explain(files, name, leaf, settings.numFewshot)
      const missing = story.leaf.functions.find(({ key, problem }) => problem !== null && neededForDocs.includes(key))
      if (missing?.problem != null) throw new EvalError('task/unknown-function', missing.problem, { details: { function: missing.name } })
      if (!mayAskHub && !(await this.#options.isHere(story.leaf.dataset))) return null
      const maxRows = story.leaf.needsAllRows ? null : Math.ceil((docId + 1) / rowsAtOnce) * rowsAtOnce
      const wanted = JSON.stringify([story.leaf.dataset, story.leaf.splits, dataFiles, maxRows])
      const worker = this.#worker ?? (await this.#withFiles(files))
      if (this.#held.rows !== wanted) {
        const rows = await this.#options.loadRows(story.leaf, dataFiles, maxRows)
        await worker.callWithDeadline(deadlinesMs.tokenizer, (api) => api.giveRows(rows))
        this.#held.rows = wanted
      }
      if (tokenizer !== null) await this.#giveTokenizer(worker, tokenizer)
      return worker.callWithDeadline(deadlinesMs.text, (api) => api.viewDoc(docId, settings))
    })
  }

  promptTokens({ prompt, isScored, tokenizer, mayAskHub }: PromptRequest): Promise<PromptTokens | null> {
    return this.#inTurn(async () => {
      const worker = await this.#open(this.#folder)
      const isHeld = this.#held.tokenizer === nameOf(tokenizer)
      if (!isHeld && !mayAskHub && !(await this.#options.isModelHere(tokenizer.model))) return null
      await this.#giveTokenizer(worker, tokenizer)
      return worker.callWithDeadline(deadlinesMs.text, (api) => api.promptTokens(prompt, isScored))
    })
  }

  /** Ends the worker, which frees its memory; the next call starts one. */
  rest(): void {
    this.#worker?.terminate()
    this.#worker = null
    this.#held = nothingHeld()
  }

  async #explain(files: readonly TaskFile[], name: string, leaf: string | null, numFewshot: number | null): Promise<TaskDetails> {
    const worker = await this.#withFiles(files)
    return worker.callWithDeadline(deadlinesMs.text, (api) => api.explain(name, leaf, numFewshot))
  }

  async #giveTokenizer(worker: WorkerHandle<TaskPreviewApi>, tokenizer: NonNullable<DocRequest['tokenizer']>): Promise<void> {
    const { model, revision, modelArgs } = tokenizer
    const wanted = nameOf(tokenizer)
    if (this.#held.tokenizer === wanted) return
    const files = await this.#options.loadTokenizer(model, revision)
    await worker.callWithDeadline(deadlinesMs.tokenizer, (api) => api.openTokenizer(files, modelArgs))
    this.#held.tokenizer = wanted
  }

  async #withFiles(files: readonly TaskFile[]): Promise<WorkerHandle<TaskPreviewApi>> {
    const worker = await this.#open(this.#folder)
    const wanted = JSON.stringify(files)
    if (this.#held.files !== wanted) await worker.callWithDeadline(deadlinesMs.text, (api) => api.giveFiles(files))
    this.#held.files = wanted
    return worker
  }

  /** The worker, alive and with the bundled tasks and the folder's open in it. */
  async #open(folder: TaskRoot | null): Promise<WorkerHandle<TaskPreviewApi>> {
    if (this.#worker?.isAlive() === true) return this.#worker
    const worker = this.#options.startTextWorker()
    this.#held = nothingHeld()
    this.#worker = worker
    const bundled = await this.#options.bundledTasks()
    await worker.callWithDeadline(deadlinesMs.folder, (api) => api.openRoot(bundled))
    if (folder !== null) await worker.callWithDeadline(deadlinesMs.folder, (api) => api.openRoot(folder))
    return worker
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(work, work)
    // Its failure is its caller's; the next one goes on.
    this.#last = turn.catch(() => undefined)
    return turn
  }
}

/** Keys whose helpers decide requests; those of filters and metrics matter only to a run. */
const neededForDocs = ['process_docs', 'doc_to_text', 'doc_to_target', 'doc_to_choice', 'samples']

function nameOf({ model, revision, modelArgs }: NonNullable<DocRequest['tokenizer']>): string {
  return JSON.stringify([model, revision, modelArgs])
}

function nothingHeld(): { files: null; rows: null; tokenizer: null } {
  return { files: null, rows: null, tokenizer: null }
}
