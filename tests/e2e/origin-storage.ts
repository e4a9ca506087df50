/** All that a browser keeps for one origin, as JSON: read out of one browser and put into another, past the app's own code. */
import type { Page } from '@playwright/test'

/** What JSON has stands as it is; anything else is an object whose `$` names its kind. */
export type Encoded = null | boolean | number | string | readonly Encoded[] | { readonly [key: string]: Encoded }

export interface KeptStore {
  readonly name: string
  readonly keyPath: string | readonly string[] | null
  readonly autoIncrement: boolean
  readonly indexes: readonly {
    readonly name: string
    readonly keyPath: string | readonly string[]
    readonly unique: boolean
    readonly multiEntry: boolean
  }[]
  readonly records: readonly { readonly key: Encoded; readonly value: Encoded }[]
}

export interface KeptOrigin {
  readonly databases: readonly { readonly name: string; readonly version: number; readonly stores: readonly KeptStore[] }[]
  readonly localStorage: { readonly [key: string]: string }
  /** Of the tab: it outlasts a reload, and so a change of version. */
  readonly sessionStorage: { readonly [key: string]: string }
  /** Files of the origin private file system, by path and length: their bytes aren't taken. */
  readonly files: readonly { readonly path: string; readonly bytes: number }[]
  /** Names of the service worker's caches: what is in them isn't taken. */
  readonly caches: readonly string[]
}

/** A page of the origin that runs none of the app: what it keeps lies still there. */
export const blankPage = 'robots.txt'

/** The runner's compiler wraps functions that have names into this, also those that run in the page. */
const nameKeeper = 'globalThis.__name ??= (named) => named'

/** Everything that the page's origin keeps. Fails on a value that it can't write down without loss. */
export async function readOrigin(page: Page): Promise<KeptOrigin> {
  await page.evaluate(nameKeeper)
  // As text: a lone surrogate would not survive the way out of the page.
  const text = await page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error ?? new Error('a request failed'))
      })
    const toBase64 = (bytes: Uint8Array) => btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    const encode = async (value: unknown): Promise<Encoded> => {
      if (value === null || typeof value === 'boolean' || typeof value === 'string') return value
      if (typeof value === 'number') {
        if (Object.is(value, -0)) return { $: 'number', text: '-0' }
        return Number.isFinite(value) ? value : { $: 'number', text: String(value) }
      }
      if (value === undefined) return { $: 'undefined' }
      if (typeof value === 'bigint') return { $: 'bigint', text: String(value) }
      if (Array.isArray(value)) return Promise.all(Array.from(value, encode))
      if (value instanceof Date) return { $: 'Date', ms: value.getTime() }
      if (value instanceof ArrayBuffer) return { $: 'ArrayBuffer', base64: toBase64(new Uint8Array(value)) }
      if (ArrayBuffer.isView(value)) {
        const base64 = toBase64(new Uint8Array(value.buffer, value.byteOffset, value.byteLength))
        return { $: value.constructor.name, base64 }
      }
      if (value instanceof Blob && !(value instanceof File))
        return { $: 'Blob', type: value.type, base64: toBase64(new Uint8Array(await value.arrayBuffer())) }
      if (value instanceof Map) return { $: 'Map', entries: await encode([...value]) }
      if (value instanceof Set) return { $: 'Set', values: await encode([...value]) }
      if (typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype || '$' in value)
        throw new Error(`no way to write down ${Object.prototype.toString.call(value)}`)
      const parts = await Promise.all(Object.entries(value).map(async ([key, part]) => [key, await encode(part)] as const))
      return Object.fromEntries(parts)
    }
    const databases = []
    for (const { name = '' } of await indexedDB.databases()) {
      const db = await settled(indexedDB.open(name))
      const stores = []
      for (const storeName of db.objectStoreNames) {
        const store = db.transaction(storeName).objectStore(storeName)
        const [keys, values] = await Promise.all([settled(store.getAllKeys()), settled(store.getAll() as IDBRequest<unknown[]>)])
        const indexes = Array.from(store.indexNames, (indexName) => {
          const { keyPath, unique, multiEntry } = store.index(indexName)
          return { name: indexName, keyPath, unique, multiEntry }
        })
        const records = await Promise.all(keys.map(async (key, at) => ({ key: await encode(key), value: await encode(values[at]) })))
        stores.push({ name: storeName, keyPath: store.keyPath, autoIncrement: store.autoIncrement, indexes, records })
      }
      databases.push({ name, version: db.version, stores })
      db.close()
    }
    const files: { path: string; bytes: number }[] = []
    const walk = async (folder: FileSystemDirectoryHandle, path: string): Promise<void> => {
      for await (const [name, handle] of folder.entries()) {
        if (handle.kind === 'directory') await walk(handle, `${path}${name}/`)
        else files.push({ path: path + name, bytes: (await handle.getFile()).size })
      }
    }
    await walk(await navigator.storage.getDirectory(), '')
    return JSON.stringify({
      databases,
      localStorage: { ...localStorage },
      sessionStorage: { ...sessionStorage },
      files,
      caches: await caches.keys(),
    })
  })
  // The page made it a line above.
  return JSON.parse(text) as KeptOrigin
}

