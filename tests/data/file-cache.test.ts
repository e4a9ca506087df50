import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openFileCache } from '../../src/data/file-cache.ts'

/** Cache Storage in memory, as far as the file cache uses it. */
class FakeCaches {
  readonly stores = new Map<string, Map<string, Blob>>()
  failsOn: ((address: string) => boolean) | null = null

  async open(name: string) {
    const store = this.stores.get(name) ?? new Map<string, Blob>()
    this.stores.set(name, store)
    return {
      match: async (address: string) => {
        const blob = store.get(address)
        return blob === undefined ? undefined : new Response(blob)
      },
      put: async (address: string, response: Response) => {
        if (this.failsOn?.(address) === true) throw new DOMException('', 'QuotaExceededError')
        store.set(address, await response.blob())
      },
      delete: async (address: string) => store.delete(address),
      keys: async () => [...store.keys()].map((url) => ({ url })),
    }
  }

  async delete(name: string) {
    return this.stores.delete(name)
  }
}

let caches: FakeCaches
beforeEach(() => {
  caches = new FakeCaches()
  vi.stubGlobal('caches', caches)
})
afterEach(() => {
  vi.unstubAllGlobals()
})

const key = 'model/o/m/c/onnx/model.onnx'
const bytes = Uint8Array.from([1, 2, 3])

async function openIt() {
  const cache = await openFileCache()
  if (cache === null) throw new Error('no cache')
  return cache
}

describe('the file cache', () => {
  it('gives back what it was given, also after it was opened again', async () => {
    await (await openIt()).write(key, bytes)
    const cache = await openIt()
    expect(await cache.read(key)).toEqual(bytes)
    expect(await cache.list()).toEqual([{ key, bytes: 3 }])
    expect(await cache.read('other')).toBeNull()
  })

  it('never gives content whose marker was not written', async () => {
    caches.failsOn = (address) => address.includes('/marker/')
    const cache = await openIt()
    await cache.write(key, bytes)
    expect(await cache.read(key)).toBeNull()
    expect(await cache.list()).toEqual([])
  })

  it('keeps nothing of a file that finds no room, and does not fail', async () => {
    caches.failsOn = () => true
    const cache = await openIt()
    await cache.write(key, bytes)
    expect(await cache.read(key)).toBeNull()
  })

  it('drops a file of the wrong length', async () => {
    const cache = await openIt()
    await cache.write(key, bytes)
    const [store] = caches.stores.values()
    for (const address of store?.keys() ?? []) if (address.includes('/content/')) store?.set(address, new Blob(['x']))
    expect(await cache.read(key)).toBeNull()
    expect(store?.size).toBe(0)
  })

  it('can be emptied, file by file or whole', async () => {
    const cache = await openIt()
    await cache.write(key, bytes)
    await cache.write('b', bytes)
    await cache.delete(key)
    expect((await cache.list()).map((file) => file.key)).toEqual(['b'])
    await cache.clear()
    expect(await cache.list()).toEqual([])
    await cache.write('c', bytes)
    expect(await cache.read('c')).toEqual(bytes)
  })

  it('is not there where the browser has none', async () => {
    vi.stubGlobal('caches', undefined)
    expect(await openFileCache()).toBeNull()
  })
})
