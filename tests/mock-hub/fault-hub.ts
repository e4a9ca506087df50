/** A Hub that answers what a test tells it to, for faults that a healthy server doesn't have. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export type Answer = (request: IncomingMessage, response: ServerResponse) => void

export interface FaultHub {
  readonly address: string
  /** The paths asked for, in order, each with its Authorization header. */
  readonly requests: { readonly path: string; readonly authorization: string | null }[]
  /** What to answer from now on, by the beginning of the path; else 404. */
  readonly answers: Map<string, Answer>
  close(): Promise<void>
}

export async function startFaultHub(): Promise<FaultHub> {
  const requests: FaultHub['requests'] = []
  const answers = new Map<string, Answer>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    requests.push({ path, authorization: request.headers.authorization ?? null })
    const [, answer] = [...answers].find(([prefix]) => path.startsWith(prefix)) ?? []
    if (answer === undefined) response.writeHead(404).end()
    else answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bound = server.address()
  if (bound === null || typeof bound === 'string') throw new Error('no port')
  return {
    address: `http://127.0.0.1:${bound.port}`,
    requests,
    answers,
    close: () => {
      server.closeAllConnections()
      return new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
      })
    },
  }
}

/** Answers with a status, headers and a body. */
export function reply(status: number, body: string | Uint8Array, headers: { readonly [name: string]: string } = {}): Answer {
  return (_, response) => response.writeHead(status, headers).end(body)
}
