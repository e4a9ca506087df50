/** A client for the Hugging Face Hub, or for folders that are laid out like its addresses (the bundled one, a local server). */
import { EvalError } from '../core/errors.ts'
import type { RepoFile, RepoSnapshot } from '../core/types.ts'
import { gitBlobOid, sha256Hex } from './digests.ts'
import type { FileCache } from './file-cache.ts'
import { download, type Fetch, type Wanted, type Watched } from './http.ts'

export type RepoKind = RepoSnapshot['kind']

export interface HubOptions {
  /** Address without a slash at its end, such as `https://huggingface.co`. */
  readonly base: string
  readonly fetch: Fetch
  /** Sent to `tokenOrigin` and nowhere else, whatever `base` is. */
  readonly token?: string | null
  /** The Hub's own origin, unless the user allowed another one by name. */
  readonly tokenOrigin?: string
  /** Where verified files are kept; null = nowhere. */
  readonly cache?: FileCache | null
}

export interface HubClient {
  readonly base: string
  /**
   * The repository at `revision` (branch, tag or commit), resolved to a commit once, with all its files.
   * Throws `hub/not-found`, `hub/gated`, `hub/unauthorized`, `hub/rate-limited`, `hub/unreachable`, `hub/corrupt`.
   */
  snapshot(kind: RepoKind, id: string, revision: string, signal?: AbortSignal): Promise<RepoSnapshot>
  /** A file's content, from the cache or the Hub, its length and hash checked. Throws as `snapshot`; `hub/corrupt` when a check fails. */
  fetchFile(kind: RepoKind, id: string, commit: string, file: RepoFile, watched?: Watched): Promise<Uint8Array>
  /** Bytes `start` (in) to `end` (out) of a file: exactly so many, or an error. Their content is checked only once all of the file is here. */
  readRange(kind: RepoKind, id: string, commit: string, file: RepoFile, start: number, end: number, watched?: Watched): Promise<Uint8Array>
  /** The JSON at a path of this Hub, such as `/api/datasets/a/b/parquet`. Throws as `snapshot`. */
  readApi(path: string, wanted: Wanted, signal?: AbortSignal): Promise<unknown>
}

const hubOrigin = 'https://huggingface.co'

