/*
 * The service worker that a user asks for on the storage page: it keeps this build's own files, so that the app opens and runs without a
 * network. It never runs otherwise (docs/decisions/0063-offline-when-asked.md).
 *
 * Pages and everything with a name of its own come from the network while there is one, so that no old version is ever served beside a new
 * one; files below assets/ carry their hash in their name and are taken from what is kept. Requests to other origins aren't touched.
 */
const build = new URL(self.location.href).searchParams.get('build') ?? ''
const prefix = 'yardstick-offline-'
const scope = new URL('./', self.location.href)

self.addEventListener('install', (event) => event.waitUntil(keepAll()))
self.addEventListener('activate', (event) => event.waitUntil(dropOthers()))
self.addEventListener('fetch', (event) => {
  const { request } = event
  const url = new URL(request.url)
  if (request.method !== 'GET' || url.origin !== scope.origin || !url.pathname.startsWith(scope.pathname)) return
  event.respondWith(answer(request, url))
})

async function keepAll() {
  const list = await (await fetch(new URL('offline.json', scope), { cache: 'no-store' })).json()
  if (list.build !== build) throw new Error('the files have changed since the page was opened: reload it')
  const cache = await caches.open(prefix + build)
  const held = new Set((await cache.keys()).map(({ url }) => url))
  // One after the other: a failed download leaves those before it, and the next try goes on from there.
  for (const { path, suspends } of list.files) {
    // A build of the engine that this browser never loads.
    if (suspends !== undefined && suspends !== 'Suspending' in WebAssembly) continue
    const address = new URL(path, scope).href
    if (!held.has(address)) await cache.add(new Request(address, { cache: 'no-cache' }))
  }
}

async function dropOthers() {
  for (const name of await caches.keys()) if (name.startsWith(prefix) && name !== prefix + build) await caches.delete(name)
}

async function answer(request, url) {
  const isPage = request.mode === 'navigate'
  const isHashed = url.pathname.startsWith(`${scope.pathname}assets/`)
  if (isHashed) return (await kept(request, url.href)) ?? fetch(request)
  try {
    return await fetch(request)
  } catch (error) {
    const stored = await kept(request, isPage ? new URL('index.html', scope).href : url.href)
    if (stored === null) throw error
    return stored
  }
}

async function kept(request, address) {
  // Not by opening the cache, which would make it again once it was removed.
  const response = await caches.match(address, { cacheName: prefix + build, ignoreSearch: true, ignoreVary: true })
  if (response === undefined) return null
  const range = /^bytes=(\d+)-(\d*)$/.exec(request.headers.get('range') ?? '')
  if (range === null) return response
  const whole = await response.blob()
  const start = Number(range[1])
  const end = range[2] === '' ? whole.size - 1 : Math.min(Number(range[2]), whole.size - 1)
  const headers = new Headers(response.headers)
  headers.set('Content-Range', `bytes ${start}-${end}/${whole.size}`)
  headers.set('Content-Length', String(end - start + 1))
  return new Response(whole.slice(start, end + 1), { status: 206, statusText: 'Partial Content', headers })
}
