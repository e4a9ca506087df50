/**
 * A Hub over folders that misbehaves on demand: two origins (large files are redirected from the first to the second, as the real Hub
 * does), faults by path and attempt, a ref that moves while old commits stay, and a record of every request.
 *
 *     const hub = await startMockHub({ models: { 'o/m': folder } })
 *     hub.script('onnx/model.onnx', [{ kind: 'cut', afterBytes: 1000 }, null, { kind: 'page', type: 'html' }])
 *     … hub.requests, hub.bytesOf('onnx/model.onnx') …
 */
import { createServer, request as ask, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createHubHandler, type HubFolders, type HubHandler } from '../../src/cli/browser/hub-server.ts'
import { sendWithFault, type Fault, type HealthyAnswer } from './faults.ts'
import { openToAll } from './open-to-all.ts'

export type { Fault } from './faults.ts'

export interface MockHubOptions extends HubFolders {
  /** Files of at least this many bytes are redirected to the second origin and have a SHA-256; 1,000,000 unless told. */
  readonly largeFromBytes?: number
}

/** Where an answer is spoiled: at the Hub's own origin, at the one it redirects to, or wherever the body comes from. */
export type Place = 'hub' | 'large' | 'body'

export interface SeenRequest {
  readonly origin: 'hub' | 'large'
  readonly method: string
  /** Path and query, decoded. */
  readonly path: string
  readonly range: string | null
  readonly authorization: string | null
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  readonly fault: Fault | null
  /** 0 until answered. */
  status: number
  /** Bytes of the body written so far. */
  bytesSent: number
}

export interface MockHub {
  /** The Hub's address, without a slash at its end. */
  readonly address: string
  /** The second origin, which large files come from. */
  readonly largeAddress: string
  readonly requests: SeenRequest[]
  /** The nth matching answer gets the nth fault (null: none); once the list is at its end, answers are healthy. A text matches the path's end. */
  script(path: string | RegExp, faults: readonly (Fault | null)[], place?: Place): void
  /** Every matching answer gets the fault, until `heal`. */
  always(path: string | RegExp, fault: Fault, place?: Place): void
  /** Forgets every fault, and comes back if it was down. */
  heal(): void
  /** Every connection is broken at once, and every later one, until `heal`. */
  goDown(): void
  /** `main` moves to these folders' content; commits of before are still served. */
  moveTo(folders: HubFolders): void
  /** Requests of a file's content that matched; a redirect isn't one. */
  requestsOf(path: string | RegExp): readonly SeenRequest[]
  /** Bytes of the file's content that were sent. */
  bytesOf(path: string | RegExp): number
  close(): Promise<void>
}

interface Rule {
  readonly path: string | RegExp
  readonly place: Place
  readonly faults: (Fault | null)[]
  readonly isForever: boolean
}

