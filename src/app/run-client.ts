/** The page's only way to the run worker. Pages and state know the interface; `createRunClient` is the real one, tests bring another. */
import runWorkerUrl from '../../workers/run.worker.ts?worker&url'
import type { Parallelism } from '../analysis/cluster/commands.ts'
import type { DocIndex } from '../analysis/viewer/doc-index.ts'
import { append } from '../base/arrays.ts'
import { EvalError, toEvalError, toWire } from '../base/errors.ts'
import type { HubAccess } from '../contracts/hub-access.ts'
import type { DataScan, FileVerdict, StorageReport } from '../contracts/kept-files.ts'
import type { ModelDescription, ModelHit } from '../contracts/models.ts'
import type { RunEvent } from '../contracts/progress.ts'
import type { PromptPreview } from '../contracts/requests.ts'
import type { RunResults } from '../contracts/results.ts'
import type { RunSettings, TaskFile } from '../contracts/run-settings.ts'
import type { RunRow } from '../contracts/runs.ts'
import type {
  ClusterFolder,
  DocRequest,
  HubFileRequest,
  Keeping,
  LocalFile,
  PromptRequest,
  RunWorkerApi,
  SamplePage,
  TokenCheck,
} from '../rpc/apis.ts'
import type { WorkerHandle } from '../rpc/handle.ts'
import { listenToRun } from '../rpc/run-channel.ts'
import type { DocView, PromptTokens, StudyIndex, TaskStory } from '../rpc/task-study-api.ts'
import type { TaskIndex } from '../rpc/text-api.ts'
import type { RunConfig } from '../settings/run-config.ts'
import { readEmbeddedModels, type EmbeddedModel } from './setup/embedded.ts'
import type { SuggestedModel } from './setup/suggested-models.ts'

/** Results without samples, which come by the page. */
export type RunSummary = Omit<RunResults, 'samples'>

export type OnRunEvent = (event: RunEvent) => void

