/** The headers of `public/_headers`, so that our server sends exactly what a static host would. */
import { readFileSync } from 'node:fs'

type HeaderList = readonly (readonly [name: string, value: string])[]

interface HeaderRule {
  /** A path, or with `*` at its end whatever begins so. */
  readonly pattern: string
  readonly headers: HeaderList
}

/** The rules of a `_headers` file, in their order. */
export function parseHeadersFile(text: string): readonly HeaderRule[] {
  const rules: { readonly pattern: string; readonly headers: (readonly [string, string])[] }[] = []
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    const at = line.indexOf(':')
    if (!/^\s/.test(line)) rules.push({ pattern: line.trim(), headers: [] })
    else if (at > 0) rules.at(-1)?.headers.push([line.slice(0, at).trim(), line.slice(at + 1).trim()])
  }
  return rules
}

/** The headers for `path`. As on static hosts, a name that several rules give gets all their values, joined by commas. */
export function headersAt(rules: readonly HeaderRule[], path: string): HeaderList {
  const headers = new Map<string, string>()
  for (const { pattern, headers: own } of rules) {
    const isMeant = pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : path === pattern
    for (const [name, value] of isMeant ? own : []) headers.set(name, [...(headers.has(name) ? [headers.get(name)] : []), value].join(', '))
  }
  return [...headers]
}

/** The headers of the built app by path, with `hub` allowed as an address to fetch from when one is given. */
export function appHeaders(headersFile: string, hub: string | null): (path: string) => HeaderList {
  const rules = parseHeadersFile(readFileSync(headersFile, 'utf8'))
  return (path) =>
    headersAt(rules, path).map(([name, value]) => [
      name,
      name.toLowerCase() === 'content-security-policy' && !isAddressFrame(path) ? allowHub(value, hub) : value,
    ])
}

/** The frame for the one address that a user typed has its own policy, in which the Hub has no part. */
export function isAddressFrame(path: string): boolean {
  return /(^|\/)address(\.html)?$/.test(path)
}

/**
 * The policy with a Hub's sources in `connect-src`. Large files redirect to another port or host name of the same machine, and
 * a policy is checked at every hop, so every port of the Hub's host is allowed; for a loopback address under its usual names.
 */
export function allowHub(policy: string, hub: string | null): string {
  if (hub === null) return policy
  const { protocol, hostname } = new URL(hub)
  const isLoopback = hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]'
  const hosts = isLoopback ? ['localhost', '127.0.0.1'] : [hostname, `*.${hostname}`]
  const sources = hosts.map((host) => `${protocol}//${host}:*`).join(' ')
  return policy.replace(/(connect-src[^;]*)/, `$1 ${sources}`)
}

/** The page with the Hub allowed in its own `<meta>` policy too: a browser obeys both that and the header. */
export function allowHubInPage(html: string, hub: string): string {
  return html.replace(
    /(http-equiv="Content-Security-Policy"\s+content=")([^"]*)"/i,
    (_match, start: string, policy: string) => `${start}${allowHub(policy, hub)}"`,
  )
}
