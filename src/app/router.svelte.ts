/** Hash routes of the page, read from and written to `location.hash`. */

export type Query = { readonly [name: string]: string }

export type Route =
  | { readonly page: 'setup'; readonly query: Query }
  | { readonly page: 'run'; readonly runId: string; readonly query: Query }
  | { readonly page: 'runs'; readonly query: Query }
  | { readonly page: 'task'; readonly query: Query }
  | { readonly page: 'about'; readonly query: Query }
  | { readonly page: 'storage'; readonly query: Query }
  | { readonly page: 'lab'; readonly query: Query }
  | { readonly page: 'compare'; readonly query: Query }
  | { readonly page: 'open'; readonly query: Query }
  | { readonly page: 'shared'; readonly payload: string; readonly query: Query }
  | { readonly page: 'not-found'; readonly path: string; readonly query: Query }

/** Stands in for the run id until the run has one: the phases before the first stored record. */
export const startingRunId = 'starting'

/** The route that a hash such as `#/run/abc?task=x` names; anything unknown is `not-found`, never an error. */
export function parseRoute(hash: string): Route {
  // A payload is checked by whoever reads it; whatever it holds, this is the page that says so.
  const shared = /^#?\/r(?:\/|$)/.exec(hash)
  if (shared !== null) return { page: 'shared', payload: hash.slice(shared[0].length), query: {} }
  const [path = '', search = ''] = splitOnce(hash.replace(/^#/, ''), '?')
  const query = parseQuery(search)
  if (path === '' || path === '/') return { page: 'setup', query }
  if (path === '/runs') return { page: 'runs', query }
  if (path === '/task') return { page: 'task', query }
  if (path === '/about') return { page: 'about', query }
  if (path === '/lab') return { page: 'lab', query }
  if (path === '/compare') return { page: 'compare', query }
  if (path === '/open') return { page: 'open', query }
  if (path === '/storage') return { page: 'storage', query }
  const runId = /^\/run\/([^/]+)$/.exec(path)?.[1]
  const decoded = runId === undefined ? null : decode(runId)
  if (decoded !== null) return { page: 'run', runId: decoded, query }
  return { page: 'not-found', path: decode(path) ?? path, query }
}

/** The hash of a path and a query; values that are empty are left out, so a link stays short. */
export function formatHash(path: string, query: Query = {}): string {
  const search = Object.entries(query)
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${encode(name)}=${encodeValue(value)}`)
    .join('&')
  return `#${path}${search === '' ? '' : `?${search}`}`
}

export function runHash(runId: string, query: Query = {}): string {
  return formatHash(`/run/${encode(runId)}`, query)
}

/** Follows the address bar. `route` is the only state; `go` adds a history entry, `replace` doesn't. */
export class Router {
  route: Route = $state.raw({ page: 'setup', query: {} })
  /** How often the reader went to another place since the page was loaded; a changed query or `replace` doesn't count. */
  visits = $state.raw(0)

  constructor() {
    this.#read()
  }

  /** Starts listening; returns the function that stops. */
  listen(): () => void {
    const read = () => {
      const before = placeOf(this.route)
      this.#read()
      if (placeOf(this.route) !== before) this.visits += 1
    }
    addEventListener('hashchange', read)
    return () => removeEventListener('hashchange', read)
  }

  go(hash: string): void {
    location.hash = hash
  }

  replace(hash: string): void {
    history.replaceState(history.state, '', hash)
    this.#read()
  }

  #read(): void {
    this.route = parseRoute(typeof location === 'undefined' ? '' : location.hash)
  }
}

function placeOf(route: Route): string {
  if (route.page === 'run') return `run ${route.runId}`
  return route.page === 'shared' ? `shared ${route.payload}` : route.page
}

function parseQuery(search: string): Query {
  return Object.fromEntries(new URLSearchParams(search))
}

/** Commas, slashes and colons are legal in a fragment and make task lists and model ids readable. */
function encodeValue(value: string): string {
  return encode(value).replace(/%2C/g, ',').replace(/%2F/g, '/').replace(/%3A/g, ':')
}

/** Untrusted text may hold half a surrogate pair, which `encodeURIComponent` throws for. */
function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'))
}

function decode(part: string): string | null {
  try {
    return decodeURIComponent(part)
  } catch {
    return null
  }
}

function splitOnce(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}
