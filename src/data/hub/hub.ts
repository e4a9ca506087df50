/** A client for the Hugging Face Hub, or for folders that are laid out like its addresses (the bundled one, a local server). */
import { EvalError, isEvalError } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { RepoFile, RepoSnapshot } from '../../contracts/models.ts'
import { createDownloader, type Downloader } from '../download/downloader.ts'
import type { DownloadRequest } from '../download/open-file.ts'
import { withRetries } from '../download/retry.ts'
import { download, type Fetch, type ResourceLabel, type Watched } from './http.ts'
import { snapshotNotes } from './snapshot-notes.ts'

export type RepoKind = RepoSnapshot['kind']

interface HubOptions {
  /** Address without a slash at its end, such as `https://huggingface.co`. */
  readonly base: string
  readonly fetch: Fetch
  /** Sent to `tokenOrigin` and nowhere else, whatever `base` is. */
  readonly token?: string | null
  /** The Hub's own origin, unless the user allowed another one by name. */
  readonly tokenOrigin?: string
  /** Fetches, keeps and finds files; one that keeps nothing unless given. */
  readonly downloader?: Downloader
}

export interface HubClient {
  readonly base: string
  /**
   * The repository at `revision` (branch, tag or commit), resolved to a commit once, with all its files.
   * Throws `hub/not-found`, `hub/gated`, `hub/unauthorized`, `hub/rate-limited`, `hub/unreachable`, `hub/corrupt`.
   */
  snapshot(kind: RepoKind, id: string, revision: string, signal?: AbortSignal): Promise<RepoSnapshot>
  /** A file's content, from the store or the Hub, its length and hash checked. Throws as `snapshot`; `hub/corrupt` when a check fails. */
  fetchFile(kind: RepoKind, id: string, commit: string, file: RepoFile, watched?: Watched): Promise<Uint8Array<ArrayBuffer>>
  /** As `fetchFile`, for files of gigabytes: a Blob over what is kept, of which nothing stays in this worker's memory. */
  fetchBlob(kind: RepoKind, id: string, commit: string, file: RepoFile, watched?: Watched): Promise<Blob>
  /**
   * Bytes `start` (in) to `end` (out) of a file: exactly so many, or an error. Where files are kept, whole chunks are fetched and kept. A
   * file of one chunk is checked; of a larger one the content is checked only once all of it is here.
   */
  readRange(
    kind: RepoKind,
    id: string,
    commit: string,
    file: RepoFile,
    start: number,
    end: number,
    watched?: Watched,
  ): Promise<Uint8Array<ArrayBuffer>>
  /**
   * A file's content in order, in pieces of at most a chunk (8 MiB), each only good until the next one is asked for. Checked after the last piece: an
   * error there means that nothing of it may be used. Leaving the loop early stops the transfer; what came is kept.
   */
  streamFile(kind: RepoKind, id: string, commit: string, file: RepoFile, watched?: Watched): AsyncIterable<Uint8Array<ArrayBuffer>>
  /** The JSON at a path of this Hub, such as `/api/datasets/a/b/parquet`. Throws as `snapshot`. */
  readApi(path: string, wanted: ResourceLabel, signal?: AbortSignal): Promise<unknown>
}

const hubOrigin = 'https://huggingface.co'

