/** What can go wrong with one answer of the mock Hub, and how it is done to the answer of a healthy one. */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

export type Fault =
  /** The connection breaks after so many bytes of the body (-1: before the headers). */
  | { readonly kind: 'cut'; readonly afterBytes: number }
  /** So many bytes of the body, then silence. */
  | { readonly kind: 'stall'; readonly afterBytes: number }
  | { readonly kind: 'slow'; readonly bytesPerStep: number; readonly stepMs: number }
  /** Range is ignored: 200 and the whole file. */
  | { readonly kind: 'whole' }
  /** 416, naming this size of the file, or none. */
  | { readonly kind: 'unsatisfiable'; readonly bytes: number | null }
  /** `Content-Range` is moved by so many bytes, the body is not. */
  | { readonly kind: 'wrong-range'; readonly by: number }
  /** `Content-Range` names a file of another size. */
  | { readonly kind: 'wrong-total'; readonly by: number }
  /** The body is longer (or shorter) by so many bytes, with a `Content-Length` to match. */
  | { readonly kind: 'wrong-length'; readonly by: number }
  /** The body ends early and cleanly, without a `Content-Length`. */
  | { readonly kind: 'truncated'; readonly afterBytes: number }
  /** One byte of the body is another. */
  | { readonly kind: 'wrong-byte'; readonly at: number }
  /** A page in place of the body. */
  | { readonly kind: 'page'; readonly type: 'html' | 'json'; readonly status?: number }
  | { readonly kind: 'status'; readonly status: number; readonly headers?: { readonly [name: string]: string } }
  /** Without the headers that let a page of another origin read the answer, or only without those that show it other headers. */
  | { readonly kind: 'no-cors'; readonly missing: 'origin' | 'exposed' }
  /** Packed on the way, as by a proxy; the range that was asked for stands. */
  | { readonly kind: 'gzip' }
  /** The right beginning, then bytes without an end, whatever `Content-Length` the healthy answer has. */
  | { readonly kind: 'endless' }
  /** 206 without a `Content-Range`. */
  | { readonly kind: 'no-range-header' }

/** The healthy answer that a fault is done to. */
export interface HealthyAnswer {
  readonly status: number
  readonly headers: { readonly [name: string]: string }
  readonly body: AsyncIterable<Uint8Array>
  /** The same file asked for without a range. */
  readonly whole: () => Promise<HealthyAnswer>
}

/** Sends the answer, with the fault if there is one. Resolves once it is sent or cut; a stall never resolves. */
export async function sendWithFault(response: ServerResponse, answer: HealthyAnswer, fault: Fault | null): Promise<void> {
  switch (fault?.kind) {
    case undefined:
      return send(response, answer)
    case 'cut':
      if (fault.afterBytes < 0) response.destroy()
      else await sendPart(response, answer, fault.afterBytes, () => response.destroy())
      return
    case 'stall':
      return sendPart(response, answer, fault.afterBytes, () => new Promise<void>(() => undefined))
    case 'slow':
      return send(response, { ...answer, body: slowed(answer.body, fault.bytesPerStep, fault.stepMs) })
    case 'whole':
      return send(response, await answer.whole())
    case 'unsatisfiable': {
      const range: { [name: string]: string } = fault.bytes === null ? {} : { 'content-range': `bytes */${fault.bytes}` }
      return sendText(response, 416, { ...openHeaders(answer), ...range }, '')
    }
    case 'wrong-range':
    case 'wrong-total':
      return send(response, { ...answer, headers: { ...answer.headers, ...changedRange(answer.headers['content-range'], fault) } })
    case 'wrong-length':
      return sendOtherLength(response, answer, fault.by)
    case 'truncated':
      return sendPart(response, withoutHeader(answer, 'content-length'), fault.afterBytes, () => response.end())
    case 'wrong-byte':
      return send(response, { ...answer, body: changed(answer.body, fault.at) })
    case 'page':
      return fault.type === 'html'
        ? sendText(response, fault.status ?? 200, { ...openHeaders(answer), 'content-type': 'text/html' }, '<!doctype html><p>Log in</p>')
        : sendText(response, fault.status ?? 200, { ...openHeaders(answer), 'content-type': 'application/json' }, '{"error":"busy"}')
    case 'status':
      return sendText(response, fault.status, { ...openHeaders(answer), ...fault.headers }, '')
    case 'no-cors': {
      const origin = fault.missing === 'origin' ? withoutHeader(answer, 'access-control-allow-origin') : answer
      return send(response, withoutHeader(origin, 'access-control-expose-headers'))
    }
    case 'gzip':
      return sendPacked(response, answer)
    case 'endless':
      return send(response, { ...withoutHeader(answer, 'content-length'), body: endless(answer.body) })
    case 'no-range-header':
      return send(response, withoutHeader(answer, 'content-range'))
  }
}