export interface RunClient {
  /** How the Hub is reached from now on: another address, a token, models on our own origin. Kept in the worker's memory only. */
  configure(access: HubAccess): Promise<void>
  /** Hands a Hub token over, or takes it back with null. The page keeps no copy: a worker that dies takes the token with it. */
  useToken(token: string | null, options: { readonly check: boolean }): Promise<TokenCheck>
  /** Starts no worker to find out. */
  hasToken(): Promise<boolean>
  /** Every task that can be asked for, `files` included; a file that can't be read is a problem, not an error. */
  listTasks(files: readonly TaskFile[]): Promise<TaskIndex>
  /**
   * Makes the task files of a folder ones that can be asked for by name (`--include_path`), in place of the folder before. Reading and
   * indexing happen in the workers; `onFiles` hears of the reading.
   */
  openTaskFolder(name: string, files: readonly LocalFile[], onFiles: (read: number, total: number) => void): Promise<StudyIndex>
  closeTaskFolder(): Promise<void>
  /** What task files define, where they are wrong, and how a task of theirs comes out; see `RunWorkerApi`. */
  checkTaskFiles(files: readonly TaskFile[]): Promise<StudyIndex>
  explainTask(files: readonly TaskFile[], name: string, leaf: string | null, numFewshot: number | null): Promise<TaskStory>
  viewDoc(request: DocRequest): Promise<DocView | null>
  filesBehindTasks(names: readonly string[], files: readonly TaskFile[], withBundled?: boolean): Promise<readonly TaskFile[]>
  /** Null when the file is no configuration of a run. */
  readRunConfig(file: TaskFile): Promise<RunConfig | null>
  restTaskDesk(): Promise<void>
  /** The models under `hub/`, the default first. Reads one small file; starts no worker. */
  listModels(): Promise<readonly EmbeddedModel[]>
  /** Small models of the Hub to begin with. Reads one small file of our own; asks nothing of the Hub. */
  listSuggestedModels(): Promise<readonly SuggestedModel[]>
  describeModel(id: string, revision: string): Promise<ModelDescription>
  /** Branches and tags of a model, asked of its Hub; see `RunWorkerApi`. */
  listRefs: RunWorkerApi['listRefs']
  /** A folder for lm_eval on a cluster; see `RunWorkerApi`. */
  makeClusterFolder(settings: RunSettings, parallelism: Parallelism): Promise<ClusterFolder>
  /** A file of a repository on the Hub that the user named; see `RunWorkerApi`. */
  readHubFile(file: HubFileRequest, limitBytes: number): Promise<Uint8Array<ArrayBuffer>>
  /** Models of the Hub whose id contains the text, most downloaded first; gives up the search before it. */
  searchModels(query: { readonly text: string; readonly limit: number }): Promise<readonly ModelHit[]>
  /**
   * Makes the model in a folder of the user's own one that runs can name, and gives the id for `RunSettings.model`. Every file is hashed;
   * `onBytes` hears how far that is. The client hands the folder over again when the worker had to be replaced.
   */
  openModelFolder(name: string, files: readonly LocalFile[], onBytes: (loaded: number, total: number) => void): Promise<string>
  /** Hands data files over; `given:` + path in `RunSettings.dataFiles` then means the file of that path. Kept as folders are. */
  openDataFiles(files: readonly LocalFile[]): Promise<void>
  /** Resolves with the run's id once it is stored; events go on until `done`. Rejects when the run fails before that. */
  start(settings: RunSettings, onEvent: OnRunEvent): Promise<string>
  /**
   * Goes on with an interrupted run; resolves once it is taken up again, events go on until `done`. A run that another tab works on is
   * `run/busy`, unless this one `takesOver`.
   */
  resume(runId: string, onEvent: OnRunEvent, takesOver?: boolean): Promise<void>
  /** The queue of runs; see `RunWorkerApi`. */
  readQueue: RunWorkerApi['readQueue']
  addToQueue: RunWorkerApi['addToQueue']
  dropFromQueue: RunWorkerApi['dropFromQueue']
  takeQueue: RunWorkerApi['takeQueue']
  leaveQueue: RunWorkerApi['leaveQueue']
  /** Runs an entry of the queue that this tab has taken; otherwise as `start`. */
  runQueued(place: number, onEvent: OnRunEvent): Promise<string>
  /** Hears what another tab tells of a run that it works on, from now on; gives the function that ends it. */
  listen(runId: string, onEvent: OnRunEvent): () => void
  /** Hears whether what is computed here is kept, now and whenever that changes. */
  watchKeeping(onChange: (keeping: Keeping) => void): Promise<void>
  /** Makes what is kept durable now; for when the page is hidden. */
  checkpoint(): Promise<void>
  /** Stops the run that is going on; with null one that has no id yet. The answers it has are kept. */
  stop(runId: string | null): Promise<void>
  preview(settings: RunSettings, docs: number): Promise<readonly PromptPreview[]>
  /** Newest first. */
  listRuns(): Promise<readonly RunRow[]>
  /** Null while the run has none. */
  loadResults(runId: string): Promise<RunSummary | null>
  samplesOf(runId: string, task: string, page: { readonly offset: number; readonly count: number }): Promise<SamplePage>
  /** As `RunWorkerApi` has them. */
  comparedSamplesOf: RunWorkerApi['comparedSamplesOf']
  docIndexesOf(runId: string): Promise<readonly DocIndex[]>
  searchDocs(runId: string, searched: string): Promise<readonly Uint8Array[]>
  promptTokens(request: PromptRequest): Promise<PromptTokens | null>
  /** The text of samples_<task>.jsonl. */
  sampleFile(runId: string, task: string): Promise<string>
  deleteRun(runId: string): Promise<void>
  eraseAll(): Promise<void>
  /** Runs, answers and downloaded files that this browser keeps, and its room. */
  /** Reads all rows of a data file of our own origin and counts them, for the benchmark. */
  scanData(address: string, format: 'json' | 'csv' | 'parquet' | 'text'): Promise<DataScan>
  storageReport(): Promise<StorageReport>
  /** Removes downloaded files by their keys. Rejects with `run/busy` when one is in use, in any tab. */
  deleteFiles(keys: readonly string[]): Promise<void>
  /** Reads each file whole and compares it with its hash. */
  verifyFiles(keys: readonly string[]): Promise<readonly FileVerdict[]>
  /** Writes kept files into a folder that the user picked for writing. */
  exportFiles(
    files: readonly { readonly key: string; readonly path: string }[],
    folder: FileSystemDirectoryHandle,
    onBytes: (loaded: number, total: number) => void,
  ): Promise<void>
  /** Asks the browser not to evict what is kept; false when it refuses. */
  persist(): Promise<boolean>
}

/** Samples are fetched from the worker in parts of this many docs, so that no single message is large. */
const samplesPerPart = 500

