/** What the run worker offers to the page: one run at a time, listings, and what is kept. */
import type { Parallelism } from '../../analysis/cluster/commands.ts'
import { comparedSample, type ComparedSample } from '../../analysis/compare/compared-run.ts'
import { searchTexts } from '../../analysis/viewer/doc-filters.ts'
import type { DocIndex, SearchText } from '../../analysis/viewer/doc-index.ts'
import { EvalError, isEvalError, toEvalError, toWire } from '../../base/errors.ts'
import type { HubAccess } from '../../contracts/hub-access.ts'
import type { DataScan, FileVerdict, StorageReport } from '../../contracts/kept-files.ts'
import type { ModelDescription, ModelHit, ModelRefs } from '../../contracts/models.ts'
import type { RunEvent } from '../../contracts/progress.ts'
import type { PromptPreview } from '../../contracts/requests.ts'
import type { RunResults } from '../../contracts/results.ts'
import type { RunSettings, TaskFile } from '../../contracts/run-settings.ts'
import type { RunRow } from '../../contracts/runs.ts'
import { addressFile } from '../../data/hub/address-file.ts'
import { listRefs } from '../../data/hub/hub-refs.ts'
import type {
  ClusterFolder,
  DocRequest,
  HubFileRequest,
  LocalFile,
  Keeping,
  PromptRequest,
  QueueView,
  RunWorkerApi,
  SamplePage,
  TokenCheck,
} from '../../rpc/apis.ts'
import { checkSettings } from '../../rpc/checks.ts'
import type { RowsRequest } from '../../rpc/data-api.ts'
import { openRunChannel } from '../../rpc/run-channel.ts'
import type { DocView, PromptTokens, StudyIndex, TaskStory } from '../../rpc/task-study-api.ts'
import type { TaskIndex, TextWorkerApi } from '../../rpc/text-api.ts'
import type { RunConfig } from '../../settings/run-config.ts'
import { acquireLock, heldRunIds, isLockHeld, runLockName } from '../../storage/locks.ts'
import type { Store } from '../../storage/store.ts'
import { openSurvivingStore } from '../../storage/surviving-store.ts'
import { keyMakerOf } from '../answer-keys.ts'
import { evaluate } from '../evaluate.ts'
import { dataWorker } from '../inputs/data-worker.ts'
import { exportFiles, type ExportedFile } from '../inputs/export-files.ts'
import { checkToken, looksLikeToken } from '../inputs/hub-token.ts'
import { defaultHubBase } from '../inputs/hubs.ts'
import { deleteFiles, reportStorage, verifyFiles } from '../inputs/kept-files.ts'
import { RunInputs } from '../inputs/run-inputs.ts'
import { toModelHits } from '../model/model-search.ts'
import { describeModel, resolveModel } from '../model/model-source.ts'
import { workerOpener } from '../model/opener.ts'
import type { Attempt, Evaluation } from '../ports.ts'
import { withDeadlines } from '../text-worker.ts'
import { makeClusterFolder } from './cluster-folder.ts'
import { previewPrompts } from './preview-prompts.ts'
import { runWithRepairs } from './repairs.ts'
import { busyElsewhere, holdRunLock } from './run-lock.ts'
import { RunQueue, type RunOutcome } from './run-queue.ts'
import type { ServiceOptions } from './service-options.ts'
import { TaskDesk } from './task-desk.ts'

export class RunService implements RunWorkerApi {
  readonly #options: ServiceOptions
  readonly #inputs: RunInputs
  readonly #desk: TaskDesk
  readonly #queue: RunQueue
  #store: Promise<Store> | null = null
  #keeping: Keeping = { state: 'kept', error: null }
  #onKeeping: (keeping: Keeping) => void = () => undefined
  readonly #tell = openRunChannel()
  /** Resolves when no run is going on. */
  #idle: Promise<void> = Promise.resolve()
  /** The texts of the run whose docs were searched last, so that the next key stroke doesn't read them again. */
  #searched: { readonly runId: string; readonly texts: Promise<readonly SearchText[]> } | null = null
  #search = new AbortController()
  /** Ends the run that is going on, with the reason that it is told to have ended for. */
  #current: { end(reason: EvalError): void } | null = null

