/** One request, with its failures told apart. Trying again is `download/retry.ts`'s. */
import { EvalError, isEvalError } from '../../base/errors.ts'
import { realClock, type Clock } from '../download/clock.ts'

export type Fetch = (address: string, init: RequestInit) => Promise<Response>

export interface Watched {
  readonly signal?: AbortSignal
  /** Called with the bytes received so far. */
  readonly onBytes?: (loaded: number) => void
}

/** A response that sends nothing for this long is given up. A slow one isn't: there is no limit to the whole. */
export const idleLimitMs = 30_000

/** Fewer bytes within that time are as good as none: by 17 bytes a second no file would ever come, and another connection may do better. */
const leastBytes = 512

/** An answer of an API, in memory: the largest listings have a few megabytes. */
const mostAnswerBytes = 64 * 2 ** 20

/** What `use` throws about an answer that came; `withResponse` lets it through. */
export class AnswerError extends Error {}

/** What was asked for, for messages: "model 'a/b' at revision 'main'", and the page where access is granted; null for what is no repository. */
export interface ResourceLabel {
  readonly what: string
  readonly page: string | null
  /** What is said of a Hub without it, after the Hub's name, where "has no" and `what` make no sentence. */
  readonly absent?: string
}

interface Get {
  readonly fetch: Fetch
  readonly address: string
  readonly headers: { readonly [name: string]: string }
  readonly wanted: ResourceLabel
  readonly signal?: AbortSignal | undefined
  readonly clock?: Clock | undefined
}

/**
 * The body of a GET. Throws `hub/unreachable` (network, 5xx, silence), `hub/unauthorized` (401), `hub/gated` (terms not accepted),
 * `hub/not-found` (404), `hub/rate-limited` (429), `hub/corrupt` for a body beyond `mostAnswerBytes`, `run/stopped` when `signal` fires.
 */
export async function download(
  fetch: Fetch,
  address: string,
  headers: { readonly [name: string]: string },
  wanted: ResourceLabel,
  { signal, onBytes, clock }: Watched & { readonly clock?: Clock },
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly response: Response }> {
  return withResponse({ fetch, address, headers, wanted, signal, clock }, async (response, onSign) => {
    if (!response.ok) throw refusal(response, address, wanted, (clock ?? realClock).now())
    let before = 0
    const bytes = await readBody(response, (loaded) => {
      if (loaded > mostAnswerBytes)
        throw new EvalError('hub/corrupt', `${new URL(address).host} sends more than ${mostAnswerBytes / 2 ** 20} MiB for ${wanted.what}.`)
      onSign(loaded - before)
      before = loaded
      onBytes?.(loaded)
    })
    return { bytes, response }
  })
}

/**
 * Makes a GET and gives `use` the response; `use` calls `onSign` with every so many bytes that came. Whatever breaks the connection, in `use` too,
 * is `hub/unreachable`, 30 s of silence (or of a trickle) included; `run/stopped` when the signal fires; errors of ours go through.
 */
export async function withResponse<T>(
  { fetch, address, headers, wanted, signal, clock = realClock }: Get,
  use: (response: Response, onSign: (bytes: number) => void) => Promise<T>,
): Promise<T> {
  const connection = new AbortController()
  const host = new URL(address).host
  let disarm = (): void => undefined
  /** Since the alarm was set. */
  let unseen = 0
  const rearm = (): void => {
    disarm()
    unseen = 0
    disarm = clock.alarm(idleLimitMs, () => {
      const little = unseen === 0 ? 'nothing' : `${unseen} bytes`
      const message = `${host} sent ${little} for ${idleLimitMs / 1000} s while fetching ${wanted.what}.`
      connection.abort(new EvalError('hub/unreachable', message, { details: { host } }))
    })
  }
  const stop = (): void => {
    connection.abort(new EvalError('run/stopped', `Stopped while fetching ${wanted.what}.`))
  }
  if (signal?.aborted === true) stop()
  signal?.addEventListener('abort', stop)
  rearm()
  try {
    // Past the browser's own cache: what we keep lies in our store, and what isn't kept there should be kept nowhere. `erase` can't reach it.
    const init = { headers, cache: 'no-store', signal: connection.signal, credentials: 'omit', referrerPolicy: 'no-referrer' } as const
    const response = await fetch(address, init)
    rearm()
    return await use(response, (bytes) => {
      unseen += bytes
      if (unseen >= leastBytes) rearm()
    })
  } catch (error) {
    if (connection.signal.aborted) throw connection.signal.reason
    // A response that isn't wanted to its end would hold the connection.
    connection.abort()
    if (isEvalError(error) || error instanceof AnswerError) throw error
    throw new EvalError('hub/unreachable', `${host} could not be reached while fetching ${wanted.what}.`, {
      cause: error,
      details: { host },
    })
  } finally {
    disarm()
    signal?.removeEventListener('abort', stop)
  }
}