export function hubClient({ base, fetch, token = null, tokenOrigin = hubOrigin, downloader = createDownloader() }: HubOptions): HubClient {
  const { waiter, clock } = downloader
  const notes = snapshotNotes(downloader.store, base)
  const headersFor = (address: string): { readonly [name: string]: string } =>
    token !== null && new URL(address).origin === tokenOrigin ? { Authorization: `Bearer ${token}` } : {}

  const getJson = async (
    address: string,
    wanted: ResourceLabel,
    { signal, tries }: Asking,
  ): Promise<{ readonly json: unknown; readonly next: string | null }> => {
    const { bytes, response } = await withRetries(
      () => download(fetch, address, headersFor(address), wanted, { clock, ...(signal === undefined ? {} : { signal }) }),
      { clock, waiter, host: new URL(address).host, signal, ...(tries === undefined ? {} : { tries }) },
    )
    try {
      const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
      return { json, next: nextPage(response.headers.get('Link'), address) }
    } catch (cause) {
      // Servers of single-page apps answer a web page for whatever they don't have.
      const isPage = isWebPage(response, bytes)
      const message = isPage
        ? `${address} answered a web page for ${wanted.what}. It is the address of no Hub, or this network wants a log-in first.`
        : `${address} answered no JSON for ${wanted.what}.`
      throw new EvalError(isPage ? 'hub/not-found' : 'hub/corrupt', message, { cause, details: { address } })
    }
  }

  const listTree = async (kind: RepoKind, id: string, commit: string, wanted: ResourceLabel, asking: Asking): Promise<RepoFile[]> => {
    const files: RepoFile[] = []
    let address: string | null = `${base}/api/${kind}s/${id}/tree/${commit}?recursive=true`
    while (address !== null) {
      const { json, next }: { readonly json: unknown; readonly next: string | null } = await getJson(address, wanted, asking)
      if (!Array.isArray(json)) throw new EvalError('hub/corrupt', `The file list of ${wanted.what} is no list.`)
      for (const entry of json) {
        const file = readTreeEntry(entry)
        if (file !== null) files.push(file)
      }
      address = next
    }
    return files
  }

  const askSnapshot = async (kind: RepoKind, id: string, revision: string, asking: Asking): Promise<RepoSnapshot> => {
    const wanted = { what: `${kind} '${id}' at revision '${revision}'`, page: pageOf(base, kind, id) }
    const { json } = await getJson(`${base}/api/${kind}s/${id}/revision/${encodeURIComponent(revision)}`, wanted, asking)
    const commit = isRecord(json) ? json['sha'] : undefined
    if (typeof commit !== 'string' || !/^[0-9a-f]{40}$/.test(commit))
      throw new EvalError('hub/corrupt', `The Hub names no commit for ${wanted.what}.`)
    // What a commit holds never changes.
    const known = await notes.readCommit(kind, id, commit)
    const files = known?.files ?? (await listTree(kind, id, commit, wanted, asking))
    const facts = { kind, id, requestedRevision: revision, commit, files, license: readLicense(json) }
    return isRestricted(json) ? { ...facts, isRestricted: true } : facts
  }

  const requestFor = (kind: RepoKind, id: string, commit: string, file: RepoFile): DownloadRequest => {
    const path = file.path.split('/').map(encodeURIComponent).join('/')
    const address = `${base}/${kind === 'dataset' ? 'datasets/' : ''}${id}/resolve/${commit}/${path}`
    const wanted = { what: `file '${file.path}' of ${kind} '${id}'`, page: pageOf(base, kind, id) }
    return { use: { kind, id, commit, path: file.path }, file, fetch, address, headers: headersFor(address), wanted }
  }

  return {
    base,
    readApi: async (path, wanted, signal) => {
      const last = await notes.readAnswer(path)
      try {
        const { json } = await getJson(base + path, wanted, { signal, ...(last === null ? {} : { tries: 2 }) })
        await notes.writeAnswer(path, JSON.stringify(json))
        return json
      } catch (error) {
        if (last === null || !isEvalError(error) || error.code !== 'hub/unreachable') throw error
        downloader.notify({ type: 'warning', message: `${error.message} What the Hub said of ${wanted.what} before is used.` })
        const json: unknown = JSON.parse(last)
        return json
      }
    },
    snapshot: async (kind, id, revision, signal) => {
      checkId(id)
      const pinned = isCommit(revision) ? await notes.readCommit(kind, id, revision) : null
      if (pinned !== null) return { ...pinned, requestedRevision: revision }
      const last = isCommit(revision) ? null : await notes.readRevision(kind, id, revision)
      try {
        // With an answer of before at hand, a network that is down is found out quickly.
        const snapshot = await askSnapshot(kind, id, revision, { signal, ...(last === null ? {} : { tries: 2 }) })
        await notes.write(snapshot)
        return snapshot
      } catch (error) {
        if (last === null || !isEvalError(error) || error.code !== 'hub/unreachable') throw error
        const message = `${error.message} ${kind} '${id}' is used as '${revision}' was when it was last seen here, at commit ${last.commit.slice(0, 12)}.`
        downloader.notify({ type: 'warning', message })
        return last
      }
    },
    fetchFile: (kind, id, commit, file, watched) => downloader.fetchFile(requestFor(kind, id, commit, file), watched),
    fetchBlob: (kind, id, commit, file, watched) => downloader.fetchBlob(requestFor(kind, id, commit, file), watched),
    streamFile: (kind, id, commit, file, watched) => downloader.streamFile(requestFor(kind, id, commit, file), watched),
    readRange: (kind, id, commit, file, start, end, watched) =>
      downloader.readRange(requestFor(kind, id, commit, file), start, end, watched),
  }
}