/** Puts databases and both storages into an origin that has none of these databases. */
export async function restoreOrigin(page: Page, kept: KeptOrigin): Promise<void> {
  await page.evaluate(nameKeeper)
  await page.evaluate(async (text) => {
    // `readOrigin` made it.
    const { databases, ...storages } = JSON.parse(text) as KeptOrigin
    const textOf = (value: Encoded | undefined) => (typeof value === 'string' ? value : '')
    const fromBase64 = (base64: Encoded | undefined) => Uint8Array.from(atob(textOf(base64)), (character) => character.charCodeAt(0))
    const decode = (value: Encoded): unknown => {
      if (typeof value !== 'object' || value === null) return value
      if (value instanceof Array) return value.map(decode)
      const kind = value['$']
      if (typeof kind !== 'string') return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, decode(part)]))
      if (kind === 'number') return Number(value['text'])
      if (kind === 'undefined') return undefined
      if (kind === 'bigint') return BigInt(textOf(value['text']))
      if (kind === 'Date') return new Date(Number(value['ms']))
      if (kind === 'ArrayBuffer') return fromBase64(value['base64']).buffer
      if (kind === 'Blob') return new Blob([fromBase64(value['base64'])], { type: textOf(value['type']) })
      if (kind === 'Map') return new Map(decode(value['entries'] ?? []) as [unknown, unknown][])
      if (kind === 'Set') return new Set(decode(value['values'] ?? []) as unknown[])
      const makeView = Reflect.get(globalThis, kind) as new (buffer: ArrayBuffer) => ArrayBufferView
      return new makeView(fromBase64(value['base64']).buffer)
    }
    for (const { name, version, stores } of databases) {
      const db = await new Promise<IDBDatabase>((resolve, reject) => {
        const opening = indexedDB.open(name, version)
        opening.onupgradeneeded = ({ oldVersion }) => {
          if (oldVersion !== 0) opening.transaction?.abort()
          for (const { name: storeName, keyPath, autoIncrement, indexes } of stores) {
            const store = opening.result.createObjectStore(storeName, { keyPath: keyPath as string | string[] | null, autoIncrement })
            for (const { name: indexName, keyPath: path, ...options } of indexes)
              store.createIndex(indexName, path as string | string[], options)
          }
        }
        opening.onsuccess = () => resolve(opening.result)
        opening.onerror = () => reject(opening.error ?? new Error(`${name} could not be made`))
      })
      const transaction = db.transaction(
        stores.map((store) => store.name),
        'readwrite',
      )
      for (const { name: storeName, keyPath, records } of stores) {
        const store = transaction.objectStore(storeName)
        for (const { key, value } of records)
          if (keyPath === null) store.add(decode(value), decode(key) as IDBValidKey)
          else store.add(decode(value))
      }
      await new Promise<void>((resolve, reject) => {
        transaction.oncomplete = () => resolve()
        transaction.onabort = () => reject(transaction.error ?? new Error(`${name} could not be filled`))
      })
      db.close()
    }
    for (const [key, value] of Object.entries(storages.localStorage)) localStorage.setItem(key, value)
    for (const [key, value] of Object.entries(storages.sessionStorage)) sessionStorage.setItem(key, value)
  }, JSON.stringify(kept))
}