/** The client over `workers/run.worker.ts`. The worker starts with the first call that needs it and is replaced when it has died. */
export function createRunClient(): RunClient {
  let worker: Promise<WorkerHandle<RunWorkerApi>> | null = null
  let access: HubAccess | null = null
  let onKeeping: ((keeping: Keeping) => void) | null = null
  const folders = new Map<string, readonly LocalFile[]>()
  const dataFiles = new Map<string, LocalFile>()
  let taskFolder: { readonly name: string; readonly files: readonly LocalFile[] } | null = null
  let hasAskedToPersist = false

  const connect = async (): Promise<WorkerHandle<RunWorkerApi>> => {
    if (worker !== null && !(await worker).isAlive()) worker = null
    worker ??= startRunWorker(async (handle) => {
      if (access !== null) await handle.api.configure(access)
      // Not awaited: a blocked database is told of in its own time.
      if (onKeeping !== null) handle.api.watchKeeping(await marked(onKeeping)).catch(() => undefined)
      if (dataFiles.size > 0) await handle.api.openDataFiles([...dataFiles.values()])
      // A folder that has gone (a stick taken out) fails the run that names it, not the worker's start.
      for (const [name, files] of folders) await handle.api.openModelFolder(name, files).catch(() => undefined)
      if (taskFolder !== null) await handle.api.openTaskFolder(taskFolder.name, taskFolder.files).catch(() => undefined)
    })
    return worker
  }
  const api = async () => (await connect()).api

  /** Runs `begin` until its first event that proves a stored run (or its end), and reports the worker's death as the run's end. */
  const follow = async (
    begin: (handle: WorkerHandle<RunWorkerApi>, onEvent: OnRunEvent) => Promise<unknown>,
    onEvent: OnRunEvent,
  ): Promise<string> => {
    const handle = await connect()
    return new Promise((resolve, reject) => {
      let runId: string | null = null
      let isDone = false
      const receive = (event: RunEvent): void => {
        if (isDone) return
        if (event.type === 'started') runId = event.runId
        if (event.type === 'done') isDone = true
        onEvent(event)
        if (runId !== null) resolve(runId)
        else if (event.type === 'done') settleEarly(event)
      }
      const settleEarly = (event: Extract<RunEvent, { type: 'done' }>): void => {
        if (event.error === null) resolve(event.runId)
        else reject(new EvalError(event.error.code, event.error.message, { details: event.error.details }))
      }
      const fail = (error: unknown): void => {
        const known = toEvalError(error)
        if (runId === null) reject(known)
        else
          receive({
            type: 'done',
            runId,
            status: known.code === 'worker/died' || known.code === 'run/stopped' ? 'interrupted' : 'failed',
            error: toWire(known),
          })
      }
      begin(handle, receive).catch(fail)
    })
  }

  const client: RunClient = {
    configure: async (next) => {
      // The token lives in the worker alone.
      access = { ...next, token: null }
      await (await api()).configure(next)
    },
    listTasks: async (files) => (await api()).listTasks(files),
    openTaskFolder: async (name, files, onFiles) => {
      const index = await (await api()).openTaskFolder(name, files, await marked(onFiles))
      taskFolder = { name, files }
      return index
    },
    closeTaskFolder: async () => {
      taskFolder = null
      await (await api()).closeTaskFolder()
    },
    checkTaskFiles: async (files) => (await api()).checkTaskFiles(files),
    explainTask: async (files, name, leaf, numFewshot) => (await api()).explainTask(files, name, leaf, numFewshot),
    viewDoc: async (request) => (await api()).viewDoc(request),
    filesBehindTasks: async (names, files, withBundled = false) => (await api()).filesBehindTasks(names, files, withBundled),
    readRunConfig: async (file) => (await api()).readRunConfig(file),
    restTaskDesk: async () => (await api()).restTaskDesk(),
    listModels: async () => readEmbeddedModels(await fetchJson('hub/embedded.json')),
    listSuggestedModels: async () => {
      const { readSuggestedModels } = await import('./setup/suggested-models.ts')
      return readSuggestedModels(await fetchJson('models.json'))
    },
    describeModel: async (id, revision) => (await api()).describeModel(id, revision),
    listRefs: async (id) => (await api()).listRefs(id),
    makeClusterFolder: async (settings, parallelism) => (await api()).makeClusterFolder(settings, parallelism),
    readHubFile: async (file, limitBytes) => (await api()).readHubFile(file, limitBytes),
    searchModels: async (query) => (await api()).searchModels(query),
    useToken: async (token, options) => (await api()).useToken(token, options),
    hasToken: async () => {
      const handle = await worker
      return handle?.isAlive() === true && handle.api.hasToken()
    },
    openModelFolder: async (name, files, onBytes) => {
      const id = await (await api()).openModelFolder(name, files, await marked(onBytes))
      folders.set(name, files)
      return id
    },
    openDataFiles: async (files) => {
      await (await api()).openDataFiles(files)
      for (const file of files) dataFiles.set(file.path, file)
    },
    start: (settings, onEvent) => {
      if (!hasAskedToPersist) {
        hasAskedToPersist = true
        // Browsers that ask the user may take long: the run doesn't wait, and goes on whatever the answer is.
        askToPersist().catch(() => undefined)
      }
      return follow(async (handle, receive) => handle.api.start(settings, await marked(receive)), onEvent)
    },
    resume: async (runId, onEvent, takesOver = false) => {
      await follow(async (handle, receive) => handle.api.resume(runId, await marked(receive), takesOver), onEvent)
    },
    readQueue: async () => (await api()).readQueue(),
    addToQueue: async (settings) => (await api()).addToQueue(settings),
    dropFromQueue: async (places) => (await api()).dropFromQueue(places),
    takeQueue: async () => (await api()).takeQueue(),
    leaveQueue: async () => (await api()).leaveQueue(),
    runQueued: (place, onEvent) => follow(async (handle, receive) => handle.api.runQueued(place, await marked(receive)), onEvent),
    listen: listenToRun,
    watchKeeping: async (onChange) => {
      onKeeping = onChange
      await (await api()).watchKeeping(await marked(onChange))
    },
    checkpoint: async () => (await api()).checkpoint(),
    stop: async (runId) => {
      // Before the run is stored there is nothing to keep, and a download has no other brake.
      if (runId === null) (await worker)?.terminate(new EvalError('run/stopped', 'Stopped before the run began.'))
      else await (await api()).stop()
    },
    preview: async (settings, docs) => (await api()).previewPrompts(settings, docs),
    listRuns: async () => (await api()).listRuns(),
    loadResults: async (runId) => (await api()).resultsOf(runId),
    samplesOf: async (runId, task, page) => (await api()).samplesOf(runId, task, page),
    comparedSamplesOf: async (runId, task, page) => (await api()).comparedSamplesOf(runId, task, page),
    docIndexesOf: async (runId) => (await api()).docIndexesOf(runId),
    searchDocs: async (runId, searched) => (await api()).searchDocs(runId, searched),
    promptTokens: async (request) => (await api()).promptTokens(request),
    sampleFile: async (runId, task) => {
      const lines: string[] = []
      for (let total = 1; lines.length < total;) {
        const part = await client.samplesOf(runId, task, { offset: lines.length, count: samplesPerPart })
        if (part.samples.length === 0) break
        append(
          lines,
          part.samples.map((sample) => `${sample.line}\n`),
        )
        total = part.total
      }
      return lines.join('')
    },
    deleteRun: async (runId) => (await api()).deleteRun(runId),
    eraseAll: async () => (await api()).eraseAll(),
    scanData: async (address, format) => (await api()).scanData(address, format),
    storageReport: async () => (await api()).storageReport(),
    deleteFiles: async (keys) => (await api()).deleteFiles(keys),
    verifyFiles: async (keys) => (await api()).verifyFiles(keys),
    exportFiles: async (files, folder, onBytes) => (await api()).exportFiles(files, folder, await marked(onBytes)),
    persist: askToPersist,
  }
  return client
}

/** Only the page may ask, no worker. False where the browser has no such promise to give. */
async function askToPersist(): Promise<boolean> {
  // Absent outside secure contexts, whatever the types say.
  const manager = navigator.storage as StorageManager | undefined
  return (await manager?.persist().catch(() => false)) ?? false
}

/** Loaded when first needed: the page shows itself before it knows how to talk to a worker. */
async function startRunWorker(prepare: (handle: WorkerHandle<RunWorkerApi>) => Promise<void>): Promise<WorkerHandle<RunWorkerApi>> {
  const { startWorker } = await import('../rpc/start-worker.ts')
  const handle = startWorker<RunWorkerApi>(new URL(runWorkerUrl, document.baseURI).href, { name: 'run' })
  await prepare(handle)
  return handle
}

async function marked<F extends (...args: never[]) => unknown>(run: F): Promise<F> {
  const { callback } = await import('../rpc/transfer.ts')
  return callback(run)
}

async function fetchJson(path: string): Promise<unknown> {
  const address = new URL(path, document.baseURI)
  const response = await fetch(address)
  if (!response.ok) throw new EvalError('hub/not-found', `wanted ${path}, found HTTP status ${response.status}`)
  const json: unknown = await response.json()
  return json
}