export function hubClient({ base, fetch, token = null, tokenOrigin = hubOrigin, cache = null }: HubOptions): HubClient {
  const headersFor = (address: string): { readonly [name: string]: string } =>
    token !== null && new URL(address).origin === tokenOrigin ? { Authorization: `Bearer ${token}` } : {}

  const getJson = async (
    address: string,
    wanted: Wanted,
    signal?: AbortSignal,
  ): Promise<{ readonly json: unknown; readonly next: string | null }> => {
    const { bytes, response } = await download(fetch, address, headersFor(address), wanted, signal === undefined ? {} : { signal })
    try {
      const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
      return { json, next: nextPage(response.headers.get('Link'), address) }
    } catch (cause) {
      // Servers of single-page apps answer a web page for whatever they don't have.
      const code = isWebPage(response, bytes) ? 'hub/not-found' : 'hub/corrupt'
      throw new EvalError(code, `${address} answered no JSON for ${wanted.what}.`, { cause, details: { address } })
    }
  }

  const listTree = async (kind: RepoKind, id: string, commit: string, wanted: Wanted, signal?: AbortSignal): Promise<RepoFile[]> => {
    const files: RepoFile[] = []
    let address: string | null = `${base}/api/${kind}s/${id}/tree/${commit}?recursive=true`
    while (address !== null) {
      const { json, next }: { readonly json: unknown; readonly next: string | null } = await getJson(address, wanted, signal)
      if (!Array.isArray(json)) throw new EvalError('hub/corrupt', `The file list of ${wanted.what} is no list.`)
      for (const entry of json) {
        const file = readTreeEntry(entry)
        if (file !== null) files.push(file)
      }
      address = next
    }
    return files
  }

  return {
    base,
    readApi: async (path, wanted, signal) => (await getJson(base + path, wanted, signal)).json,
    snapshot: async (kind, id, revision, signal) => {
      checkId(id)
      const wanted = { what: `${kind} '${id}' at revision '${revision}'`, page: pageOf(base, kind, id) }
      const { json } = await getJson(`${base}/api/${kind}s/${id}/revision/${encodeURIComponent(revision)}`, wanted, signal)
      const commit = isRecord(json) ? json['sha'] : undefined
      if (typeof commit !== 'string' || !/^[0-9a-f]{40}$/.test(commit))
        throw new EvalError('hub/corrupt', `The Hub names no commit for ${wanted.what}.`)
      return {
        kind,
        id,
        requestedRevision: revision,
        commit,
        files: await listTree(kind, id, commit, wanted, signal),
        license: readLicense(json),
      }
    },
    fetchFile: async (kind, id, commit, file, watched = {}) => {
      const key = cacheKey(kind, id, commit, file)
      const kept = await cache?.read(key)
      if (kept !== undefined && kept !== null && (await hashMismatch(kept, file)) === null) {
        watched.onBytes?.(kept.length)
        return kept
      }
      const address = `${base}/${kind === 'dataset' ? 'datasets/' : ''}${id}/resolve/${commit}/${file.path.split('/').map(encodeURIComponent).join('/')}`
      const wanted = { what: `file '${file.path}' of ${kind} '${id}'`, page: pageOf(base, kind, id) }
      const { bytes, response } = await download(fetch, address, headersFor(address), wanted, { ...watched, limitBytes: file.bytes })
      await verify(bytes, response, file, wanted)
      await cache?.write(key, bytes)
      return bytes
    },
    readRange: async (kind, id, commit, file, start, end, watched = {}) => {
      if (end <= start) return new Uint8Array()
      const address = `${base}/${kind === 'dataset' ? 'datasets/' : ''}${id}/resolve/${commit}/${file.path.split('/').map(encodeURIComponent).join('/')}`
      const wanted = { what: `file '${file.path}' of ${kind} '${id}'`, page: pageOf(base, kind, id) }
      const headers = { ...headersFor(address), Range: `bytes=${start}-${end - 1}` }
      const { bytes, response } = await download(fetch, address, headers, wanted, { ...watched, limitBytes: file.bytes })
      const part = response.status === 200 ? bytes.subarray(start, end) : bytes
      if (part.length !== end - start)
        throw new EvalError('hub/corrupt', `${wanted.what}: bytes ${start} to ${end} were asked for, ${part.length} came.`)
      return part
    },
  }
}

async function verify(bytes: Uint8Array, response: Response, file: RepoFile, { what }: Wanted): Promise<void> {
  if (isWebPage(response, bytes) && !/\.html?$/.test(file.path)) {
    throw new EvalError('hub/corrupt', `A web page came in place of ${what}. Is something between this browser and the Hub?`, {
      details: { file: file.path },
    })
  }
  if (bytes.length !== file.bytes) {
    const details = { file: file.path, expected: file.bytes, loaded: bytes.length }
    throw new EvalError('hub/corrupt', `${what}: ${file.bytes} bytes were promised, ${bytes.length} came.`, { details })
  }
  const mismatch = await hashMismatch(bytes, file)
  if (mismatch !== null)
    throw new EvalError('hub/corrupt', `${what}: its content is not what the Hub lists (${mismatch}).`, { details: { file: file.path } })
}

/** What differs from the listing, or null. SHA-256 where the Hub gives it, else the git name. */
async function hashMismatch(bytes: Uint8Array, file: RepoFile): Promise<string | null> {
  if (bytes.length !== file.bytes) return `${bytes.length} bytes, not ${file.bytes}`
  const wanted = file.sha256 ?? file.oid
  if (wanted === null) return null
  const found = file.sha256 === null ? await gitBlobOid(bytes) : await sha256Hex(bytes)
  return found === wanted ? null : `hash ${found.slice(0, 12)}…, not ${wanted.slice(0, 12)}…`
}

/** By content where its hash is known, so that two revisions share a file; else by place. */
function cacheKey(kind: RepoKind, id: string, commit: string, file: RepoFile): string {
  return file.sha256 === null ? `${kind}/${id}/${commit}/${file.path}` : `sha256/${file.sha256}`
}

function pageOf(base: string, kind: RepoKind, id: string): string {
  return `${base}/${kind === 'dataset' ? 'datasets/' : ''}${id}`
}

/** Ids come from task files and links: nothing else may get into an address. */
function checkId(id: string): void {
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

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
