/** A request that fails without an answer: whether it was the Hub that didn't answer, or the host that it sends us on to. */
import { EvalError, isEvalError } from '../../base/errors.ts'
import type { Source } from './read-part.ts'

/** Silent tries in a row, after which the Hub is asked what it does. */
export const triesBeforeAsking = 4

/** True for a request that failed without any answer: no status, no byte. A browser says no more, whatever the reason was. */
export function isSilence(error: unknown): boolean {
  return isEvalError(error) && error.code === 'hub/unreachable' && error.details['status'] === undefined && error.cause !== undefined
}

/**
 * The error to give up with when the Hub itself answers with a redirect: then it is the other host that can't be read. A page is never
 * told where a redirect leads, so the host is named from earlier answers if there were any. Else `error` as it is.
 */
export async function explainSilence(source: Source, error: unknown): Promise<unknown> {
  const { fetch, address, headers, wanted, redirects, signal } = source
  const { host } = new URL(address)
  let other: string | null
  try {
    const init = { headers, redirect: 'manual', cache: 'no-store', credentials: 'omit', referrerPolicy: 'no-referrer' } as const
    const response = await fetch(address, signal === undefined ? init : { ...init, signal })
    await response.body?.cancel()
    const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)
    if (!isRedirect) return error
    const location = response.headers.get('Location')
    other = location === null ? (redirects?.get(host) ?? null) : new URL(location, address).host
  } catch {
    return error
  }
  const name = other === null ? 'another host' : `another host, ${other}`
  return new EvalError(
    'hub/unreachable',
    `${host} sends ${wanted.what} from ${name}, which could not be read: it is down, blocked in this network, or does not allow this page to read it (CORS).`,
    { cause: error, details: { host, other, isFinal: true } },
  )
}