export async function startMockHub({ largeFromBytes = 1_000_000, ...folders }: MockHubOptions): Promise<MockHub> {
  let rules: Rule[] = []
  let isDown = false
  const requests: SeenRequest[] = []
  const healthy: Server[] = []
  const ports: number[] = []

  /** Takes the fault that is due for this answer. */
  const takeFault = (origin: 'hub' | 'large', path: string, status: number): Fault | null => {
    const place: readonly Place[] = status >= 300 && status < 400 ? [origin] : [origin, 'body']
    const rule = rules.find((one) => place.includes(one.place) && matches(one.path, path) && one.faults.length > 0)
    return (rule?.isForever === true ? rule.faults[0] : rule?.faults.shift()) ?? null
  }

  const outer = (origin: 'hub' | 'large') =>
    createServer((request, response) => {
      if (isDown) return void response.destroy()
      answer(origin, request, response).catch(() => response.destroy())
    })

  const answer = async (origin: 'hub' | 'large', request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = decodeURIComponent(request.url ?? '')
    const inner = await askNewest(ports, request, request.headers)
    const fault = request.method === 'OPTIONS' ? null : takeFault(origin, path, inner.statusCode ?? 0)
    const seen: SeenRequest = {
      origin,
      method: request.method ?? '',
      path,
      range: request.headers.range ?? null,
      authorization: request.headers.authorization ?? null,
      headers: request.headers,
      fault,
      status: 0,
      bytesSent: 0,
    }
    requests.push(seen)
    const healthyAnswer = (message: IncomingMessage): HealthyAnswer => ({
      status: message.statusCode ?? 500,
      headers: headersOf(message),
      body: message,
      whole: async () => {
        const { range: _, ...headers } = request.headers
        return healthyAnswer(await askNewest(ports, request, headers))
      },
    })
    const write = response.write.bind(response)
    const counted = (part: Uint8Array | string): boolean => {
      seen.bytesSent += part.length
      return write(part)
    }
    // Node's overloads: what is sent here has no encoding and no callback.
    response.write = counted as typeof response.write
    response.once('close', () => {
      seen.status = response.statusCode
    })
    await sendWithFault(response, healthyAnswer(inner), fault)
    seen.status = response.statusCode
  }

  const main = outer('hub')
  const large = outer('large')
  const address = await listen(main)
  const largeAddress = await listen(large)
  const addHealthy = async (places: HubFolders): Promise<void> => {
    const handlers = [
      openToAll(createHubHandler({ ...places, largeFromBytes, redirectLargeTo: largeAddress })),
      openToAll(createHubHandler({ ...places, largeFromBytes })),
    ]
    // What the second origin passes on says so: there the file itself is wanted.
    const server = createServer((request, response) => {
      const handler: HubHandler | undefined = handlers[request.headers['x-mock-origin'] === 'large' ? 1 : 0]
      if (handler?.(request, response) !== true) response.writeHead(404).end()
    })
    ports.unshift(Number(new URL(await listen(server)).port))
    healthy.push(server)
  }
  await addHealthy(folders)
  let isMoving: Promise<void> = Promise.resolve()

  const add = (path: string | RegExp, faults: readonly (Fault | null)[], place: Place, isForever: boolean): void => {
    rules.push({ path, place, faults: [...faults], isForever })
  }
  const requestsOf = (path: string | RegExp): SeenRequest[] =>
    requests.filter(
      (one) => one.method === 'GET' && matches(path, one.path) && /\/resolve\//.test(one.path) && !(one.status >= 300 && one.status < 400),
    )

  async function askNewest(
    known: readonly number[],
    request: IncomingMessage,
    headers: IncomingMessage['headers'],
  ): Promise<IncomingMessage> {
    await isMoving
    const origin = request.socket.localPort === Number(new URL(largeAddress).port) ? 'large' : 'hub'
    let last: IncomingMessage | null = null
    for (const port of known) {
      last?.resume()
      last = await askInner(port, request, { ...headers, 'x-mock-origin': origin })
      if (last.headers['x-error-code'] !== 'RevisionNotFound') break
    }
    if (last === null) throw new Error('no folders')
    return last
  }

  return {
    address,
    largeAddress,
    requests,
    script: (path, faults, place = 'body') => add(path, faults, place, false),
    always: (path, fault, place = 'body') => add(path, [fault], place, true),
    heal: () => {
      rules = []
      isDown = false
    },
    goDown: () => {
      isDown = true
      main.closeAllConnections()
      large.closeAllConnections()
    },
    moveTo: (places) => {
      isMoving = isMoving.then(() => addHealthy(places))
    },
    requestsOf,
    bytesOf: (path) => requestsOf(path).reduce((sum, { bytesSent }) => sum + bytesSent, 0),
    close: async () => {
      await isMoving
      await Promise.all([main, large, ...healthy].map(stop))
    },
  }
}

function matches(pattern: string | RegExp, path: string): boolean {
  return typeof pattern === 'string' ? path.endsWith(pattern) : pattern.test(path)
}

function askInner(port: number, request: IncomingMessage, headers: IncomingMessage['headers']): Promise<IncomingMessage> {
  const { method, url: path } = request
  return new Promise((resolve, reject) => {
    const { connection: _, ...passed } = headers
    const options = {
      host: '127.0.0.1',
      port,
      headers: passed,
      agent: false,
      ...(method === undefined ? {} : { method }),
      ...(path === undefined ? {} : { path }),
    }
    ask(options, resolve).once('error', reject).end()
  })
}

/** The answer's headers but those of the connection. */
function headersOf(message: IncomingMessage): { [name: string]: string } {
  const own = new Set(['connection', 'keep-alive', 'transfer-encoding', 'date'])
  return Object.fromEntries(
    Object.entries(message.headers).flatMap(([name, value]) => (own.has(name) || value === undefined ? [] : [[name, String(value)]])),
  )
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve)
  })
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  return `http://127.0.0.1:${bound.port}`
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => {
    server.close(() => resolve())
  })
}
