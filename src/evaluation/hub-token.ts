/** What a Hub token may do, asked before it is kept in memory: one that can write is refused. */
import type { TokenCheck } from '../rpc/apis.ts'
import type { Fetch } from '../data/http.ts'

/** Long enough for a slow network; a Hub that doesn't answer is no reason to refuse a token. */
const limitMs = 10_000

/** True for what the Hub's tokens look like. Anything else in the field is a mistake, perhaps a password: it isn't sent anywhere. */
export function looksLikeToken(text: string): boolean {
  return /^hf_[\w.-]{8,}$/.test(text)
}

/** Asks `GET /api/whoami-v2` of the Hub at `base`, the one address that may see the token. */
export async function checkToken(fetch: Fetch, base: string, token: string): Promise<TokenCheck> {
  let answer: unknown
  try {
    const response = await fetch(`${base}/api/whoami-v2`, {
      headers: { Authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(limitMs),
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      redirect: 'error',
      cache: 'no-store',
    })
    if (response.status === 401) return { verdict: 'unknown', name: null }
    if (!response.ok) return { verdict: 'unchecked', name: null }
    answer = await response.json()
  } catch {
    return { verdict: 'unchecked', name: null }
  }
  const name = isRecord(answer) && typeof answer['name'] === 'string' ? answer['name'] : null
  return { verdict: mayWrite(answer) ? 'may-write' : 'accepted', name }
}

/** A classic token with the role `write`, or a fine-grained one that may change a repository. */
function mayWrite(answer: unknown): boolean {
  const auth = isRecord(answer) ? answer['auth'] : null
  const token = isRecord(auth) ? auth['accessToken'] : null
  if (!isRecord(token)) return false
  if (token['role'] === 'write' || token['role'] === 'admin') return true
  const fine = token['fineGrained']
  const scopes: readonly unknown[] = isRecord(fine) && Array.isArray(fine['scoped']) ? fine['scoped'] : []
  return scopes.some((scope) => {
    const permissions: readonly unknown[] = isRecord(scope) && Array.isArray(scope['permissions']) ? scope['permissions'] : []
    return permissions.some((one) => typeof one === 'string' && /^repo\..*write$/.test(one))
  })
}

function isRecord(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