/** Sends the answer as it is. */
async function send(response: ServerResponse, { status, headers, body }: HealthyAnswer): Promise<void> {
  response.writeHead(status, headers)
  for await (const part of body) if (!(await write(response, part))) return
  response.end()
}

async function sendPart(response: ServerResponse, answer: HealthyAnswer, bytes: number, then: () => unknown): Promise<void> {
  response.writeHead(answer.status, answer.headers)
  // Even an answer without a byte has its headers sent before the connection breaks.
  response.flushHeaders()
  let left = bytes
  for await (const part of answer.body) {
    if (left > 0 && !(await write(response, part.subarray(0, left)))) return
    left -= part.length
    if (left <= 0) break
  }
  await then()
}

async function sendOtherLength(response: ServerResponse, answer: HealthyAnswer, by: number): Promise<void> {
  const parts: Uint8Array[] = []
  for await (const part of answer.body) parts.push(part)
  const body = Buffer.concat(parts)
  const other = by < 0 ? body.subarray(0, Math.max(0, body.length + by)) : Buffer.concat([body, Buffer.alloc(by, 'x')])
  response.writeHead(answer.status, { ...answer.headers, 'content-length': String(other.length) }).end(other)
}

async function sendPacked(response: ServerResponse, answer: HealthyAnswer): Promise<void> {
  const parts: Uint8Array[] = []
  for await (const part of answer.body) parts.push(part)
  const packed = gzipSync(Buffer.concat(parts))
  response.writeHead(answer.status, { ...answer.headers, 'content-encoding': 'gzip', 'content-length': String(packed.length) }).end(packed)
}

function sendText(response: ServerResponse, status: number, headers: { readonly [name: string]: string }, text: string): void {
  response.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(text)) }).end(text)
}

/** False once nobody listens any more. */
async function write(response: ServerResponse, part: Uint8Array): Promise<boolean> {
  if (response.destroyed) return false
  if (response.write(part)) return true
  await new Promise<void>((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go)
      resolve()
    }
    response.once('drain', go).once('close', go)
  })
  return !response.destroyed
}

async function* slowed(body: AsyncIterable<Uint8Array>, bytesPerStep: number, stepMs: number): AsyncIterable<Uint8Array> {
  for await (const part of body) {
    for (let at = 0; at < part.length; at += bytesPerStep) {
      await sleep(stepMs)
      yield part.subarray(at, at + bytesPerStep)
    }
  }
}

async function* endless(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  yield* body
  for (;;) yield new Uint8Array(65_536)
}

async function* changed(body: AsyncIterable<Uint8Array>, at: number): AsyncIterable<Uint8Array> {
  let from = 0
  for await (const part of body) {
    const index = at - from
    from += part.length
    if (index < 0 || index >= part.length) yield part
    else yield part.map((byte, position) => (position === index ? byte ^ 1 : byte))
  }
}

function changedRange(
  header: string | undefined,
  fault: Extract<Fault, { kind: 'wrong-range' | 'wrong-total' }>,
): { [name: string]: string } {
  const match = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(header ?? '')
  if (match === null) return {}
  const [start, end, total] = match.slice(1).map(Number)
  const moved = fault.kind === 'wrong-range' ? fault.by : 0
  const grown = fault.kind === 'wrong-total' ? fault.by : 0
  return { 'content-range': `bytes ${(start ?? 0) + moved}-${(end ?? 0) + moved}/${(total ?? 0) + grown}` }
}

function withoutHeader(answer: HealthyAnswer, name: string): HealthyAnswer {
  return { ...answer, headers: Object.fromEntries(Object.entries(answer.headers).filter(([key]) => key !== name)) }
}

/** The headers that let a page read the answer at all. */
function openHeaders({ headers }: HealthyAnswer): { [name: string]: string } {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => /^(access-control-|cross-origin-)/.test(name)))
}
