/**
 * A Hub over local folders: the addresses that the app asks of huggingface.co, answered from disk. The command line uses it for
 * `--model FOLDER`, the parity check and tests for everything.
 */
import { createHash } from 'node:crypto'
import { createReadStream, existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { commitText, largeFileBytes, licenseOf } from '../../data/hub/folder-commit.ts'
import { listRepoFiles } from '../files/repo-files.ts'
import { searchFolders } from './hub-server-search.ts'
import { listenHere, secretPath, type Listening } from './this-machine.ts'

export interface HubFolders {
  /** Folders by repository id. */
  readonly models?: { readonly [id: string]: string }
  readonly datasets?: { readonly [id: string]: string }
  /** Folders that hold repositories as `owner/name`. */
  readonly modelRoots?: readonly string[]
  readonly datasetRoots?: readonly string[]
  /** Folders of branches of models that differ from `main`, by repository id and branch. */
  readonly revisions?: { readonly [id: string]: { readonly [branch: string]: string } }
  /** Branches and tags of models besides `main`, by repository id; all lead to the folder as it is. */
  readonly refs?: { readonly [id: string]: { readonly branches: readonly string[]; readonly tags: readonly string[] } }
}

interface HubHandlerOptions extends HubFolders {
  /** Path in front of every address, such as `/hub`. */
  readonly prefix?: string
  /** Origin that large files are redirected to, as the real Hub does; it must be served by a handler over the same folders. */
  readonly redirectLargeTo?: string | null
  /** Files of at least this many bytes are listed with their SHA-256 and redirected, as the Hub's large files are; 1,000,000 unless told. */
  readonly largeFromBytes?: number
}

/** Answers a request and says true, or leaves it alone and says false when it isn't for the Hub. */
export type HubHandler = (request: IncomingMessage, response: ServerResponse) => boolean

export interface RunningHub {
  /** Address for `--hub`, without a slash at its end. */
  readonly address: string
  /** Address that large files are redirected to, when asked for. */
  readonly largeAddress: string | null
  close(): Promise<void>
}

type Kind = 'models' | 'datasets'

type ServedFolders = HubFolders & { readonly largeFromBytes: number }

interface ServedFile {
  readonly path: string
  readonly place: string
  readonly bytes: number
  readonly oid: string
  readonly sha256: string | null
}

export function createHubHandler({
  prefix = '',
  redirectLargeTo = null,
  largeFromBytes = largeFileBytes,
  ...places
}: HubHandlerOptions): HubHandler {
  const folders = { ...places, largeFromBytes }
  return (request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    if (!url.pathname.startsWith(`${prefix}/`)) return false
    const path = decodeURIComponent(url.pathname.slice(prefix.length))
    const api = /^\/api\/(models|datasets)\/([^/]+(?:\/[^/]+)??)\/(revision|tree)\/([^/]+)$/.exec(path)
    const refs = /^\/api\/models\/([^/]+(?:\/[^/]+)??)\/refs$/.exec(path)
    const file = /^\/(datasets\/)?([^/]+(?:\/[^/]+)??)\/resolve\/([^/]+)\/(.+)$/.exec(path)
    const isSearch = path === '/api/models'
    if (api === null && file === null && refs === null && !isSearch) return false
    // Folders of this machine are for the page that is served beside them: no page of another origin may read or embed them.
    response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(response, 405, 'MethodNotAllowed', 'Only GET and HEAD')
    } else if (api !== null) {
      const [, kind, id = '', what, revision = ''] = api
      answerApi(response, folders, kind === 'datasets' ? 'datasets' : 'models', id, what === 'tree', revision)
    } else if (refs !== null) {
      answerRefs(response, folders, refs[1] ?? '')
    } else if (isSearch) {
      send(
        response,
        200,
        { 'Content-Type': 'application/json' },
        JSON.stringify(searchFolders(listModelFolders(folders), url.searchParams)),
      )
    } else if (file !== null) {
      const [, isDataset, id = '', revision = '', name = ''] = file
      answerFile(request, response, folders, isDataset === undefined ? 'models' : 'datasets', id, revision, name, redirectLargeTo)
    }
    return true
  }
}

/**
 * Starts the server on a free port (or `port`) of this machine, below a path that nobody can guess; with `redirectsLarge` a second one, which
 * large files are redirected to.
 */
