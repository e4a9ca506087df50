/** What a Hub token may do, asked before it is kept in memory: one that can write is refused. */
import { isRecord } from '../../base/guards.ts'
import type { Fetch } from '../../data/hub/http.ts'
import type { TokenCheck } from '../../rpc/run-worker-api.ts'

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

/**
 * A classic token with a role above `read`, or a fine-grained one with any permission to write: to repositories, but also to posts,
 * webhooks, jobs or an organisation, in its `scoped` list or for the whole account in `global`.
 */
function mayWrite(answer: unknown): boolean {
  const auth = isRecord(answer) ? answer['auth'] : null
  const token = isRecord(auth) ? auth['accessToken'] : null
  if (!isRecord(token)) return false
  const { role, fineGrained } = token
  if (typeof role === 'string' && role !== 'read' && role !== 'fineGrained') return true
  return textsIn(fineGrained).some((permission) => /(?:^|\.)(?:write|admin)$/i.test(permission))
}

/** Every text in a value, at any depth, but the names of what a permission is for: a new place for permissions is looked at too. */
function textsIn(value: unknown): readonly string[] {
  const texts: string[] = []
  const waiting: unknown[] = [value]
  while (waiting.length > 0) {
    const one = waiting.pop()
    if (typeof one === 'string') texts.push(one)
    else if (Array.isArray(one)) for (const inner of one as readonly unknown[]) waiting.push(inner)
    else if (isRecord(one)) for (const [key, inner] of Object.entries(one)) if (key !== 'entity') waiting.push(inner)
  }
  return texts
}
