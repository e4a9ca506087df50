/** The server behind `npm start`, the command line and the browser tests: `dist/`, and what a command line adds to its own origin. */
import { createReadStream, readFileSync, statSync } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { extname, join } from 'node:path'
import { allowHubInPage, appHeaders, isAddressFrame } from './policy.ts'
import { insideOf, listenHere, refuse, secretPath, type ListenOptions } from './this-machine.ts'

export interface ServeOptions extends ListenOptions {
  /** The built app. */
  readonly folder: string
  /** Another Hub address that the page may fetch from. */
  readonly hub?: string | null
  /** false: no headers of ours, as on a plain file host. */
  readonly withHeaders?: boolean
  /** Path under which the app is served, with a `/` at both ends. */
  readonly base?: string
  /** Answers requests under `/local-hub/` of the secret path; their `url` starts after that prefix, with `/`. */
  readonly localHub?: RequestListener | null
  /** Files by the path they are served at, below the secret one (`/local-files/…`); nothing else outside `folder` is served. */
  readonly localFiles?: ReadonlyMap<string, string>
}

export interface RunningServer {
  readonly address: string
  readonly port: number
  /** The path, new at each start, below which `/local-hub/` and `/local-files/` are. */
  readonly secret: string
  close(): Promise<void>
}

export const localHubPath = '/local-hub'
export const localFilesPath = '/local-files'

/** Listens on this machine alone, unless `bind` says otherwise. Throws when the port is taken. */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const secret = secretPath()
  const { port, close } = await listenHere(createHandler(options, secret), options)
  const { bind = '127.0.0.1', base = '/' } = options
  const host = bind === '0.0.0.0' || bind === '::' ? '127.0.0.1' : bind
  return { address: `http://${host.includes(':') ? `[${host}]` : host}:${port}${base}`, port, secret, close }
}

/** The request handler alone, for tests that bring their own server. */
export function createHandler(
  { folder, hub = null, withHeaders = true, base = '/', localHub = null, localFiles = new Map() }: ServeOptions,
  secret: string,
): RequestListener {
  const headersOf = withHeaders ? appHeaders(join(folder, '_headers'), hub) : () => []
  const filesPath = `${secret}${localFilesPath}/`
  return (request, response) => {
    const path = readPath(request)
    if (path === null) {
      refuse(response, 400, 'Bad request')
      return
    }
    // Every answer may be used by a page that demands it (COEP), ours and no other.
    for (const [name, value] of headersOf(path.startsWith(base) ? `/${path.slice(base.length)}` : path)) response.setHeader(name, value)
    if (withHeaders) response.setHeader('Cross-Origin-Resource-Policy', 'same-origin')
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      refuse(response, 405, 'Only GET and HEAD')
      return
    }
    if (localHub !== null && path.startsWith(`${secret}${localHubPath}/`)) {
      request.url = (request.url ?? '').slice(secret.length + localHubPath.length)
      localHub(request, response)
      return
    }
    const isLocal = path.startsWith(filesPath)
    const file = isLocal ? (localFiles.get(path.slice(secret.length)) ?? null) : fileIn(folder, path, base)
    if (file === null || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) refuse(response, 404, 'Not found')
    else if (hub !== null && file.endsWith('.html') && !isLocal && !isAddressFrame(path))
      sendPage(request, response, allowHubInPage(readFileSync(file, 'utf8'), hub))
    else sendFile(request, response, file, isLocal)
  }
}

function readPath(request: IncomingMessage): string | null {
  try {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
    return path.includes('\0') ? null : path
  } catch {
    return null
  }
}

/** The file of the app at `path`; null for what lies outside, also through links. */
function fileIn(folder: string, path: string, base: string): string | null {
  if (!path.startsWith(base)) return null
  const inside = path.slice(base.length)
  return insideOf(folder, path.endsWith('/') ? join(inside, 'index.html') : inside)
}

const types: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.jsonl': 'application/x-ndjson; charset=utf-8',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.txt': 'text/plain; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.yaml': 'text/yaml; charset=utf-8',
  '.yml': 'text/yaml; charset=utf-8',
  '.csv': 'text/csv; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
}

/** The type of a file. Hub answers kept as files have no suffix under `api/` and are JSON; other files without one are bytes. */
export function contentType(file: string): string {
  const known = types[extname(file).toLowerCase()]
  if (known !== undefined) return known
  return extname(file) === '' && /[/\\]api[/\\]/.test(file) ? 'application/json; charset=utf-8' : 'application/octet-stream'
}

function sendPage(request: IncomingMessage, response: ServerResponse, html: string): void {
  response.writeHead(200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(html),
    'Cache-Control': 'no-cache',
  })
  response.end(request.method === 'HEAD' ? undefined : html)
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: string, isForeign: boolean): void {
  const { size } = statSync(file)
  // An untrusted file is data, whatever its name says.
  response.setHeader('Content-Type', isForeign ? 'application/octet-stream' : contentType(file))
  response.setHeader('X-Content-Type-Options', 'nosniff')
  response.setHeader('Accept-Ranges', 'bytes')
  response.setHeader('Cache-Control', /[/\\]assets[/\\]/.test(file) && !isForeign ? 'public, max-age=31536000, immutable' : 'no-cache')
  const range = parseRange(request.headers.range, size)
  if (range === 'unsatisfiable') {
    response.setHeader('Content-Range', `bytes */${size}`)
    refuse(response, 416, 'Range not satisfiable')
    return
  }
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range !== null) response.setHeader('Content-Range', `bytes ${start}-${end}/${size}`)
  response.writeHead(range === null ? 200 : 206, { 'Content-Length': Math.max(0, end - start + 1) })
  if (request.method === 'HEAD' || size === 0) {
    response.end()
    return
  }
  const stream = createReadStream(file, { start, end })
  stream.on('error', () => response.destroy())
  response.on('close', () => stream.destroy())
  stream.pipe(response)
}

/** One `bytes=a-b`, `bytes=a-` or `bytes=-n` range; null for none and for what may be ignored (RFC 9110 §14.2). */
export function parseRange(
  header: string | undefined,
  size: number,
): { readonly start: number; readonly end: number } | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '')
  if (match === null) return null
  const [, first = '', last = ''] = match
  if (first === '' && last === '') return null
  if (first === '') return last === '0' || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - Number(last)), end: size - 1 }
  const start = Number(first)
  const end = last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (last !== '' && Number(last) < start) return null
  return start >= size ? 'unsatisfiable' : { start, end }
}
