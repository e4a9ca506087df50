/** Downloaded and verified files, kept in the browser's Cache Storage so that a second run downloads nothing. */

export interface FileCache {
  /** The file's content, or null when it isn't there whole. */
  read(key: string): Promise<Uint8Array | null>
  /** Keeps a verified file. A file that finds no room isn't kept: it is still usable, and will be downloaded again. */
  write(key: string, bytes: Uint8Array): Promise<void>
  delete(key: string): Promise<void>
  list(): Promise<readonly { readonly key: string; readonly bytes: number }[]>
  clear(): Promise<void>
}

// Cache Storage wants addresses; nothing is ever fetched from this one.
const prefix = 'https://files.invalid/'
const contentOf = (key: string): string => `${prefix}content/${encodeURIComponent(key)}`
const markerOf = (key: string): string => `${prefix}marker/${encodeURIComponent(key)}`

/** The cache of files, or null where the browser has no Cache Storage (insecure contexts, some private modes). */
export async function openFileCache(name = 'yardstick-files'): Promise<FileCache | null> {
  // Absent outside secure contexts, whatever the types say.
  const storage = (globalThis as { caches?: CacheStorage }).caches
  if (storage === undefined) return null
  let cache: Cache
  try {
    cache = await storage.open(name)
  } catch {
    // Blocked by the browser's settings: work without.
    return null
  }

  const readMarker = async (key: string): Promise<number | null> => {
    const marker = await cache.match(markerOf(key))
    const bytes = marker === undefined ? NaN : Number(await marker.text())
    return Number.isSafeInteger(bytes) ? bytes : null
  }
  const remove = async (key: string): Promise<void> => {
    // The marker first: content without one counts as absent.
    await cache.delete(markerOf(key))
    await cache.delete(contentOf(key))
  }
  return {
    read: async (key) => {
      const promised = await readMarker(key)
      if (promised === null) return null
      const content = await cache.match(contentOf(key))
      const bytes = content === undefined ? null : new Uint8Array(await content.arrayBuffer())
      if (bytes?.length === promised) return bytes
      await remove(key)
      return null
    },
    write: async (key, bytes) => {
      try {
        await cache.put(contentOf(key), new Response(new Blob([bytes.slice()])))
        await cache.put(markerOf(key), new Response(String(bytes.length)))
      } catch (error) {
        if (!(error instanceof DOMException)) throw error
        await remove(key)
      }
    },
    delete: remove,
    list: async () => {
      const markers = (await cache.keys()).filter(({ url }) => url.startsWith(`${prefix}marker/`))
      const keys = markers.map(({ url }) => decodeURIComponent(url.slice(`${prefix}marker/`.length)))
      const sizes = await Promise.all(keys.map(readMarker))
      return keys.flatMap((key, at) => {
        const bytes = sizes[at] ?? null
        return bytes === null ? [] : [{ key, bytes }]
      })
    },
    clear: async () => {
      await storage.delete(name)
      cache = await storage.open(name)
    },
  }
}