interface Asking {
  readonly signal?: AbortSignal | undefined
  readonly tries?: number
}

function isCommit(revision: string): boolean {
  return /^[0-9a-f]{40}$/.test(revision)
}

function pageOf(base: string, kind: RepoKind, id: string): string {
  return `${base}/${kind === 'dataset' ? 'datasets/' : ''}${id}`
}

/** Throws `hub/not-found` for what is no id: ids come from task files and links, and nothing else may get into an address. */
export function checkId(id: string): void {
  if (/^[\w.-]+(\/[\w.-]+)?$/.test(id) && !id.split('/').some((part) => /^\.+$/.test(part))) return
  throw new EvalError('hub/not-found', `'${id}' is no name of a repository: wanted 'owner/name'.`, { details: { id } })
}

function readTreeEntry(entry: unknown): RepoFile | null {
  if (!isRecord(entry) || entry['type'] !== 'file') return null
  const { path, size, oid, lfs } = entry
  if (typeof path !== 'string' || typeof size !== 'number')
    throw new EvalError('hub/corrupt', `A file in the Hub's list has no path or size: ${JSON.stringify(entry).slice(0, 200)}`)
  const sha256 = isRecord(lfs) && typeof lfs['oid'] === 'string' ? lfs['oid'] : null
  // The git name of a large file is its pointer's, not its content's.
  return { path, bytes: size, oid: sha256 === null && typeof oid === 'string' ? oid : null, sha256 }
}

function readLicense(info: unknown): string | null {
  if (!isRecord(info)) return null
  const card = isRecord(info['cardData']) ? info['cardData']['license'] : null
  if (typeof card === 'string') return card
  const tags: readonly unknown[] = Array.isArray(info['tags']) ? info['tags'] : []
  const tag = tags.find((one): one is string => typeof one === 'string' && one.startsWith('license:'))
  return tag === undefined ? null : tag.slice('license:'.length)
}

/** `gated` is false, "auto" or "manual". */
function isRestricted(info: unknown): boolean {
  return isRecord(info) && ((info['gated'] ?? false) !== false || info['private'] === true)
}

function nextPage(link: string | null, address: string): string | null {
  const next = /<([^>]+)>;\s*rel="next"/.exec(link ?? '')?.[1]
  if (next === undefined) return null
  const url = new URL(next, address)
  if (url.origin !== new URL(address).origin)
    throw new EvalError('hub/corrupt', `${address}: its next page is on another host, ${url.host}.`)
  return url.href
}

function isWebPage(response: Response, bytes: Uint8Array): boolean {
  if ((response.headers.get('Content-Type') ?? '').startsWith('text/html')) return true
  return /^\s*<(!doctype|html)/i.test(new TextDecoder().decode(bytes.subarray(0, 200)))
}