export async function createHubServer({
  port = 0,
  redirectsLarge = false,
  ...options
}: Omit<HubHandlerOptions, 'prefix' | 'redirectLargeTo'> & {
  readonly port?: number
  readonly redirectsLarge?: boolean
}): Promise<RunningHub> {
  const prefix = secretPath()
  const large = redirectsLarge ? await listen(createHubHandler({ ...options, prefix }), 0) : null
  const redirectLargeTo = large === null ? null : originOf(large)
  const main = await listen(createHubHandler({ ...options, prefix, redirectLargeTo }), port)
  return {
    address: originOf(main) + prefix,
    largeAddress: redirectLargeTo === null ? null : redirectLargeTo + prefix,
    close: async () => {
      await Promise.all([main.close(), large?.close()])
    },
  }
}

function listen(handler: HubHandler, port: number): Promise<Listening> {
  return listenHere(
    (request, response) => {
      if (!handler(request, response)) refuse(response, 404, 'NotFound', 'no such address')
    },
    { port },
  )
}

function originOf({ port }: Listening): string {
  return `http://127.0.0.1:${port}`
}

function answerApi(response: ServerResponse, folders: ServedFolders, kind: Kind, id: string, isTree: boolean, revision: string): void {
  const repo = openRepo(folders, kind, id, revision)
  if (repo === null) return refuse(response, 404, 'RepoNotFound', 'Repository not found')
  if (!isKnown(folders, id, revision, repo.commit)) return refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`)
  const json = isTree
    ? repo.files.map(({ path, bytes, oid, sha256 }) => ({
        type: 'file',
        path,
        size: bytes,
        oid: sha256 === null ? oid : pointerOid(sha256, bytes),
        ...(sha256 === null ? {} : { lfs: { oid: sha256, size: bytes, pointerSize: pointerText(sha256, bytes).length } }),
      }))
    : {
        id,
        sha: repo.commit,
        private: false,
        gated: false,
        siblings: repo.files.map(({ path }) => ({ rfilename: path })),
        cardData: { license: readLicense(repo.files) },
      }
  send(response, 200, { 'Content-Type': 'application/json' }, JSON.stringify(json))
}

function answerRefs(response: ServerResponse, folders: ServedFolders, id: string): void {
  const repo = openRepo(folders, 'models', id, 'main')
  if (repo === null) return refuse(response, 404, 'RepoNotFound', 'Repository not found')
  const { branches = [], tags = [] } = folders.refs?.[id] ?? {}
  const own = Object.keys(folders.revisions?.[id] ?? {})
  const listed = (kind: 'heads' | 'tags', names: readonly string[]) =>
    names.map((name) => ({ name, ref: `refs/${kind}/${name}`, targetCommit: openRepo(folders, 'models', id, name)?.commit ?? repo.commit }))
  const json = { branches: listed('heads', ['main', ...branches, ...own]), converts: [], tags: listed('tags', tags) }
  send(response, 200, { 'Content-Type': 'application/json' }, JSON.stringify(json))
}

/** Whether the revision leads to the folder: its commit, `main`, or a name that was given to it. */
function isKnown({ refs = {}, revisions = {} }: ServedFolders, id: string, revision: string, commit: string): boolean {
  const { branches = [], tags = [] } = refs[id] ?? {}
  return ['main', commit, ...branches, ...tags, ...Object.keys(revisions[id] ?? {})].includes(revision)
}

/** Every model's folder by its id. */
function listModelFolders({ models = {}, modelRoots = [] }: HubFolders): ReadonlyMap<string, string> {
  const found = modelRoots.flatMap((root) =>
    foldersIn(root).flatMap((owner) => foldersIn(join(root, owner)).map((name) => [`${owner}/${name}`, join(root, owner, name)] as const)),
  )
  return new Map([...found, ...Object.entries(models)])
}

function foldersIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).filter((name) => !name.startsWith('.') && statSync(join(folder, name)).isDirectory())
}

function answerFile(
  request: IncomingMessage,
  response: ServerResponse,
  folders: ServedFolders,
  kind: Kind,
  id: string,
  revision: string,
  name: string,
  redirectLargeTo: string | null,
): void {
  const repo = openRepo(folders, kind, id, revision)
  if (repo === null) return refuse(response, 404, 'RepoNotFound', 'Repository not found')
  if (!isKnown(folders, id, revision, repo.commit)) return refuse(response, 404, 'RevisionNotFound', `Invalid rev id: ${revision}`)
  const file = repo.files.find(({ path }) => path === name)
  if (file === undefined) return refuse(response, 404, 'EntryNotFound', 'Entry not found')
  const headers = { ETag: `"${file.sha256 ?? file.oid}"`, 'X-Repo-Commit': repo.commit, 'Accept-Ranges': 'bytes' }
  if (redirectLargeTo !== null && file.sha256 !== null) {
    return send(
      response,
      302,
      {
        ...headers,
        Location: `${redirectLargeTo}${request.url ?? ''}`,
        'X-Linked-Size': String(file.bytes),
        'X-Linked-Etag': `"${file.sha256}"`,
      },
      '',
    )
  }
  const range = readRange(request.headers.range, file.bytes)
  if (range === 'unsatisfiable') return send(response, 416, { ...headers, 'Content-Range': `bytes */${file.bytes}` }, '')
  const { start, end } = range ?? { start: 0, end: file.bytes }
  response.writeHead(range === null ? 200 : 206, {
    ...headers,
    'Content-Type': 'application/octet-stream',
    'Content-Length': end - start,
    ...(range === null ? {} : { 'Content-Range': `bytes ${start}-${end - 1}/${file.bytes}` }),
  })
  if (request.method === 'HEAD' || start === end) {
    response.end()
    return
  }
  createReadStream(file.place, { start, end: end - 1 })
    .on('error', () => response.destroy())
    .pipe(response)
}

/** Half-open range in bytes; null for none (or one that isn't understood, which HTTP says to ignore). */
function readRange(header: string | undefined, bytes: number): { readonly start: number; readonly end: number } | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  const [, first = '', last = ''] = match ?? []
  if (match === null || (first === '' && last === '')) return null
  if (first === '') return Number(last) === 0 ? 'unsatisfiable' : { start: Math.max(0, bytes - Number(last)), end: bytes }
  const start = Number(first)
  const end = last === '' ? bytes : Math.min(Number(last) + 1, bytes)
  return start >= bytes || end <= start ? 'unsatisfiable' : { start, end }
}

function send(response: ServerResponse, status: number, headers: { readonly [name: string]: string }, body: string): void {
  response.writeHead(status, headers).end(body)
}

function refuse(response: ServerResponse, status: number, code: string, message: string): void {
  send(response, status, { 'Content-Type': 'application/json', 'X-Error-Code': code }, JSON.stringify({ error: message }))
}

interface ServedRepo {
  readonly commit: string
  readonly files: readonly ServedFile[]
}

/** The repository's files at a branch or commit, and a commit that changes when and only when one of them does; at `main` for what isn't known. */
function openRepo(folders: ServedFolders, kind: Kind, id: string, revision: string): ServedRepo | null {
  const branches = kind === 'models' ? (folders.revisions?.[id] ?? {}) : {}
  const branch = branches[revision]
  if (branch !== undefined) return readRepo(branch, folders)
  if (/^[0-9a-f]{40}$/.test(revision)) {
    const found = Object.values(branches)
      .map((folder) => readRepo(folder, folders))
      .find(({ commit }) => commit === revision)
    if (found !== undefined) return found
  }
  const roots = (kind === 'models' ? folders.modelRoots : folders.datasetRoots) ?? []
  if (/[\\\0]/.test(id) || id.split('/').some((part) => /^\.*$/.test(part))) return null
  const folder = folders[kind]?.[id] ?? roots.map((root) => join(root, id)).find((place) => existsSync(place))
  return folder === undefined || !existsSync(folder) ? null : readRepo(folder, folders)
}

function readRepo(folder: string, { largeFromBytes }: ServedFolders): ServedRepo {
  const files = listRepoFiles(folder).listed.map((path) => describeFile(folder, path, largeFromBytes))
  return { commit: createHash('sha1').update(commitText(files)).digest('hex'), files }
}

/** Hashes by place, size and time of change: a model is hashed once, not at every request. */
const hashes = new Map<string, ServedFile>()

function describeFile(folder: string, path: string, largeFromBytes: number): ServedFile {
  const place = join(folder, path)
  const { size, mtimeMs } = statSync(place)
  const key = `${place}\0${size}\0${mtimeMs}\0${largeFromBytes}`
  const known = hashes.get(key)
  if (known?.path === path) return known
  const content = readFileSync(place)
  const oid = createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex')
  const sha256 = size >= largeFromBytes ? createHash('sha256').update(content).digest('hex') : null
  const file = { path, place, bytes: size, oid, sha256 }
  hashes.set(key, file)
  return file
}

/** What git holds in place of a large file. */
function pointerText(sha256: string, bytes: number): string {
  return `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256}\nsize ${bytes}\n`
}

function pointerOid(sha256: string, bytes: number): string {
  const text = pointerText(sha256, bytes)
  return createHash('sha1').update(`blob ${text.length}\0${text}`).digest('hex')
}

function readLicense(files: readonly ServedFile[]): string | null {
  const readme = files.find(({ path }) => path === 'README.md')
  return readme === undefined ? null : licenseOf(readFileSync(readme.place, 'utf8'))
}
