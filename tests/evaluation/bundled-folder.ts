/** The exported folder of a run over the bundled Hub, made in Node by the code that the run worker has. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Parallelism } from '../../src/analysis/cluster/commands.ts'
import { readTaskFolder } from '../../src/cli/files/task-folder.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { loadSplits } from '../../src/data/dataset/dataset.ts'
import { createDownloader } from '../../src/data/download/downloader.ts'
import { hubClient } from '../../src/data/hub/hub.ts'
import { decodeHere } from '../../src/data/stream/decode-split.ts'
import { resolveModel } from '../../src/evaluation/model/model-source.ts'
import { makeClusterFolder, type ClusterSources } from '../../src/evaluation/service/cluster-folder.ts'
import type { ClusterFolder } from '../../src/rpc/run-worker-api.ts'
import { TextEngine } from '../../src/text-worker/text-engine.ts'
import { defaultSettings } from '../support/default-settings.ts'

/** The tasks over the bundled rows, under their paths in the app. */
const ownTasks = readTaskFolder('public/tasks/yardstick').map(({ path, text }) => ({ path: `yardstick/${path}`, text }))

const base = 'https://bundled.invalid/hub'

/** The files of `public/hub` under an address of their own. */
async function fetchBundled(address: RequestInfo | URL): Promise<Response> {
  const path = new URL(address instanceof Request ? address.url : address).pathname.slice('/hub/'.length)
  try {
    return new Response(readFileSync(join('public/hub', decodeURIComponent(path))))
  } catch {
    return new Response('no such file', { status: 404 })
  }
}

/** What a run over the bundled Hub needs, in Node: its settings, tasks, rows and the model's files. */
export async function bundledSources(
  change: Partial<RunSettings>,
): Promise<Omit<ClusterSources, 'text'> & { readonly settings: RunSettings }> {
  const settings: RunSettings = { ...defaultSettings, model: 'yardstick/pico', dtype: 'fp32', ...change }
  const hub = hubClient({ base, fetch: fetchBundled, downloader: createDownloader({ notify: () => undefined }) })
  const { signal } = new AbortController()
  return {
    settings,
    decoder: { decode: decodeHere },
    data: {
      load: (dataset, splits, { dataFiles }) =>
        loadSplits(dataset, splits, { hubOf: () => hub, fetch: fetchBundled, dataFiles, onBytes: () => undefined, signal }),
    },
    bundledTasks: () => Promise.resolve({ name: 'bundled', files: ownTasks }),
    isHere: async () => true,
    openModel: async () => {
      const snapshot = await hub.snapshot('model', settings.model, settings.revision, signal)
      const repo = {
        snapshot,
        fetch: (file: (typeof snapshot.files)[number]) => hub.fetchFile('model', settings.model, snapshot.commit, file),
        fetchBlob: (file: (typeof snapshot.files)[number]) => hub.fetchBlob('model', settings.model, snapshot.commit, file),
        readRange: (file: (typeof snapshot.files)[number], start: number, end: number) =>
          hub.readRange('model', settings.model, snapshot.commit, file, start, end),
        openOther: (id: string) => Promise.reject(new Error(`${id} was asked for`)),
      }
      const resolved = await resolveModel(
        repo,
        { format: settings.modelFormat ?? null, dtype: null },
        { device: 'wasm', adapter: null, storageBytes: null },
        signal,
      )
      return { repo, resolved, place: 'bundled' }
    },
    signal,
  }
}

/** The folder for these settings. */
export async function bundledFolder(
  change: Partial<RunSettings>,
  parallelism: Parallelism = { tensor: 1, data: 1 },
): Promise<ClusterFolder> {
  const { settings, ...sources } = await bundledSources(change)
  return makeClusterFolder(settings, parallelism, { ...sources, text: new TextEngine() })
}
