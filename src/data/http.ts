/** One request, with its failures told apart. */
import { EvalError } from '../core/errors.ts'

export type Fetch = (address: string, init: RequestInit) => Promise<Response>

export interface Watched {
  readonly signal?: AbortSignal
  /** Called with the bytes received so far. */
  readonly onBytes?: (loaded: number) => void
}

/** A response that sends nothing for this long is given up. A slow one isn't: there is no limit to the whole. */
export const idleLimitMs = 30_000

/** What was asked for, for messages: "model 'a/b' at revision 'main'", and the page where access is granted. */
export interface Wanted {
  readonly what: string
  readonly page: string | null
}

/**
 * The body of a GET. Throws `hub/unreachable` (network, 5xx, silence), `hub/unauthorized` (401), `hub/gated` (terms not accepted),
 * `hub/not-found` (404), `hub/rate-limited` (429), `run/stopped` when `signal` fires. A body longer than `limitBytes` is cut one byte after it.
 */
export async function download(
  fetch: Fetch,
  address: string,
  headers: { readonly [name: string]: string },
  wanted: Wanted,
  { signal, onBytes, limitBytes }: Watched & { readonly limitBytes?: number },
): Promise<{ readonly bytes: Uint8Array; readonly response: Response }> {
  const watchdog = new AbortController()
  const host = new URL(address).host
  let timer: ReturnType<typeof setTimeout> | undefined
  const rearm = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      watchdog.abort(
        new EvalError('hub/unreachable', `${host} sent nothing for ${idleLimitMs / 1000} s while fetching ${wanted.what}.`, {
          details: { host },
        }),
      )
    }, idleLimitMs)
  }
  const stop = (): void => {
    watchdog.abort(new EvalError('run/stopped', `Stopped while fetching ${wanted.what}.`))
  }
  if (signal?.aborted === true) stop()
  signal?.addEventListener('abort', stop)
  rearm()
  try {
    const response = await fetch(address, { headers, signal: watchdog.signal, credentials: 'omit', referrerPolicy: 'no-referrer' })
    if (!response.ok) throw refusal(response, host, wanted)
    const bytes = await readBody(response, limitBytes, (loaded) => {
      rearm()
      onBytes?.(loaded)
    })
    return { bytes, response }
  } catch (error) {
    if (watchdog.signal.aborted) throw watchdog.signal.reason
    if (error instanceof EvalError) throw error
    throw new EvalError('hub/unreachable', `${host} could not be reached while fetching ${wanted.what}.`, {
      cause: error,
      details: { host },
    })
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

async function readBody(response: Response, limit: number | undefined, onBytes: (loaded: number) => void): Promise<Uint8Array> {
  // One allocation where the size is known (and a byte to notice more): large files would need twice their size otherwise.
  let buffer = new Uint8Array(limit === undefined ? 65_536 : limit + 1)
  let loaded = 0
  const reader = response.body?.getReader()
  while (reader !== undefined) {
    const { done, value } = await reader.read()
    if (done) break
    if (loaded + value.length > buffer.length) {
      if (limit !== undefined) {
        buffer.set(value.subarray(0, buffer.length - loaded), loaded)
        await reader.cancel()
        return buffer
      }
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

function refusal(response: Response, host: string, { what, page }: Wanted): EvalError {
  const { status } = response
  const reason = response.headers.get('X-Error-Code')
  const details = { host, status, page }
  const visit = page === null ? '' : ` See ${page}.`
  if (reason === 'GatedRepo' || (status === 403 && reason === null)) {
    return new EvalError('hub/gated', `${host} gives ${what} only to those who have accepted its terms (${status}).${visit}`, { details })
  }
  if (status === 404 || reason === 'RepoNotFound' || reason === 'EntryNotFound' || reason === 'RevisionNotFound') {
    const hint = status === 401 ? ' If it is private, a token is needed.' : ''
    return new EvalError('hub/not-found', `${host} has no ${what}.${hint}`, { details })
  }
  if (status === 401)
    return new EvalError(
      'hub/unauthorized',
      `${host} has no public ${what}: it does not exist, or it is private and needs a token.${visit}`,
      { details },
    )
  if (status === 403) return new EvalError('hub/unauthorized', `${host} refuses ${what} to this token (403).${visit}`, { details })
  if (status === 429) {
    const seconds = waitingSeconds(response.headers)
    const wait = seconds === null ? '' : ` Try again in ${seconds} s.`
    return new EvalError('hub/rate-limited', `${host} allows no more requests for now.${wait}`, {
      details: { ...details, retryAfterSeconds: seconds },
    })
  }
  return new EvalError('hub/unreachable', `${host} answered ${status} for ${what}.`, { details })
}

/** From `Retry-After: 30`, or the Hub's `RateLimit: "api";r=0;t=30`. */
function waitingSeconds(headers: Headers): number | null {
  const text = headers.get('Retry-After') ?? /(?:^|;)\s*t=(\d+)/.exec(headers.get('RateLimit') ?? '')?.[1] ?? ''
  return /^\d+$/.test(text) ? Number(text) : null
}
