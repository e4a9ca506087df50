/** The service worker's files. Imports nothing, since the first load asks for it where the worker is there. */

export interface OfflineList {
  readonly build: string
  /** Of all files together. */
  readonly bytes: number
}

/** Of ONNX Runtime's two builds for WebGPU this browser loads one, and so does `offline.js`. */
const canSuspend = 'Suspending' in WebAssembly

/** Brings what is kept up to the build that is open, for those who asked for it. Silent: without a network there is nothing to bring. */
export async function refreshOffline(): Promise<void> {
  const container: ServiceWorkerContainer | undefined = navigator.serviceWorker
  const registration = await container?.getRegistration('./')
  const list = registration === undefined ? null : await readList()
  if (list !== null) await install(list.build).catch(() => undefined)
}

/** What the build lists; null where a host has none. */
export async function readList(): Promise<OfflineList | null> {
  const response = await fetch('offline.json', { cache: 'no-store' }).catch(() => null)
  if (response === null || !response.ok) return null
  const list: unknown = await response.json().catch(() => null)
  // Written by our own build (tools/build/offline-list.ts); a host that answers everything with its start page is told apart by the shape.
  if (typeof list !== 'object' || list === null || !('build' in list) || !('files' in list) || !Array.isArray(list.files)) return null
  const files = list.files as readonly { readonly bytes: number; readonly suspends?: boolean }[]
  const kept = files.filter(({ suspends = canSuspend }) => suspends === canSuspend)
  return { build: String(list.build), bytes: kept.reduce((sum, { bytes }) => sum + bytes, 0) }
}

/** Resolves when the worker of this build has all its files. */
export async function install(build: string): Promise<void> {
  const registration = await navigator.serviceWorker.register(`offline.js?build=${build}`, { updateViaCache: 'none' })
  const worker = registration.installing ?? registration.waiting ?? registration.active
  if (worker === null || worker.state !== 'installing') return
  await new Promise<void>((resolve, reject) => {
    worker.addEventListener('statechange', () => {
      if (worker.state === 'redundant') reject(new Error('a file could not be fetched'))
      else if (worker.state !== 'installing') resolve()
    })
  })
}

/** Takes the worker and its files away, in part kept ones too. */
export async function removeOffline(): Promise<void> {
  // Neither is there on pages that are no secure context, whatever the types say.
  const { navigator: own, caches: kept } = globalThis as { navigator?: Partial<Navigator>; caches?: CacheStorage }
  await (await own?.serviceWorker?.getRegistration('./'))?.unregister()
  for (const name of (await kept?.keys()) ?? []) if (name.startsWith('yardstick-offline-')) await kept?.delete(name)
}
