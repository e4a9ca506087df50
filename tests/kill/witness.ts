/**
 * The witness: stands outside the browser, serves the app, and writes down what the workers' doubles report. What it has seen
 * acknowledged must outlive every kill; what it has seen computed shows work done twice.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { FailPoint } from '../../src/base/fail-point.ts'
import { createHandler } from '../../src/cli/browser/serve.ts'
import { keptModel, remoteHub, rowsText } from './task.ts'

/** One call of the engine. */
export interface Computation {
  readonly items: readonly string[]
  readonly logprobs: readonly (readonly number[])[]
}

/** One commit, told after its transaction was complete. */
export interface Acknowledgement {
  readonly runId: string
  readonly planIndex: number
  readonly conflicts: readonly string[]
  readonly entries: readonly { readonly key: string; readonly logprobs: readonly number[] }[]
}

/** Tokens `from` to `to` of a text that is being written. */
export interface Writing {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** What the witness does at a place before it answers; the answer is an order to the worker. */
export type Deed = () => Promise<string | void> | string | void

export interface Witness {
  readonly address: string
  readonly computed: Computation[]
  readonly acked: Acknowledgement[]
  /** Of each text that was begun: how many tokens of it the engine has ever written. */
  readonly wrote: Map<string, number>
  /** Of each text that was begun, by the key of its answer: how many tokens are acknowledged as kept, in a draft or in its answer. */
  readonly keptTokens: Map<string, number>
  /** Tokens that the engine wrote though it had written them before. */
  wroteAgain: number
  /** How often each fail point was passed since `forget`. */
  readonly passed: Map<FailPoint, number>
  /** Breaches of the protocol that are seen as they happen. */
  readonly breaches: string[]
  habits: { msPerBatch: number; isNoisy: boolean }
  /** Runs `deed` at the given occurrence (from 1) of a fail point after now, once. */
  arm(point: FailPoint, occurrence: number, deed: Deed): void
  /** Runs `deed` after so many more computed batches, once; 0 = at the next. */
  armAfterBatches(batches: number, deed: Deed): void
  /** Runs `deed` once so many more tokens of texts are written. */
  armAfterTokens(tokens: number, deed: Deed): void
  disarm(): void
  isArmed(): boolean
  /** Every connection is cut and refused until `restore`, but for the witness's own. */
  cut(): void
  restore(): void
  /** Forgets all that it has seen: for a new run over an empty store. */
  forget(): void
  /** Answers that a test has damaged on purpose: they may be computed again. */
  forgive(keys: readonly string[]): void
  close(): Promise<void>
}

export async function startWitness(folder: string): Promise<Witness> {
  const serveApp = createHandler({ folder, port: 0 }, '')
  const itemOfLogprobs = new Map<string, string>()
  const itemOfKey = new Map<string, string>()
  const ackedItems = new Set<string>()
  let point: { readonly name: FailPoint; left: number; readonly deed: Deed } | null = null
  let batches: { left: number; readonly deed: Deed } | null = null
  let tokens: { left: number; readonly deed: Deed } | null = null
  let isCut = false

  const onFailPoint = async (name: FailPoint): Promise<string | void> => {
    witness.passed.set(name, (witness.passed.get(name) ?? 0) + 1)
    if (point?.name !== name) return
    point.left -= 1
    if (point.left > 0) return
    const { deed } = point
    point = null
    return deed()
  }
  const onComputed = async (computation: Computation): Promise<string | void> => {
    witness.computed.push(computation)
    computation.items.forEach((item, at) => {
      if (ackedItems.has(item)) witness.breaches.push(`computed again though acknowledged: item ${item.slice(0, 60)}`)
      itemOfLogprobs.set(JSON.stringify(computation.logprobs[at]), item)
    })
    if (batches === null) return
    if (batches.left > 0) {
      batches.left -= 1
      return
    }
    const { deed } = batches
    batches = null
    return deed()
  }
  const onWrote = async (parts: readonly Writing[]): Promise<string | void> => {
    for (const { text, from, to } of parts) {
      const before = witness.wrote.get(text) ?? 0
      witness.wroteAgain += Math.max(0, Math.min(to, before) - from)
      witness.wrote.set(text, Math.max(to, before))
    }
    if (tokens === null) return
    tokens.left -= parts.reduce((sum, { from, to }) => sum + to - from, 0)
    if (tokens.left > 0) return
    const { deed } = tokens
    tokens = null
    return deed()
  }
  const onDrafted = (parts: readonly { readonly key: string; readonly to: number }[]): void => {
    for (const { key, to } of parts) witness.keptTokens.set(key, to)
  }
  const onAcked = (ack: Acknowledgement): void => {
    witness.acked.push(ack)
    for (const { key, logprobs } of ack.entries) {
      const item = itemOfLogprobs.get(JSON.stringify(logprobs))
      if (item === undefined) witness.breaches.push(`acknowledged without having been computed: ${key}`)
      else {
        ackedItems.add(item)
        itemOfKey.set(key, item)
        if (witness.wrote.has(item)) witness.keptTokens.set(key, logprobs.length)
      }
    }
  }

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = (request.url ?? '').slice('/witness/'.length)
    const body = request.method === 'POST' ? await readBody(request) : ''
    let reply: string | void = ''
    // The doubles' own reports, in the shapes that they are typed to send.
    if (path === 'computed') reply = await onComputed(JSON.parse(body) as Computation)
    else if (path === 'acked') onAcked(JSON.parse(body) as Acknowledgement)
    else if (path === 'wrote') reply = await onWrote(JSON.parse(body) as Writing[])
    else if (path === 'drafted') onDrafted(JSON.parse(body) as { key: string; to: number }[])
    else if (path === 'fail-point') reply = await onFailPoint((JSON.parse(body) as { name: FailPoint }).name)
    else if (path === 'habits') reply = JSON.stringify(witness.habits)
    else if (path === 'rows.jsonl') reply = rowsText()
    else {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' })
    response.end(reply ?? '')
  }

  const server = createServer((request, response) => {
    const isOwn = (request.url ?? '').startsWith('/witness/')
    if (isCut && (!isOwn || request.url === '/witness/rows.jsonl')) request.socket.destroy()
    else if (isOwn) answer(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)))
    else {
      // A Hub whose files are worth keeping: the bundled one, seen from elsewhere.
      if ((request.url ?? '').startsWith(`/${remoteHub}/`))
        request.url = (request.url ?? '').replace(`/${remoteHub}/`, '/hub/').replace(keptModel, 'yardstick/pico')
      serveApp(request, response)
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const address = server.address()
  const witness: Witness = {
    address: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/`,
    computed: [],
    acked: [],
    wrote: new Map(),
    keptTokens: new Map(),
    wroteAgain: 0,
    passed: new Map(),
    breaches: [],
    habits: { msPerBatch: 5, isNoisy: false },
    arm: (name, occurrence, deed) => {
      point = { name, left: occurrence, deed }
    },
    armAfterBatches: (left, deed) => {
      batches = { left, deed }
    },
    armAfterTokens: (left, deed) => {
      tokens = { left, deed }
    },
    disarm: () => {
      point = null
      batches = null
      tokens = null
    },
    isArmed: () => point !== null || batches !== null || tokens !== null,
    cut: () => {
      isCut = true
    },
    restore: () => {
      isCut = false
    },
    forget: () => {
      witness.computed.length = 0
      witness.acked.length = 0
      witness.breaches.length = 0
      witness.passed.clear()
      witness.wrote.clear()
      witness.keptTokens.clear()
      witness.wroteAgain = 0
      itemOfLogprobs.clear()
      itemOfKey.clear()
      ackedItems.clear()
    },
    forgive: (keys) => {
      for (const key of keys) ackedItems.delete(itemOfKey.get(key) ?? '')
    },
    close: () =>
      new Promise((done) => {
        server.closeAllConnections()
        server.close(() => {
          done()
        })
      }),
  }
  return witness
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer) // A request without an encoding gives buffers.
  return Buffer.concat(parts).toString()
}
