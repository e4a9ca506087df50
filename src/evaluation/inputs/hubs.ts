/** Where models and datasets come from: folders of the user's, the bundled Hub, models on our own origin, or the Hub itself. */
import type { HubAccess } from '../../contracts/hub-access.ts'
import type { RepoFile } from '../../contracts/models.ts'
import { createDownloader } from '../../data/download/downloader.ts'
import type { FileLocks } from '../../data/download/file-locks.ts'
import type { FileStore } from '../../data/download/file-store.ts'
import type { FileUses } from '../../data/download/file-uses.ts'
import type { Notify } from '../../data/download/retry.ts'
import type { Fetch, Watched } from '../../data/hub/http.ts'
import { searchHub, type FoundModel, type SearchQuery } from '../../data/hub/hub-search.ts'
import { hubClient, type HubClient, type RepoKind } from '../../data/hub/hub.ts'
import { readBundledIds, routeHub, type BundledIds } from '../../data/hub/hubs.ts'
import type { ModelRepo } from '../model/model-source.ts'
import type { LocalInputs } from './local-inputs.ts'

export interface Hubs {
  /** The client that serves a repository. */
  hubOf(kind: RepoKind, id: string): HubClient
  /** True for what lies beside the page, so that nobody else is asked for it. */
  isBundled(kind: RepoKind, id: string): boolean
  /** True for a model of a folder, of our own origin, or beside the page: the Hub isn't asked for it. */
  isModelHere(model: string): boolean
  /** A model repository at a revision, by the name that the settings use. */
  openModel(model: string, revision: string, signal: AbortSignal): Promise<ModelRepo>
  /** Models of the remote Hub; the bundled one is listed in `embedded.json`. */
  search(query: SearchQuery, signal: AbortSignal): Promise<readonly FoundModel[]>
}

/** The Hub, unless the command line names another. */
export const defaultHubBase = 'https://huggingface.co'

/** How the Hub is reached when nobody says otherwise. */
export const defaultAccess: HubAccess = { base: null, token: null, localModels: {} }

/** What is kept of the remote Hub's files, and who hears what a download has to say. */
interface DownloadNeeds {
  readonly store: FileStore | null
  readonly locks: FileLocks
  readonly uses: FileUses
  readonly notify: Notify
}

/** `bundledBase` is the address of the folder `hub/` beside the page, without a slash at its end. Only the remote Hub's files are kept. */
export async function openHubs(bundledBase: string, access: HubAccess, own: LocalInputs, needs: DownloadNeeds): Promise<Hubs> {
  const fetchOnline: Fetch = (address, init) => fetch(address, init)
  const passing = createDownloader({ notify: needs.notify })
  const bundled = hubClient({ base: bundledBase, fetch: fetchOnline, downloader: passing })
  const base = access.base ?? defaultHubBase
  // Whoever gives a token together with another address has allowed that one (`--hub_token true`).
  const { token } = access
  const remote = hubClient({ base, fetch: fetchOnline, token, tokenOrigin: new URL(base).origin, downloader: createDownloader(needs) })
  const ids = await readIds(bundledBase)
  const hubOf = routeHub({ bundled, remote, ids })
  return {
    hubOf,
    isBundled: (kind, id) => (kind === 'model' ? ids.models : ids.datasets).has(id),
    isModelHere: (model) => own.hubOf(model) !== null || access.localModels[model] !== undefined || ids.models.has(model),
    search: (query, signal) => searchHub({ base, fetch: fetchOnline, token: access.token }, query, signal),
    async openModel(model, revision, signal) {
      const local = access.localModels[model]
      const served = local === undefined ? null : hubClient({ base: local.base, fetch: fetchOnline, downloader: passing })
      const hub = own.hubOf(model) ?? served ?? hubOf('model', model)
      return openRepo(hub, { id: local?.id ?? model, name: model, revision }, signal)
    },
  }
}

/** `name`: what the settings call it, where that isn't its id on this Hub. */
async function openRepo(
  hub: HubClient,
  { id, name, revision }: { readonly id: string; readonly name: string; readonly revision: string },
  signal: AbortSignal,
): Promise<ModelRepo> {
  const snapshot = await hub.snapshot('model', id, revision, signal)
  return {
    snapshot: { ...snapshot, id: name },
    fetch: (file, onBytes, abort) => hub.fetchFile('model', id, snapshot.commit, file, watch(file, onBytes, abort)),
    fetchBlob: (file, onBytes, abort) => hub.fetchBlob('model', id, snapshot.commit, file, watch(file, onBytes, abort)),
    readRange: (file, start, end, abort) => hub.readRange('model', id, snapshot.commit, file, start, end, { signal: abort }),
    openOther: (other, abort) => openRepo(hub, { id: other, name: other, revision: 'main' }, abort),
  }
}

function watch(file: RepoFile, onBytes: (path: string, loaded: number, total: number | null) => void, signal: AbortSignal): Watched {
  return {
    signal,
    onBytes: (loaded) => {
      onBytes(file.path, loaded, file.bytes)
    },
  }
}

/** A deployment may leave the bundled models out. */
async function readIds(bundledBase: string): Promise<BundledIds> {
  const response = await fetch(`${bundledBase}/embedded.json`)
  return response.ok ? readBundledIds(await response.json()) : { models: new Set(), datasets: new Set() }
}
