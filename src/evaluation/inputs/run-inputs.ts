/** Where a run's models, rows and task files come from: the Hub, this app's own files, the user's; and the workers that read them. */
import { folderNameOf } from '../../base/local-names.ts'
import type { HubAccess } from '../../contracts/hub-access.ts'
import type { RunEvent } from '../../contracts/progress.ts'
import type { DatasetReference } from '../../contracts/rows.ts'
import type { RunSettings, TaskFile } from '../../contracts/run-settings.ts'
import { loadSplits } from '../../data/dataset/dataset.ts'
import { openFileLocks } from '../../data/download/file-locks.ts'
import { openFileStore, type FileStore } from '../../data/download/file-store.ts'
import { createFileUses } from '../../data/download/file-uses.ts'
import type { TaskRoot } from '../../harness/tasks/task-files.ts'
import type { TaskDetails } from '../../rpc/task-preview-api.ts'
import type { TaskIndex, TextWorkerApi } from '../../rpc/text-api.ts'
import { measureOriginSpace } from '../../storage/origin-space.ts'
import type { Store } from '../../storage/store.ts'
import { resolveModel, type Surroundings } from '../model/model-source.ts'
import { adapterDeadlineMs } from '../model/open-deadline.ts'
import type { DataSource } from '../ports.ts'
import type { ServiceOptions } from '../service/service-options.ts'
import { withDeadlines } from '../text-worker.ts'
import { fetchBundledTasks } from './bundled-tasks.ts'
import { dataWorker, type DataWorker } from './data-worker.ts'
import { defaultAccess, openHubs, type Hubs } from './hubs.ts'
import { areRestricted, judgedRows } from './judged-rows.ts'
import { tidyFiles } from './kept-files.ts'
import { LocalInputs } from './local-inputs.ts'

export class RunInputs {
  readonly local = new LocalInputs()
  readonly locks = openFileLocks()
  /** Where the downloads of the run that is going on tell that they wait. */
  onEvent: ((event: RunEvent) => void) | null = null
  readonly #options: ServiceOptions
  readonly #openStore: () => Promise<Store>
  readonly #uses = createFileUses(this.locks)
  /** Who uses downloaded files now; with the last of them the files may be deleted. */
  #users = 0
  #access: HubAccess = defaultAccess
  #hubs: Promise<Hubs> | null = null
  #bundled: Promise<TaskRoot> | null = null
  #files: Promise<FileStore | null> | null = null

  constructor(options: ServiceOptions, openStore: () => Promise<Store>) {
    this.#options = options
    this.#openStore = openStore
  }

  get access(): HubAccess {
    return this.#access
  }

  set access(access: HubAccess) {
    this.#access = access
    this.#hubs = null
  }

  bundledTasks(): Promise<TaskRoot> {
    this.#bundled ??= fetchBundledTasks(this.#options.pageBase)
    // A failed start may succeed next time.
    this.#bundled.catch(() => (this.#bundled = null))
    return this.#bundled
  }

  /** The model that the settings name, and what stands for or against each dtype of it here. */
  async resolveModel(settings: RunSettings, signal: AbortSignal) {
    const repo = await (await this.openHubs()).openModel(settings.model, settings.revision, signal)
    const wanted = { format: settings.modelFormat ?? null, dtype: settings.dtype }
    return resolveModel(repo, wanted, await this.surroundings(settings.device, settings.model), signal)
  }

  /** What a dtype is chosen by, besides the model's files. */
  async surroundings(device: RunSettings['device'], model: string): Promise<Surroundings> {
    const { quotaBytes, usedBytes } = await measureOriginSpace()
    // A folder's files stay where they are.
    const isStored = folderNameOf(model) === null
    const storageBytes = !isStored || quotaBytes === null || usedBytes === null ? null : quotaBytes - usedBytes
    if (device === 'wasm') return { device, adapter: null, storageBytes }
    const worker = this.#options.startModelWorker()
    try {
      return { device, adapter: await worker.callWithDeadline(adapterDeadlineMs, (api) => api.describeAdapter()), storageBytes }
    } finally {
      worker.terminate()
    }
  }

