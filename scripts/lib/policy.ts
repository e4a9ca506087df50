/** The headers of `public/_headers`, so that our server sends exactly what a static host would. */
import { readFileSync } from 'node:fs'

export type HeaderList = readonly (readonly [name: string, value: string])[]

/** The headers that a `_headers` file gives to every path (its `/*` block). */
export function parseHeadersFile(text: string): HeaderList {
  const headers: (readonly [string, string])[] = []
  let isForAll = false
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue
    if (!/^\s/.test(line)) isForAll = line.trim() === '/*'
    else if (isForAll) {
      const at = line.indexOf(':')
      if (at > 0) headers.push([line.slice(0, at).trim(), line.slice(at + 1).trim()])
    }
  }
  return headers
}

/** The headers of the built app, with `hub` allowed as an address to fetch from when one is given. */
export function appHeaders(headersFile: string, hub: string | null): HeaderList {
  const headers = parseHeadersFile(readFileSync(headersFile, 'utf8'))
  return headers.map(([name, value]) => [name, name.toLowerCase() === 'content-security-policy' ? allowHub(value, hub) : value])
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
