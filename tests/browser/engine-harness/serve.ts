/** Builds the harness page with the app's own Vite configuration and serves it beside model folders. */
import { createReadStream, existsSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize, resolve } from 'node:path'
import { buildPage } from '../../../scripts/lib/page-build.ts'

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
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname))
    requests.push(path)
    const file = path.startsWith('/models/') ? join(models, path.slice('/models'.length)) : join(site, path === '/' ? 'index.html' : path)
    if (!existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, {
      'Content-Type': types[extname(file)] ?? 'application/octet-stream',
      'Content-Security-Policy': policy,
      ...(isIsolated ? { 'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp' } : {}),
    })
    createReadStream(file).pipe(response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  // A listening TCP server's address is never a string or null.
  const { port } = server.address() as AddressInfo
  return {
    address: `http://127.0.0.1:${port}/`,
    requests,
    close: async () =>
      new Promise((closed) => {
        server.closeAllConnections()
        server.close(() => {
          closed()
        })
      }),
  }
}
