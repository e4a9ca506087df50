/** What the run worker offers to the page: one run at a time, listings, and what is kept. */
import type { Parallelism } from '../core/cluster/commands.ts'
import { comparedSample, type ComparedSample } from '../core/compare/compared-run.ts'
import { EvalError, isEvalError, toEvalError, toWire, type WireError } from '../core/errors.ts'
import { folderNameOf } from '../core/local-names.ts'
import type { RunConfig } from '../core/run-config.ts'
import type { TaskRoot } from '../core/task-files.ts'
import type {
  DataScan,
  FileVerdict,
  HubAccess,
  LeafTask,
  ModelDescription,
  ModelHit,
  PromptPreview,
  RunEvent,
  RunResults,
  RunRow,
  RunSettings,
  StorageReport,
  TaskFile,
} from '../core/types.ts'
import type { DocIndex, SearchText } from '../core/viewer/doc-index.ts'
import { searchTexts } from '../core/viewer/doc-filters.ts'
import { addressFile } from '../data/address-file.ts'
import { loadSplits } from '../data/dataset.ts'
import { openFileLocks } from '../data/download/file-locks.ts'
import { openFileStore, type FileStore } from '../data/download/file-store.ts'
import { createFileUses } from '../data/download/file-uses.ts'
import { createKeyMaker, type KeyMaker } from '../storage/keys.ts'
import { acquireLock, heldRunIds, isLockHeld, runLockName, stealLock, tryLock } from '../storage/locks.ts'
import type { Store } from '../storage/store.ts'
import { openSurvivingStore } from '../storage/surviving-store.ts'
import type {
  ClusterFolder,
  DocRequest,
  HubFileRequest,
  LocalFile,
  Keeping,
  ModelWorkerApi,
  PromptRequest,
  RunWorkerApi,
  SamplePage,
  TokenCheck,
} from '../rpc/apis.ts'
import { checkSettings } from '../rpc/checks.ts'
import type { WorkerHandle } from '../rpc/handle.ts'
import { openRunChannel } from '../rpc/run-channel.ts'
import type { DataWorkerApi, RowsRequest } from '../rpc/data-api.ts'
import type { DocView, PromptTokens, StudyIndex, TaskStory, TaskStudyApi } from '../rpc/task-study-api.ts'
import type { TaskIndex, TextWorkerApi } from '../rpc/text-api.ts'
import { fetchBundledTasks } from './bundled-tasks.ts'
import { makeClusterFolder } from './cluster-folder.ts'
import { dataWorker, type DataWorker } from './data-worker.ts'
import { evaluate } from './evaluate.ts'
import { exportFiles, type ExportedFile } from './export-files.ts'
import { checkToken, looksLikeToken } from './hub-token.ts'
import { defaultAccess, defaultHubBase, openHubs, type Hubs } from './hubs.ts'
import { areRestricted, judgedRows } from './judged-rows.ts'
import { deleteFiles, reportStorage, verifyFiles } from './kept-files.ts'
import { LocalInputs } from './local-inputs.ts'
import { toModelHits } from './model-search.ts'
import { describeModel, resolveModel, type Surroundings } from './model-source.ts'
import { workerOpener } from './opener.ts'
import type { Attempt, DataSource, Evaluation, KeyBasis } from './ports.ts'
import { runWithRepairs } from './repairs.ts'
import { TaskDesk } from './task-desk.ts'
import { taskMetadata } from './task-metadata.ts'
import { withDeadlines } from './text-worker.ts'

export interface ServiceOptions {
  /** Address of the page's folder, with a slash at its end. */
  readonly pageBase: string
  readonly app: { readonly version: string; readonly build: string }
  readonly startDataWorker: () => WorkerHandle<DataWorkerApi>
  readonly startTextWorker: () => WorkerHandle<TextWorkerApi & TaskStudyApi>
  readonly startModelWorker: () => WorkerHandle<ModelWorkerApi>
  readonly openStore: (hooks: {
    readonly whenIdle: () => Promise<void>
    readonly onOutdated: (reason: EvalError) => void
  }) => Promise<Store>
}

