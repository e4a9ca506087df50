/** What a browser fetches to show the page, before any worker starts: found by following the built files' own references. */
import { readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { gzipSync } from 'node:zlib'
import { append } from '../../src/base/arrays.ts'

export interface LoadedFile {
  readonly path: string
  readonly gzipBytes: number
}

/** `page` and every script, style and image that it loads by itself: tags, and static imports of scripts. */
export function firstLoad(folder: string, page: string): LoadedFile[] {
  const seen = new Set<string>()
  const waiting = [page]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue
    seen.add(path)
    append(waiting, references(folder, path))
  }
  return [...seen].sort().map((path) => ({ path, gzipBytes: gzipSync(readFileSync(join(folder, path))).length }))
}

function references(folder: string, path: string): string[] {
  if (!/\.(html|js|mjs)$/.test(path)) return []
  const text = readFileSync(join(folder, path), 'utf8')
  const found = path.endsWith('.html') ? pageReferences(text) : staticImports(text)
  return found
    .filter((address) => !/^[a-z]+:/i.test(address))
    .map((address) => posix.normalize(posix.join(dirname(path), address.replace(/^\//, ''))))
}

/** Addresses of `src` and `href` in a page. */
export function pageReferences(html: string): string[] {
  return [...html.matchAll(/<(?:script|link|img)\b[^>]*?\b(?:src|href)="([^"]+)"/g)].flatMap(([, address]) =>
    address === undefined ? [] : [address],
  )
}

/** Addresses of static imports and re-exports in a built script; `import()` loads later and doesn't count. */
export function staticImports(script: string): string[] {
  return [...script.matchAll(/(?:^|[;}\s])(?:import|export)\s*(?:[\w$*{][^;'"()]*?from\s*)?["'](\.[^"']+)["']/g)].flatMap(([, address]) =>
    address === undefined ? [] : [address],
  )
}
