/** The page's only way to the run worker. Pages and state know the interface; `createRunClient` is the real one, tests bring another. */
import runWorkerUrl from '../../workers/run.worker.ts?worker&url'
import { append } from '../base/arrays.ts'
import { EvalError, toEvalError, toWire } from '../base/errors.ts'
import type { HubAccess } from '../contracts/hub-access.ts'
import type { RunEvent } from '../contracts/progress.ts'
import type { RunSettings } from '../contracts/run-settings.ts'
import type { Keeping, LocalFile, OnRunEvent, RunWorkerApi } from '../rpc/run-worker-api.ts'
import { bridge, marked } from '../rpc/bridge.ts'
import type { WorkerHandle } from '../rpc/handle.ts'
import { listenToRun } from '../rpc/run-channel.ts'
import { readEmbeddedModels, type EmbeddedModel } from './setup/embedded.ts'
import type { SuggestedModel } from './setup/suggested-models.ts'

/** What the page's client does itself, or otherwise than the run worker does under the same name. */
interface OwnMethods {
  /** Starts no worker to find out. */
  hasToken(): Promise<boolean>
  /** The models under `hub/`, the default first. Reads one small file; starts no worker. */
  listModels(): Promise<readonly EmbeddedModel[]>
  /** Small models of the Hub to begin with. Reads one small file of our own; asks nothing of the Hub. */
  listSuggestedModels(): Promise<readonly SuggestedModel[]>
  /** Resolves with the run's id once it is stored; events go on until `done`. Rejects when the run fails before that. */
  start(settings: RunSettings, onEvent: OnRunEvent): Promise<string>
  /** Resolves once the run is taken up again; events go on until `done`. A run that another tab works on is `run/busy`, unless this one `takesOver`. */
  resume(runId: string, onEvent: OnRunEvent, takesOver?: boolean): Promise<void>
  /** Runs an entry of the queue that this tab has taken; otherwise as `start`. */
  runQueued(place: number, onEvent: OnRunEvent): Promise<string>
  /** Hears what another tab tells of a run that it works on, from now on; gives the function that ends it. */
  listen(runId: string, onEvent: OnRunEvent): () => void
  /** Stops the run that is going on; with null one that has no id yet. The answers it has are kept. */
  stop(runId: string | null): Promise<void>
  /** The text of samples_<task>.jsonl. */
  sampleFile(runId: string, task: string): Promise<string>
  /** Asks the browser not to evict what is kept; false when it refuses. */
  persist(): Promise<boolean>
}

/** The run worker's methods as `RunWorkerApi` declares them, but for those above. */
export type RunClient = OwnMethods & Omit<RunWorkerApi, keyof OwnMethods>

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

  /** What a worker has to be told again when another takes its place. */
  const remembered: Pick<
    RunWorkerApi,
    'configure' | 'openTaskFolder' | 'closeTaskFolder' | 'openModelFolder' | 'openDataFiles' | 'watchKeeping'
  > = {
    configure: async (next) => {
      // The token lives in the worker alone.
      access = { ...next, token: null }
      await (await api()).configure(next)
    },
    openTaskFolder: async (name, files, onFiles) => {
      const index = await (await api()).openTaskFolder(name, files, await marked(onFiles))
      taskFolder = { name, files }
      return index
    },
    closeTaskFolder: async () => {
      taskFolder = null
      await (await api()).closeTaskFolder()
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
    watchKeeping: async (onChange) => {
      onKeeping = onChange
      await (await api()).watchKeeping(await marked(onChange))
    },
  }
  const own: OwnMethods = {
    hasToken: async () => {
      const handle = await worker
      return handle?.isAlive() === true && handle.api.hasToken()
    },
    listModels: async () => readEmbeddedModels(await fetchJson('hub/embedded.json')),
    listSuggestedModels: async () => {
      const { readSuggestedModels } = await import('./setup/suggested-models.ts')
      return readSuggestedModels(await fetchJson('models.json'))
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
    runQueued: (place, onEvent) => follow(async (handle, receive) => handle.api.runQueued(place, await marked(receive)), onEvent),
    listen: listenToRun,
    stop: async (runId) => {
      // Before the run is stored there is nothing to keep, and a download has no other brake.
      if (runId === null) (await worker)?.terminate(new EvalError('run/stopped', 'Stopped before the run began.'))
      else await (await api()).stop()
    },
    sampleFile: async (runId, task) => {
      const lines: string[] = []
      for (let total = 1; lines.length < total;) {
        const part = await (await api()).samplesOf(runId, task, { offset: lines.length, count: samplesPerPart })
        if (part.samples.length === 0) break
        append(
          lines,
          part.samples.map((sample) => `${sample.line}\n`),
        )
        total = part.total
      }
      return lines.join('')
    },
    persist: askToPersist,
  }
  return bridge<OwnMethods & typeof remembered, RunWorkerApi>({ ...own, ...remembered }, api)
}

/** Only the page may ask, no worker. False where the browser has no such promise to give. */
async function askToPersist(): Promise<boolean> {
  // Absent outside secure contexts, and in parts, whatever the types say.
  const manager = navigator.storage as Partial<StorageManager> | undefined
  return (await manager?.persist?.().catch(() => false)) ?? false
}

/** Loaded when first needed: the page shows itself before it knows how to talk to a worker. */
async function startRunWorker(prepare: (handle: WorkerHandle<RunWorkerApi>) => Promise<void>): Promise<WorkerHandle<RunWorkerApi>> {
  const { startWorker } = await import('../rpc/start-worker.ts')
  const handle = startWorker<RunWorkerApi>(new URL(runWorkerUrl, document.baseURI).href, { name: 'run' })
  await prepare(handle)
  return handle
}

async function fetchJson(path: string): Promise<unknown> {
  const address = new URL(path, document.baseURI)
  const response = await fetch(address)
  if (!response.ok) throw new EvalError('hub/not-found', `wanted ${path}, found HTTP status ${response.status}`)
  const json: unknown = await response.json()
  return json
}
