/**
 * Servers of this machine alone. A web page that somebody has open can ask any port of this machine, and one that points its own name at
 * 127.0.0.1 (DNS rebinding) is even let read the answers. So a server listens on loopback, answers only to names that are its own, and keeps
 * local files below a path that nobody can guess. Why: docs/decisions/0010-command-line-origin.md.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, realpathSync } from 'node:fs'
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { isIP } from 'node:net'
import { basename, dirname, join, sep } from 'node:path'

export interface ListenOptions {
  /** 0 = any free port. */
  readonly port: number
  /** The address to listen on; 127.0.0.1 unless told. */
  readonly bind?: string
  /** Names that the server answers to instead of its own, as a `Host` header has them. */
  readonly answersTo?: (host: string) => boolean
}

export interface Listening {
  readonly port: number
  readonly close: () => Promise<void>
}

/**
 * Listens with a handler that hears only GET, HEAD and OPTIONS, under the server's own names. What the handler throws is an answer, not
 * the end of the process. Rejects when the port is taken.
 */
export async function listenHere(handler: RequestListener, { port, bind = '127.0.0.1', answersTo }: ListenOptions): Promise<Listening> {
  let isOwn = (_host: string): boolean => false
  const server = createServer((request, response) => {
    const host = request.headers.host ?? ''
    if (!isOwn(host))
      refuse(response, 403, `This server doesn't answer to the name ${JSON.stringify(host)}; npm start takes others from ALLOWED_HOSTS`)
    else if (!readingMethods.has(request.method ?? '')) refuse(response, 405, 'Only GET and HEAD')
    else guarded(handler, request, response)
  })
  await new Promise<void>((done, fail) => {
    server.once('error', fail)
    server.listen(port, bind, done)
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('the server has no port')
  const own = new Set(['127.0.0.1', 'localhost', '[::1]'].map((name) => `${name}:${bound.port}`))
  isOwn = answersTo ?? ((host) => own.has(host.toLowerCase()))
  return {
    port: bound.port,
    close: () =>
      new Promise((done, fail) => {
        server.closeAllConnections()
        server.close((error) => {
          if (error === undefined) done()
          else fail(error)
        })
      }),
  }
}

/** OPTIONS asks whether a page of another origin may read: handlers that let none say so themselves. */
const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

function guarded(handler: RequestListener, request: IncomingMessage, response: ServerResponse): void {
  try {
    handler(request, response)
  } catch (error) {
    // A path that is no URL, or a file that went away between two looks at it.
    const isPath = error instanceof URIError || (error instanceof TypeError && 'code' in error && error.code === 'ERR_INVALID_URL')
    if (response.headersSent) response.destroy()
    else if (isPath) refuse(response, 400, 'Bad request')
    else refuse(response, 500, 'The file could not be read')
  }
}

/** Ends the answer with a line of text. */
export function refuse(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' })
  response.end(`${message}\n`)
}

/** A path that nobody can guess, new at each call: `/` and 192 random bits. */
export function secretPath(): string {
  return `/${randomBytes(24).toString('base64url')}`
}

/**
 * The names that a server for people answers to, at any port, since a forwarded port may have another number: loopback's, and `allowed`
 * (`.example.org` = every name below it). One that listens for other machines also answers to addresses: only names can be rebound.
 */
export function namesOf(bind: string, allowed: readonly string[]): (host: string) => boolean {
  return (host) => {
    const name = host.toLowerCase().replace(/:\d+$/, '').replace(/\.$/, '')
    const address = name.replace(/^\[(.*)\]$/, '$1')
    if (name === 'localhost' || name.endsWith('.localhost') || isLoopback(address)) return true
    if (isIP(address) !== 0) return !isLoopback(bind)
    return allowed.some((one) => (one.startsWith('.') ? name.endsWith(one) : name === one))
  }
}

function isLoopback(address: string): boolean {
  return address === '::1' || (isIP(address) === 4 && address.startsWith('127.'))
}

/** The real path of `path` below the folder `root`; null when nothing is there, or a link leads out of `root` and the folders of `also`. */
export function insideOf(root: string, path: string, also: readonly string[] = []): string | null {
  const file = join(root, path)
  if (path.includes('\0') || !existsSync(file)) return null
  const real = realpathSync(file)
  return [realpathSync(root), ...also].some((home) => real === home || real.startsWith(home + sep)) ? real : null
}

/** The store of a folder in the Hub's own cache (`snapshots/<commit>` beside `blobs`), whose files are links into that store. */
export function blobsOf(folder: string): readonly string[] {
  const snapshots = dirname(realpathSync(folder))
  const blobs = join(dirname(snapshots), 'blobs')
  return basename(snapshots) === 'snapshots' && existsSync(blobs) ? [realpathSync(blobs)] : []
}