  constructor(options: ServiceOptions) {
    this.#options = options
    this.#inputs = new RunInputs(options, () => this.#openStore())
    this.#queue = new RunQueue({
      openStore: () => this.#openStore(),
      start: (settings, runId, onEvent) => this.#start(settings, onEvent, runId),
      resume: (row, onEvent) => this.#run({ settings: row.manifest.settings, resumeOf: row, leftOut: [] }, onEvent, false),
      newRunId: () => crypto.randomUUID(),
    })
    this.#desk = new TaskDesk({
      startTextWorker: () => options.startTextWorker(),
      bundledTasks: () => this.#inputs.bundledTasks(),
      isHere: (dataset) => this.#inputs.isHere(dataset),
      isModelHere: async (model) => (await this.#inputs.openHubs()).isModelHere(model),
      loadRows: (leaf, dataFiles, maxRows) => this.#inputs.loadRows(leaf, dataFiles, maxRows),
      loadTokenizer: async (model, revision) => {
        const { signal } = new AbortController()
        const repo = await (await this.#inputs.openHubs()).openModel(model, revision, signal)
        return (await resolveModel(repo, await this.#inputs.surroundings('wasm', model), signal)).tokenizerFiles
      },
    })
  }

  async configure(access: HubAccess): Promise<void> {
    this.#inputs.access = access
  }

  async useToken(token: string | null, { check }: { readonly check: boolean }): Promise<TokenCheck> {
    const verdict = await this.#judgeToken(token, check)
    if (verdict.verdict !== 'accepted' && verdict.verdict !== 'unchecked') return verdict
    this.#inputs.access = { ...this.#inputs.access, token }
    return verdict
  }

  async hasToken(): Promise<boolean> {
    return this.#inputs.access.token !== null
  }

  async #judgeToken(token: string | null, check: boolean): Promise<TokenCheck> {
    if (token === null) return { verdict: 'accepted', name: null }
    if (!looksLikeToken(token)) return { verdict: 'malformed', name: null }
    if (!check) return { verdict: 'unchecked', name: null }
    return checkToken((address, init) => fetch(address, init), this.#inputs.access.base ?? defaultHubBase, token)
  }

  async openModelFolder(name: string, files: readonly LocalFile[], onBytes?: (loaded: number, total: number) => void): Promise<string> {
    return this.#inputs.local.openFolder(name, files, onBytes === undefined ? {} : { onBytes })
  }

  async openDataFiles(files: readonly LocalFile[]): Promise<void> {
    this.#inputs.local.addFiles(files)
  }

  async start(settings: RunSettings, onEvent: (event: RunEvent) => void): Promise<RunOutcome> {
    return this.#start(settings, onEvent, null)
  }

  async #start(settings: RunSettings, onEvent: (event: RunEvent) => void, runId: string | null): Promise<RunOutcome> {
    return this.#run({ settings: checkSettings(settings), resumeOf: null, leftOut: [], runId }, onEvent, false)
  }

  async readQueue(): Promise<QueueView> {
    return this.#queue.read()
  }

  async addToQueue(settings: readonly RunSettings[]): Promise<readonly number[]> {
    return this.#queue.add(settings.map(checkSettings))
  }

  async dropFromQueue(places: readonly number[]): Promise<void> {
    await this.#queue.drop(places)
  }

  async takeQueue(): Promise<boolean> {
    return this.#queue.take()
  }

  async leaveQueue(): Promise<void> {
    this.#queue.leave()
  }

  async runQueued(place: number, onEvent: (event: RunEvent) => void): Promise<RunOutcome> {
    return this.#queue.run(place, onEvent)
  }

  async resume(runId: string, onEvent: (event: RunEvent) => void, takesOver = false): Promise<RunOutcome> {
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
    return this.#inputs.withText((text) => this.#inputs.loadTasks(text, taskFiles, {}))
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
    return this.#inputs.usingFiles(() => this.#desk.view(request))
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
    return this.#inputs.usingFiles(() => this.#inputs.withText((text) => previewPrompts(checkedSettings, docs, text, this.#inputs)))
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
    return this.#inputs.usingFiles(async () => {
      const repo = await (await this.#inputs.openHubs()).openModel(id, revision, signal)
      return (await describeModel(repo, await this.#inputs.surroundings('auto', id), signal)).description
    })
  }

  async listRefs(id: string): Promise<ModelRefs> {
    return this.#inputs.usingFiles(async () => listRefs((await this.#inputs.openHubs()).hubOf('model', id), id))
  }

  async makeClusterFolder(settings: RunSettings, parallelism: Parallelism): Promise<ClusterFolder> {
    const checked = checkSettings(settings)
    const hubs = await this.#inputs.openHubs()
    const { signal } = new AbortController()
    const make = (text: TextWorkerApi): Promise<ClusterFolder> =>
      this.#inputs.withData((data, decoder) =>
        makeClusterFolder(checked, parallelism, {
          text,
          decoder,
          data,
          bundledTasks: () => this.#inputs.bundledTasks(),
          isHere: (dataset) => this.#inputs.isHere(dataset),
          openModel: async () => {
            const repo = await hubs.openModel(checked.model, checked.revision, signal)
            const resolved = await resolveModel(repo, await this.#inputs.surroundings('wasm', checked.model), signal)
            const place = hubs.isBundled('model', checked.model) ? 'bundled' : hubs.isModelHere(checked.model) ? 'own' : 'hub'
            return { repo, resolved, place }
          },
          signal,
        }),
      )
    return this.#inputs.usingFiles(() => this.#inputs.withText(make))
  }

  async readHubFile({ kind, id, revision, path }: HubFileRequest, limitBytes: number): Promise<Uint8Array<ArrayBuffer>> {
    return this.#inputs.usingFiles(async () => {
      const hub = (await this.#inputs.openHubs()).hubOf(kind, id)
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
    return toModelHits(await (await this.#inputs.openHubs()).search(query, signal))
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
    return this.#inputs.usingFiles(() => this.#desk.promptTokens(request))
  }

  async deleteRun(runId: string): Promise<void> {
    if (await isLockHeld(runLockName(runId))) throw busyElsewhere(runId)
    await (await this.#openStore()).deleteRun(runId)
  }

  async eraseAll(): Promise<void> {
    const [working] = await heldRunIds()
    if (working !== undefined) throw busyElsewhere(working)
    await (await this.#openStore()).eraseAll()
    await (await this.#inputs.openFiles())?.clear()
  }

  async storageReport(): Promise<StorageReport> {
    return reportStorage(await this.#openStore(), await this.#inputs.openFiles())
  }

  async exportFiles(
    files: readonly ExportedFile[],
    folder: FileSystemDirectoryHandle,
    onBytes: (loaded: number, total: number) => void,
  ): Promise<void> {
    const store = await this.#inputs.openFiles()
    if (store === null) throw new EvalError('storage/unavailable', 'This browser keeps no files, so there is nothing to write.')
    await exportFiles(files, folder, store, onBytes)
  }

  async deleteFiles(keys: readonly string[]): Promise<void> {
    await deleteFiles(keys, await this.#inputs.openFiles(), this.#inputs.locks)
  }

  async verifyFiles(keys: readonly string[]): Promise<readonly FileVerdict[]> {
    return verifyFiles(keys, await this.#inputs.openFiles())
  }

  async #run(first: Attempt, onEvent: (event: RunEvent) => void, takesOver: boolean): Promise<RunOutcome> {
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
      this.#inputs.onEvent = emit
      const trouble = troubleOf(this.#keeping)
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
      this.#inputs.onEvent = null
      this.#current = null
      becomeIdle()
    }
  }

  /** One straight run with workers of its own. */
  async #attempt(
    { settings, resumeOf, leftOut, runId }: Attempt,
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
      await evaluate(settings, evaluation, resumeOf, leftOut)
    } finally {
      signal.removeEventListener('abort', end)
      end()
    }
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

/** What a run's user must know of the store, for those who see no banner: the command line. */
function troubleOf({ state, error }: Keeping): string | null {
  if (state === 'memory') return `This run is kept in memory only and can't be resumed. ${error?.message ?? ''}`
  return error?.message ?? null
}