export class RunService implements RunWorkerApi {
  readonly #options: ServiceOptions
  #access: HubAccess = defaultAccess
  readonly #local = new LocalInputs()
  readonly #desk: TaskDesk
  #hubs: Promise<Hubs> | null = null
  #store: Promise<Store> | null = null
  #bundled: Promise<TaskRoot> | null = null
  #files: Promise<FileStore | null> | null = null
  #keeping: Keeping = { state: 'kept', error: null }
  #onKeeping: (keeping: Keeping) => void = () => undefined
  readonly #tell = openRunChannel()
  /** Resolves when no run is going on. */
  #idle: Promise<void> = Promise.resolve()
  readonly #locks = openFileLocks()
  readonly #uses = createFileUses(this.#locks)
  /** Who uses downloaded files now; with the last of them the files may be deleted. */
  #users = 0
  /** Where the downloads of the run that is going on tell that they wait. */
  #onEvent: ((event: RunEvent) => void) | null = null
  /** The texts of the run whose docs were searched last, so that the next key stroke doesn't read them again. */
  #searched: { readonly runId: string; readonly texts: Promise<readonly SearchText[]> } | null = null
  #search = new AbortController()
  /** Ends the run that is going on, with the reason that it is told to have ended for. */
  #current: { end(reason: EvalError): void } | null = null

