/** Builds the harness page with the app's own Vite configuration and serves it beside model folders. */
import { createReadStream, statSync } from 'node:fs'
import { extname, normalize, resolve } from 'node:path'
import { buildPage } from '../../../src/cli/browser/page-build.ts'
import { insideOf, listenHere } from '../../../src/cli/browser/this-machine.ts'

/** Builds into a new temporary folder and gives its path. */
export async function buildHarness(): Promise<string> {
  return buildPage(resolve('tests/browser/engine-harness'), 'engine-harness')
}

const types: { readonly [extension: string]: string } = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
}

// The policy that the app ships: nothing but its own origin, workers from blobs.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self'"

export interface Server {
  readonly address: string
  /** Paths asked for so far. */
  readonly requests: string[]
  close(): Promise<void>
}

/** Serves `site` at `/` and `models` at `/models/`, with the app's CSP, and cross-origin isolation when asked. */
export async function serve(site: string, models: string, isIsolated: boolean): Promise<Server> {
  const requests: string[] = []
  const { port, close } = await listenHere(
    (request, response) => {
      const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname))
      requests.push(path)
      const file = path.startsWith('/models/')
        ? insideOf(models, path.slice('/models'.length))
        : insideOf(site, path === '/' ? 'index.html' : path)
      if (file === null || !statSync(file).isFile()) {
        response.writeHead(404).end()
        return
      }
      response.writeHead(200, {
        'Content-Type': types[extname(path)] ?? (path === '/' ? 'text/html' : 'application/octet-stream'),
        'Content-Security-Policy': policy,
        ...(isIsolated ? { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' } : {}),
      })
      createReadStream(file).pipe(response)
    },
    { port: 0 },
  )
  return { address: `http://127.0.0.1:${port}/`, requests, close }
}