  /** Whether a dataset's rows can be had without asking the Hub. */
  async isHere({ path }: Pick<DatasetReference, 'path'>): Promise<boolean> {
    return localLoaders.includes(path) || (await this.openHubs()).isBundled('dataset', path)
  }

  async dataSource(decoder: DataWorker): Promise<DataSource> {
    const hubs = await this.openHubs()
    return {
      load: async (dataset, splits, settings, onBytes, signal, maxRows = null) => {
        const store = await this.#openStore()
        const loaded = await loadSplits(dataset, splits, {
          hubOf: (kind, id) => hubs.hubOf(kind, id),
          fetch: async (address, init) => {
            const own = this.local.fileAt(address) ?? (await judgedRows(address, store))
            return own === null ? fetch(this.#servedAt(address), init) : new Response(own)
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

  #servedAt(address: string): string {
    const { named, at } = this.#access.localFiles ?? { named: null, at: '' }
    return named !== null && address.startsWith(named) ? at + address.slice(named.length) : address
  }

  openHubs(): Promise<Hubs> {
    this.#hubs ??= this.openFiles().then((store) =>
      openHubs(new URL('hub', this.#options.pageBase).href, this.#access, this.local, {
        store,
        locks: this.locks,
        uses: this.#uses,
        notify: (notice) => this.onEvent?.(notice),
      }),
    )
    // A failed start may succeed next time.
    this.#hubs.catch(() => (this.#hubs = null))
    return this.#hubs
  }

  /** Runs `body`; the downloaded files that it uses can't be deleted meanwhile. */
  async usingFiles<T>(body: () => Promise<T>): Promise<T> {
    this.#users += 1
    try {
      return await body()
    } finally {
      this.#users -= 1
      if (this.#users === 0) this.#uses.release()
    }
  }

  async #openTidied(): Promise<FileStore | null> {
    const store = await openFileStore()
    // Beside whatever wants the files: each is locked while it is looked at. What can't be tidied now is no worse than it was.
    if (store !== null) tidyFiles(store, this.locks).catch(() => undefined)
    return store
  }

  openFiles(): Promise<FileStore | null> {
    this.#files ??= this.#openTidied()
    return this.#files
  }

  /** Lets `use` ask a text worker of its own. */
  async withText<T>(use: (text: TextWorkerApi) => Promise<T>): Promise<T> {
    const handle = this.#options.startTextWorker()
    try {
      return await use(withDeadlines(handle))
    } finally {
      handle.terminate()
    }
  }

  /** Tells a text worker the bundled task files and the given ones. */
  async loadTasks(text: TextWorkerApi, given: readonly TaskFile[], metadata: RunSettings['metadata']): Promise<TaskIndex> {
    const roots = [await this.bundledTasks(), { name: 'given', files: given }]
    return text.loadTasks(roots, metadata)
  }

  /** Rows of the splits of a task, for a look at them. */
  async loadRows(leaf: TaskDetails['leaf'], dataFiles: RunSettings['dataFiles'], maxRows: number | null) {
    const { signal } = new AbortController()
    return this.withData(
      async (data) => (await data.load(leaf.dataset, leaf.splits, { dataFiles }, () => undefined, signal, maxRows)).tables,
    )
  }

  /** Lets `use` load rows with a data worker of its own. */
  async withData<T>(use: (data: DataSource, decoder: DataWorker) => Promise<T>): Promise<T> {
    const decoder = dataWorker(this.#options.startDataWorker)
    try {
      return await use(await this.dataSource(decoder), decoder)
    } finally {
      decoder.close()
    }
  }
}

/** Loaders over the user's own files. */
const localLoaders: readonly string[] = ['json', 'csv', 'parquet', 'text']