  constructor(options: ServiceOptions) {
    this.#options = options
    this.#desk = new TaskDesk({
      startTextWorker: () => options.startTextWorker(),
      bundledTasks: () => this.#bundledTasks(),
      isHere: async ({ path }) => localLoaders.includes(path) || (await this.#openHubs()).isBundled('dataset', path),
      isModelHere: async (model) => (await this.#openHubs()).isModelHere(model),
      loadRows: (leaf, dataFiles, maxRows) => this.#loadRows(leaf, dataFiles, maxRows),
      loadTokenizer: async (model, revision) => {
        const { signal } = new AbortController()
        const repo = await (await this.#openHubs()).openModel(model, revision, signal)
        return (await resolveModel(repo, await this.#surroundings('wasm', model), signal)).tokenizerFiles
      },
    })
  }

  async configure(access: HubAccess): Promise<void> {
    this.#access = access
    this.#hubs = null
  }

  async useToken(token: string | null, { check }: { readonly check: boolean }): Promise<TokenCheck> {
    const verdict = await this.#judgeToken(token, check)
    if (verdict.verdict !== 'accepted' && verdict.verdict !== 'unchecked') return verdict
    this.#access = { ...this.#access, token }
    this.#hubs = null
    return verdict
  }

  async hasToken(): Promise<boolean> {
    return this.#access.token !== null
  }

  async #judgeToken(token: string | null, check: boolean): Promise<TokenCheck> {
    if (token === null) return { verdict: 'accepted', name: null }
    if (!looksLikeToken(token)) return { verdict: 'malformed', name: null }
    if (!check) return { verdict: 'unchecked', name: null }
    return checkToken((address, init) => fetch(address, init), this.#access.base ?? defaultHubBase, token)
  }

  async openModelFolder(name: string, files: readonly LocalFile[], onBytes?: (loaded: number, total: number) => void): Promise<string> {
    return this.#local.openFolder(name, files, onBytes === undefined ? {} : { onBytes })
  }

  async openDataFiles(files: readonly LocalFile[]): Promise<void> {
    this.#local.addFiles(files)
  }

  async start(settings: RunSettings, onEvent: (event: RunEvent) => void): Promise<{ runId: string; error: WireError | null }> {
    return this.#run({ settings: checkSettings(settings), resumeOf: null, leftOut: [] }, onEvent, false)
  }

  async resume(runId: string, onEvent: (event: RunEvent) => void, takesOver = false): Promise<{ runId: string; error: WireError | null }> {
    const row = await (await this.#openStore()).readRun(runId)
    if (row === null) throw new EvalError('run/not-found', `There is no run ${runId} in this browser.`)
    // Said at once; whoever else begins meanwhile is told when it comes to take the lock.
    if (!takesOver && (await isLockHeld(runLockName(runId)))) throw busyElsewhere(runId)
    return this.#run({ settings: row.manifest.settings, resumeOf: row, leftOut: [] }, onEvent, takesOver)
  }

  async stop(): Promise<void> {
    this.#current?.end(new EvalError('run/stopped', 'The run was stopped. Its answers so far are kept.'))
  }

  async checkpoint(): Promise<void> {
    await (await this.#openStore()).checkpoint()
  }

  async watchKeeping(onChange: (keeping: Keeping) => void): Promise<void> {
    this.#onKeeping = onChange
    // The change to `refused` or `memory` has been told by then.
    await this.#openStore().catch(() => undefined)
    onChange(this.#keeping)
  }

  async listTasks(taskFiles: readonly TaskFile[]): Promise<TaskIndex> {
    if (this.#desk.hasFolder) return this.#desk.list(taskFiles)
    return this.#withText((text) => this.#loadTasks(text, taskFiles, {}))
  }

  async openTaskFolder(name: string, files: readonly LocalFile[], onFiles?: (read: number, total: number) => void): Promise<StudyIndex> {
    return this.#desk.openFolder(name, files, onFiles ?? (() => undefined))
  }

  async closeTaskFolder(): Promise<void> {
    await this.#desk.closeFolder()
  }

  async checkTaskFiles(files: readonly TaskFile[]): Promise<StudyIndex> {
    return this.#desk.check(files)
  }

  async explainTask(files: readonly TaskFile[], name: string, leaf: string | null, numFewshot: number | null): Promise<TaskStory> {
    return this.#desk.explain(files, name, leaf, numFewshot)
  }

  async viewDoc(request: DocRequest): Promise<DocView | null> {
    return this.#usingFiles(() => this.#desk.view(request))
  }

  async filesBehindTasks(names: readonly string[], files: readonly TaskFile[], withBundled = false): Promise<readonly TaskFile[]> {
    return this.#desk.filesBehind(names, files, withBundled)
  }

  async readRunConfig(file: TaskFile): Promise<RunConfig | null> {
    return this.#desk.readConfig(file)
  }

  async restTaskDesk(): Promise<void> {
    this.#desk.rest()
  }

  async previewPrompts(settings: RunSettings, docs: number): Promise<readonly PromptPreview[]> {
    const checkedSettings = checkSettings(settings)
    const preview = async (text: TextWorkerApi): Promise<readonly PromptPreview[]> => {
      const { signal } = new AbortController()
      await this.#loadTasks(text, checkedSettings.taskFiles, taskMetadata(checkedSettings))
      if (checkedSettings.applyChatTemplate !== false) {
        const model = await this.#resolveModel(checkedSettings, signal)
        await text.loadTokenizer(model.tokenizerFiles, checkedSettings.modelArgs)
      }
      const decoder = dataWorker(this.#options.startDataWorker)
      try {
        const data = await this.#dataSource(decoder)
        const previews: PromptPreview[] = []
        for (const leaf of await text.resolve(checkedSettings.tasks, checkedSettings.numFewshot)) {
          const maxRows = rowsForPreview(leaf, checkedSettings, docs)
          const { tables } = await data.load(leaf.dataset, leaf.splits, checkedSettings, () => undefined, signal, maxRows)
          previews.push(...(await text.preview(leaf.name, tables, checkedSettings, docs)))
        }
        return previews
      } finally {
        decoder.close()
      }
    }
    return this.#usingFiles(() => this.#withText(preview))
  }

  async scanData(address: string, format: RowsRequest['format']): Promise<DataScan> {
    const decoder = dataWorker(this.#options.startDataWorker)
    const startMs = performance.now()
    try {
      const file = addressFile(address, address, (wanted, init) => fetch(wanted, init))
      const counts = await decoder.scanRows({ format, options: {}, files: [file] })
      return { ...counts, ...(await file.facts()), milliseconds: performance.now() - startMs }
    } finally {
      decoder.close()
    }
  }

  async describeModel(id: string, revision: string): Promise<ModelDescription> {
    const { signal } = new AbortController()
    return this.#usingFiles(async () => {
      const repo = await (await this.#openHubs()).openModel(id, revision, signal)
      return (await describeModel(repo, await this.#surroundings('auto', id), signal)).description
    })
  }

  async makeClusterFolder(settings: RunSettings, parallelism: Parallelism): Promise<ClusterFolder> {
    const checked = checkSettings(settings)
    const hubs = await this.#openHubs()
    const { signal } = new AbortController()
    const decoder = dataWorker(this.#options.startDataWorker)
    const make = async (text: TextWorkerApi): Promise<ClusterFolder> =>
      makeClusterFolder(checked, parallelism, {
        text,
        decoder,
        data: await this.#dataSource(decoder),
        bundledTasks: () => this.#bundledTasks(),
        isHere: ({ path }) => localLoaders.includes(path) || hubs.isBundled('dataset', path),
        openModel: async () => {
          const repo = await hubs.openModel(checked.model, checked.revision, signal)
          const resolved = await resolveModel(repo, await this.#surroundings('wasm', checked.model), signal)
          const place = hubs.isBundled('model', checked.model) ? 'bundled' : hubs.isModelHere(checked.model) ? 'own' : 'hub'
          return { repo, resolved, place }
        },
        signal,
      })
    try {
      return await this.#usingFiles(() => this.#withText(make))
    } finally {
      decoder.close()
    }
  }

  async readHubFile({ kind, id, revision, path }: HubFileRequest, limitBytes: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#usingFiles(async () => {
      const hub = (await this.#openHubs()).hubOf(kind, id)
      const { commit, files } = await hub.snapshot(kind, id, revision)
      const file = files.find((one) => one.path === path)
      if (file === undefined) throw new EvalError('hub/not-found', `${kind} '${id}' at revision '${revision}' has no file '${path}'.`)
      if (file.bytes > limitBytes)
        throw new EvalError('results/invalid', `'${path}' of ${kind} '${id}' is larger than any result: ${file.bytes} bytes.`)
      return hub.fetchFile(kind, id, commit, file)
    })
  }

  async searchModels(query: { readonly text: string; readonly limit: number }): Promise<readonly ModelHit[]> {
    this.#search.abort()
    this.#search = new AbortController()
    const { signal } = this.#search
    return toModelHits(await (await this.#openHubs()).search(query, signal))
  }

  async listRuns(): Promise<readonly RunRow[]> {
    const runs = await (await this.#openStore()).listRuns()
    // A run that says it is running while nobody holds its lock was cut off.
    const states = await Promise.all(runs.map(async (row) => row.status !== 'running' || (await isLockHeld(runLockName(row.runId)))))
    return runs.map((row, index) => (states[index] === true ? row : { ...row, status: 'interrupted' }))
  }

  async resultsOf(runId: string): Promise<Omit<RunResults, 'samples'> | null> {
    return (await this.#openStore()).loadResults(runId)
  }

  async samplesOf(runId: string, task: string, page: { readonly offset: number; readonly count: number }): Promise<SamplePage> {
    const { total, samples } = await (await this.#openStore()).samplesOf(runId, task, page)
    return { task, offset: page.offset, total, samples }
  }

  async comparedSamplesOf(
    runId: string,
    task: string,
    page: { readonly offset: number; readonly count: number },
  ): Promise<{ readonly total: number; readonly samples: readonly ComparedSample[] }> {
    const { total, samples } = await (await this.#openStore()).samplesOf(runId, task, page)
    return { total, samples: samples.map(comparedSample) }
  }

  async docIndexesOf(runId: string): Promise<readonly DocIndex[]> {
    // What is searched may have been made anew since.
    this.#searched = null
    return (await this.#openStore()).docIndexesOf(runId)
  }

  async searchDocs(runId: string, searched: string): Promise<readonly Uint8Array[]> {
    if (this.#searched?.runId !== runId) this.#searched = { runId, texts: (await this.#openStore()).searchTextsOf(runId) }
    const texts = await this.#searched.texts.catch((error: unknown) => {
      this.#searched = null
      throw error
    })
    return texts.map((one) => searchTexts(one, searched))
  }

  async promptTokens(request: PromptRequest): Promise<PromptTokens | null> {
    return this.#usingFiles(() => this.#desk.promptTokens(request))
  }

  async deleteRun(runId: string): Promise<void> {
    if (await isLockHeld(runLockName(runId))) throw busyElsewhere(runId)
    await (await this.#openStore()).deleteRun(runId)
  }

  async eraseAll(): Promise<void> {
    const [working] = await heldRunIds()
    if (working !== undefined) throw busyElsewhere(working)
    await (await this.#openStore()).eraseAll()
    await (await this.#openFiles())?.clear()
  }

  async storageReport(): Promise<StorageReport> {
    return reportStorage(await this.#openStore(), await this.#openFiles())
  }

  async exportFiles(
    files: readonly ExportedFile[],
    folder: FileSystemDirectoryHandle,
    onBytes: (loaded: number, total: number) => void,
  ): Promise<void> {
    const store = await this.#openFiles()
    if (store === null) throw new EvalError('storage/unavailable', 'This browser keeps no files, so there is nothing to write.')
    await exportFiles(files, folder, store, onBytes)
  }

  async deleteFiles(keys: readonly string[]): Promise<void> {
    await deleteFiles(keys, await this.#openFiles(), this.#locks)
  }

  async verifyFiles(keys: readonly string[]): Promise<readonly FileVerdict[]> {
    return verifyFiles(keys, await this.#openFiles())
  }

  async #run(first: Attempt, onEvent: (event: RunEvent) => void, takesOver: boolean): Promise<{ runId: string; error: WireError | null }> {
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
      const store = await this.#openStore()
      this.#onEvent = emit
      const trouble = troubleOf(this.#keeping)
      if (trouble !== null) emit({ type: 'warning', message: trouble })
      await this.#usingFiles(() =>
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
      this.#onEvent = null
      this.#current = null
      becomeIdle()
    }
  }

  /** One straight run with workers of its own. */
  async #attempt(
    { settings, resumeOf, leftOut }: Attempt,
    emit: (event: RunEvent) => void,
    { abort, takesOver }: { readonly abort: AbortController; readonly takesOver: boolean },
  ): Promise<void> {
    const { signal } = abort
    const text = this.#options.startTextWorker()
    const opener = workerOpener({
      startModelWorker: this.#options.startModelWorker,
      appBuild: this.#options.app.build,
      emit,
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
        store: await this.#openStore(),
        models: { resolve: (wanted, stop) => this.#resolveModel(wanted, stop) },
        data: await this.#dataSource(decoder),
        opener,
        bundledTasks: () => this.#bundledTasks(),
        keysOf: async (basis, items, repeat) => (await keyMakerOf(basis, repeat))(items),
        exclusively: (runId, body) => holdRunLock(runId, body, takesOver, (reason) => abort.abort(reason)),
        emit,
        signal,
        app: this.#options.app,
        now: () => new Date(),
        clock: () => performance.now(),
        newRunId: () => crypto.randomUUID(),
      }
      await evaluate(settings, evaluation, resumeOf, leftOut)
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
  }

  async #withText<T>(use: (text: TextWorkerApi) => Promise<T>): Promise<T> {
    const handle = this.#options.startTextWorker()
    try {
      return await use(withDeadlines(handle))
    } finally {
      handle.terminate()
    }
  }

  async #loadTasks(text: TextWorkerApi, given: readonly TaskFile[], metadata: RunSettings['metadata']): Promise<TaskIndex> {
    const roots = [await this.#bundledTasks(), { name: 'given', files: given }]
    return text.loadTasks(roots, metadata)
  }

  async #loadRows(leaf: TaskStory['leaf'], dataFiles: RunSettings['dataFiles'], maxRows: number | null) {
    const decoder = dataWorker(this.#options.startDataWorker)
    try {
      const data = await this.#dataSource(decoder)
      const { signal } = new AbortController()
      return (await data.load(leaf.dataset, leaf.splits, { dataFiles }, () => undefined, signal, maxRows)).tables
    } finally {
      decoder.close()
    }
  }

  #bundledTasks(): Promise<TaskRoot> {
    this.#bundled ??= fetchBundledTasks(this.#options.pageBase)
    // A failed start may succeed next time.
    this.#bundled.catch(() => (this.#bundled = null))
    return this.#bundled
  }

  async #resolveModel(settings: RunSettings, signal: AbortSignal) {
    const repo = await (await this.#openHubs()).openModel(settings.model, settings.revision, signal)
    return resolveModel(repo, await this.#surroundings(settings.device, settings.model), signal)
  }

  async #surroundings(device: RunSettings['device'], model: string): Promise<Surroundings> {
    const { quota, usage } = await navigator.storage.estimate().catch(() => ({ quota: undefined, usage: undefined }))
    // A folder's files stay where they are.
    const isStored = folderNameOf(model) === null
    const storageBytes = !isStored || quota === undefined || usage === undefined ? null : quota - usage
    if (device === 'wasm') return { device, adapter: null, storageBytes }
    const worker = this.#options.startModelWorker()
    try {
      return { device, adapter: await worker.api.describeAdapter(), storageBytes }
    } finally {
      worker.terminate()
    }
  }

  async #dataSource(decoder: DataWorker): Promise<DataSource> {
    const hubs = await this.#openHubs()
    return {
      load: async (dataset, splits, settings, onBytes, signal, maxRows = null) => {
        const store = await this.#openStore()
        const loaded = await loadSplits(dataset, splits, {
          hubOf: (kind, id) => hubs.hubOf(kind, id),
          fetch: async (address, init) => {
            const own = this.#local.fileAt(address) ?? (await judgedRows(address, store))
            return own === null ? fetch(address, init) : new Response(own)
          },
          dataFiles: settings.dataFiles,
          onBytes,
          signal,
          decode: (request) => decoder.decode(request),
          maxRows,
        })
        return (await areRestricted(settings.dataFiles, store)) ? { ...loaded, origin: { ...loaded.origin, isRestricted: true } } : loaded
      },
    }
  }

  #openHubs(): Promise<Hubs> {
    this.#hubs ??= this.#openFiles().then((store) =>
      openHubs(new URL('hub', this.#options.pageBase).href, this.#access, this.#local, {
        store,
        locks: this.#locks,
        uses: this.#uses,
        notify: (notice) => this.#onEvent?.(notice),
      }),
    )
    // A failed start may succeed next time.
    this.#hubs.catch(() => (this.#hubs = null))
    return this.#hubs
  }

  /** Runs `body`; the downloaded files that it uses can't be deleted meanwhile. */
  async #usingFiles<T>(body: () => Promise<T>): Promise<T> {
    this.#users += 1
    try {
      return await body()
    } finally {
      this.#users -= 1
      if (this.#users === 0) this.#uses.release()
    }
  }

  #openFiles(): Promise<FileStore | null> {
    this.#files ??= openFileStore()
    return this.#files
  }

  #openStore(): Promise<Store> {
    if (this.#store !== null) return this.#store
    const hooks = {
      whenIdle: () => this.#idle,
      onOutdated: (reason: EvalError) => {
        this.#setKeeping('refused', reason)
      },
      onDataLoss: (reason: EvalError) => {
        this.#setKeeping('kept', reason)
      },
    }
    this.#setKeeping('kept', null)
    const opening = openSurvivingStore(
      () => this.#options.openStore(hooks),
      (reason) => {
        this.#setKeeping('memory', reason)
      },
    )
    this.#store = opening
    opening.catch((error: unknown) => {
      this.#store = null
      this.#setKeeping('refused', toEvalError(error))
    })
    return opening
  }

  #setKeeping(state: Keeping['state'], error: EvalError | null): void {
    this.#keeping = { state, error: error === null ? null : toWire(error) }
    this.#onKeeping(this.#keeping)
  }
}

/**
 * Runs `body` as the only one that works on the run, in any tab. Throws `run/busy` when another does, unless it `takesOver`: then the other
 * one loses the run, and hears of it by `onLost` there.
 */
async function holdRunLock<T>(runId: string, body: () => Promise<T>, takesOver: boolean, onLost: (reason: EvalError) => void): Promise<T> {
  const lose = (): void => {
    onLost(new EvalError('storage/fenced', 'Another tab or window has taken this run over; it goes on there.'))
  }
  if (takesOver) return stealLock(runLockName(runId), body, lose)
  const outcome = await tryLock(runLockName(runId), body, lose)
  if (outcome.held) throw busyElsewhere(runId)
  return outcome.value
}

function busyElsewhere(runId: string): EvalError {
  return new EvalError('run/busy', `Run ${runId} is going on in another tab or window.`, { details: { runId } })
}

/** How many rows of each split the first `docs` prompts need; null = all. */
function rowsForPreview({ name, needsAllRows }: LeafTask, { limit, samples }: RunSettings, docs: number): number | null {
  if (needsAllRows || samples?.[name] !== undefined) return null
  return Math.max(1, limit === null || limit < 1 ? docs : Math.min(limit, docs))
}

/** Loaders over the user's own files. */
const localLoaders: readonly string[] = ['json', 'csv', 'parquet', 'text']

/** What a run's user must know of the store, for those who see no banner: the command line. */
function troubleOf({ state, error }: Keeping): string | null {
  if (state === 'memory') return `This run is kept in memory only and can't be resumed. ${error?.message ?? ''}`
  return error?.message ?? null
}

/** The reference path runs every item alone, so an answer doesn't depend on its batch. */
const batchClass = '1'

function keyMakerOf({ model, engine }: KeyBasis, repeat: string | null): Promise<KeyMaker> {
  const { adapter } = engine
  return createKeyMaker({
    modelId: model.id,
    commit: model.commit,
    modelFiles: model.files,
    dtype: engine.dtype,
    device: engine.device,
    adapter: adapter === null ? '' : [adapter.vendor, adapter.architecture, adapter.description].join('/'),
    engine: engine.engine,
    numericClass: engine.numericClass,
    scoring: engine.scoring,
    chunkTokens: engine.chunkTokens,
    batchClass,
    repeat,
  })
}