async function readBody(response: Response, onBytes: (loaded: number) => void): Promise<Uint8Array<ArrayBuffer>> {
  let buffer = new Uint8Array(65_536)
  let loaded = 0
  const reader = response.body?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    if (loaded + value.length > buffer.length) {
      const larger = new Uint8Array(Math.max(buffer.length * 2, loaded + value.length))
      larger.set(buffer)
      buffer = larger
    }
    buffer.set(value, loaded)
    loaded += value.length
    onBytes(loaded)
  }
  return buffer.subarray(0, loaded)
}

/** What an answer that isn't the wanted one says. `nowMs` is for waits that are given as a date. */
export function refusal(response: Response, address: string, { what, page, absent }: ResourceLabel, nowMs: number): EvalError {
  const { status } = response
  const { host } = new URL(address)
  const reason = response.headers.get('X-Error-Code')
  const details = { host, status, page }
  if (status === 429) {
    const seconds = waitingSeconds(response.headers, nowMs)
    const wait = seconds === null ? '' : ` Try again in ${seconds} s.`
    return new EvalError('hub/rate-limited', `${host} allows no more requests for now.${wait}`, {
      details: { ...details, retryAfterSeconds: seconds },
    })
  }
  const answered = response.url === '' ? host : new URL(response.url).host
  if (answered !== host && status < 500) {
    // What the host behind a redirect refuses is a link that has run out, not a matter of access: the Hub gives a new one.
    return new EvalError('hub/unreachable', `${host} sends ${what} from ${answered}, which answered ${status}.`, {
      details: { ...details, answered },
    })
  }
  const visit = page === null ? '' : ` See ${page}.`
  if (reason === 'GatedRepo' || (status === 403 && reason === null && page !== null)) {
    return new EvalError('hub/gated', `${host} gives ${what} only to those who have accepted its terms (${status}).${visit}`, { details })
  }
  if (status === 404 || reason === 'RepoNotFound' || reason === 'EntryNotFound' || reason === 'RevisionNotFound') {
    const hint = status === 401 ? ' If it is private, a token is needed.' : ''
    return new EvalError('hub/not-found', `${host} ${absent ?? `has no ${what}`}.${hint}`, { details })
  }
  if ((status === 401 || status === 403) && page === null)
    return new EvalError('hub/unauthorized', `${host} doesn't give ${what} to this browser (${status}): it may want a token.`, { details })
  if (status === 401)
    return new EvalError(
      'hub/unauthorized',
      `${host} has no public ${what}: it does not exist, or it is private and needs a token.${visit}`,
      { details },
    )
  if (status === 403) return new EvalError('hub/unauthorized', `${host} refuses ${what} to this token (403).${visit}`, { details })
  return new EvalError('hub/unreachable', `${answered} answered ${status} for ${what}.`, {
    details: { ...details, retryAfterSeconds: waitingSeconds(response.headers, nowMs) },
  })
}

/** Seconds to wait, from `Retry-After: 30`, `Retry-After: <date>`, or the Hub's `RateLimit: "api";r=0;t=30`; null when nothing says so. */
export function waitingSeconds(headers: Headers, nowMs: number): number | null {
  const asked = headers.get('Retry-After')?.trim() ?? ''
  if (/^\d+$/.test(asked)) return Number(asked)
  const date = asked === '' ? NaN : Date.parse(asked)
  if (!Number.isNaN(date)) return Math.max(0, Math.ceil((date - nowMs) / 1000))
  const limits = /(?:^|;)\s*t=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1]
  return limits === undefined ? null : Number(limits)
}
