/** The text of the `blob:` module that every worker starts from. */

/**
 * Everything by which a worker's code could reach the network, storage, other tabs, devices or another worker.
 * Names that a browser lacks are defined as `undefined` all the same.
 */
export const forbiddenGlobals: readonly string[] = [
  ...[
    'fetch',
    'fetchLater',
    'XMLHttpRequest',
    'WebSocket',
    'WebSocketStream',
    'WebTransport',
    'EventSource',
    'RTCPeerConnection',
    'RTCDataChannel',
  ],
  ...['indexedDB', 'caches', 'cookieStore', 'localStorage', 'sessionStorage', 'storageBuckets', 'sharedStorage'],
  ...[
    'webkitIndexedDB',
    'webkitRequestFileSystem',
    'webkitRequestFileSystemSync',
    'webkitResolveLocalFileSystemURL',
    'webkitResolveLocalFileSystemSyncURL',
  ],
  ...['FileReaderSync', 'FontFace', 'fonts', 'Notification', 'PushManager'],
  ...['BroadcastChannel', 'Worker', 'SharedWorker', 'importScripts', 'open'],
]

/** The same among `navigator`'s members. */
const forbiddenNavigator: readonly string[] = [
  ...['sendBeacon', 'storage', 'storageBuckets', 'serviceWorker', 'locks', 'gpu', 'ml', 'usb', 'serial', 'hid', 'bluetooth'],
  ...[
    'connection',
    'permissions',
    'mediaDevices',
    'credentials',
    'clipboard',
    'share',
    'push',
    'webkitTemporaryStorage',
    'webkitPersistentStorage',
  ],
]

/**
 * Script that takes the forbidden names away for good: on the global object, on `navigator` and on every prototype that holds them, each
 * becomes an `undefined` that can't be redefined. It throws when one is still there, so that a worker that can't be locked doesn't start.
 */
export function lockdownScript(): string {
  return `
const seal = (root, label, names) => {
  for (const name of names) {
    for (let holder = root; holder !== null && holder !== Object.prototype; holder = Object.getPrototypeOf(holder))
      if (holder === root || Object.hasOwn(holder, name))
        try { Object.defineProperty(holder, name, { value: undefined, writable: false, enumerable: false, configurable: false }) } catch {}
    if (root[name] !== undefined) throw new Error('can not take away ' + label + name)
  }
}
if (globalThis.navigator) seal(globalThis.navigator, 'navigator.', ${JSON.stringify(forbiddenNavigator)})
seal(globalThis, '', ${JSON.stringify(forbiddenGlobals)})
`
}

/**
 * A module that optionally locks its worker down and then imports the real file. The import is dynamic because a static one would run
 * before the lock. A file that can't be loaded is told to the starter, which no browser's `error` event does with a reason.
 */
export function bootstrapSource(address: string, isLocked: boolean): string {
  const load = `import(${JSON.stringify(address)}).catch((error) => tell(error))`
  const steps = isLocked ? `try {${lockdownScript()}${load} } catch (error) { tell(error) }` : load
  return `const tell = (error) => postMessage({ yardstick: 'failed', message: String(error) })\n${steps}\n`
}
