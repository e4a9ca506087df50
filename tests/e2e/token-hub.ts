/** A Hub with a gated model, a private model and a gated dataset, and a second host for large files; every request is written down. */
import { readdirSync } from 'node:fs'
import { createServer as createPlain, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import { createServer as createSecure } from 'node:https'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { createHubHandler } from '../../src/cli/browser/hub-server.ts'
import { openHeaders, openToAll } from '../mock-hub/open-to-all.ts'
import { selfSigned } from './self-signed.ts'

export interface Recorded {
  readonly host: 'hub' | 'files'
  readonly method: string
  readonly url: string
  readonly headers: { readonly [name: string]: string }
}

export interface TokenHub {
  readonly hubPort: number
  readonly filesPort: number
  readonly requests: readonly Recorded[]
  /** Whether the account has accepted the gated model's terms. */
  hasAccepted: boolean
  /** What `whoami-v2` says of the token. */
  role: 'read' | 'write'
  close(): Promise<void>
}

/** `datasetFolder` is served as `gated/rows`; with `isSecure` both hosts speak https. `filesOrigin` is where the browser finds the second one. */
export async function startTokenHub(options: {
  readonly token: string
  readonly datasetFolder: string
  readonly isSecure: boolean
  readonly filesOrigin: string | null
}): Promise<TokenHub> {
  const { token, datasetFolder, isSecure } = options
  const pico = join(projectFolder, 'public/hub/yardstick/pico/resolve')
  const model = join(pico, readdirSync(pico).sort()[0] ?? '')
  const folders = { models: { 'gated/pico': model, 'private/pico': model }, datasets: { 'gated/rows': datasetFolder } }
  const requests: Recorded[] = []
  const pair = isSecure ? selfSigned() : null
  const listen = async (listener: RequestListener): Promise<{ port: number; close: () => Promise<void> }> => {
    const server = pair === null ? createPlain(listener) : createSecure(pair, listener)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const bound = server.address()
    const close = () => {
      server.closeAllConnections()
      return new Promise<void>((resolve) => {
        server.close(() => resolve())
      })
    }
    return { port: bound !== null && typeof bound === 'object' ? bound.port : 0, close }
  }
  const record = (host: Recorded['host'], request: IncomingMessage): void => {
    const headers = Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    requests.push({ host, method: request.method ?? '', url: request.url ?? '', headers })
  }
  const refuse = (response: ServerResponse, status: number, code: string | null): void => {
    response.writeHead(status, { ...openHeaders, ...(code === null ? {} : { 'X-Error-Code': code }) }).end('{"error": "no"}')
  }

  const answerFiles = openToAll(createHubHandler({ ...folders, largeFromBytes: 100 }))
  const files = await listen((request, response) => {
    record('files', request)
    if (!answerFiles(request, response)) refuse(response, 404, null)
  })
  const redirectLargeTo = options.filesOrigin ?? `http://127.0.0.1:${files.port}`
  const answerHub = openToAll(createHubHandler({ ...folders, largeFromBytes: 100, redirectLargeTo }))
  const hub: { -readonly [key in keyof TokenHub]: TokenHub[key] } = {
    hubPort: 0,
    filesPort: files.port,
    requests,
    hasAccepted: false,
    role: 'read',
    close: async () => undefined,
  }
  const main = await listen((request, response) => {
    record('hub', request)
    const url = request.url ?? ''
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { ...openHeaders, 'Access-Control-Allow-Headers': 'Authorization, Range' }).end()
      return
    }
    const isKnown = request.headers.authorization === `Bearer ${token}`
    if (url === '/api/whoami-v2') {
      if (!isKnown) refuse(response, 401, null)
      else {
        const answer = { type: 'user', name: 'ada', auth: { type: 'access_token', accessToken: { displayName: 'test', role: hub.role } } }
        response.writeHead(200, { ...openHeaders, 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
      }
    } else if (!isKnown) refuse(response, 401, url.includes('gated/') ? 'GatedRepo' : 'RepoNotFound')
    else if (url.includes('gated/pico') && !hub.hasAccepted) refuse(response, 403, 'GatedRepo')
    else if (!answerHub(request, response)) refuse(response, 404, 'RepoNotFound')
  })
  hub.hubPort = main.port
  hub.close = async () => {
    await main.close()
    await files.close()
  }
  return hub
}
