/** Bytes in the origin's private file system, through synchronous handles: only dedicated workers have them. */
import { failPoint } from '../../base/fail-point.ts'
import { holding } from '../../base/holding.ts'
import type { ByteStore } from './byte-store.ts'

/** `FileSystemSyncAccessHandle`, which the DOM's types leave out. */
interface SyncHandle {
  getSize(): number
  read(into: Uint8Array, options: { readonly at: number }): number
  write(from: Uint8Array, options: { readonly at: number }): number
  truncate(bytes: number): void
  flush(): void
  close(): void
}
type SyncFile = FileSystemFileHandle & {
  createSyncAccessHandle?(options?: { readonly mode: 'read-only' | 'readwrite' }): Promise<SyncHandle>
}
/** Iterators of directories, which the DOM's types leave out in some versions. */
type Folder = FileSystemDirectoryHandle & { entries(): AsyncIterable<[string, FileSystemHandle]> }

/** The store under the folder `name`; null where the browser has no private file system or doesn't let us use it. */
export async function openOpfsStore(name: string): Promise<ByteStore | null> {
  const openRoot = async (): Promise<Folder> => {
    const origin = await navigator.storage.getDirectory()
    // The DOM's types of this handle have no iterators; every browser's has.
    return await holding(origin, (top) => top.getDirectoryHandle(name, { create: true }))
  }
  let root: Folder
  try {
    root = await openRoot()
    // Absent in the page's own thread and in old browsers.
    const probe = (await holding(root, (folder) => folder.getFileHandle('.probe', { create: true }))) as SyncFile
    if (probe.createSyncAccessHandle === undefined) return null
  } catch {
    return null
  }
  const folderOf = (folder: string, create = false): Promise<Folder> => holding(root, (top) => top.getDirectoryHandle(folder, { create }))
  const openFile = async (folder: string, entry: string): Promise<SyncFile | null> => {
    try {
      return await holding(await folderOf(folder), (inner) => inner.getFileHandle(entry))
    } catch (error) {
      if (isNotFound(error)) return null
      throw error
    }
  }

  return {
    fill: async (folder, entry, parts) => {
      const file = await openFile(folder, entry)
      return file !== null && fillFrom(file, parts)
    },
    read: async (folder, entry) => {
      const file = await openFile(folder, entry)
      return file === null ? null : new Uint8Array(await holding(await blobOf(file), (blob) => blob.arrayBuffer()))
    },
    blob: async (folder, entry) => {
      const file = await openFile(folder, entry)
      return file === null ? null : blobOf(file)
    },
    write: async (folder, entry, parts) => {
      const directory = await folderOf(folder, true).catch(async (error: unknown) => {
        // The whole folder may have been evicted or erased since it was opened.
        if (!isNotFound(error)) throw error
        root = await openRoot()
        return folderOf(folder, true)
      })
      const handle = await openSync(await holding(directory, (inner) => inner.getFileHandle(entry, { create: true })), 'readwrite')
      try {
        handle.truncate(0)
        let at = 0
        for (const part of parts) {
          if (handle.write(part, { at }) !== part.length) throw new DOMException('Less was written than given.', 'QuotaExceededError')
          at += part.length
          failPoint('mid-chunk')
        }
        handle.flush()
      } finally {
        handle.close()
      }
    },
    list: async (folder) => {
      try {
        return await holding(await folderOf(folder), async (inner) => {
          const entries: { name: string; bytes: number }[] = []
          for await (const [entry, handle] of inner.entries()) {
            // Only files lie in these folders.
            entries.push({ name: entry, bytes: (await blobOf(handle as FileSystemFileHandle)).size })
          }
          return entries
        })
      } catch (error) {
        if (isNotFound(error)) return []
        throw error
      }
    },
    folders: async () => {
      const names: string[] = []
      try {
        await holding(root, async (top) => {
          for await (const [entry, handle] of top.entries()) if (handle.kind === 'directory') names.push(entry)
        })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
      return names
    },
    remove: async (folder, entry) => {
      await ignoringAbsence(async () => holding(await folderOf(folder), (inner) => inner.removeEntry(entry)))
    },
    removeFolder: (folder) => ignoringAbsence(() => holding(root, (top) => top.removeEntry(folder, { recursive: true }))),
    clear: async () => {
      const origin = await navigator.storage.getDirectory()
      await ignoringAbsence(() => holding(origin, (top) => top.removeEntry(name, { recursive: true })))
      root = await openRoot()
    },
  }
}

async function fillFrom(file: SyncFile, parts: readonly Uint8Array[]): Promise<boolean> {
  const bytes = parts.reduce((sum, part) => sum + part.length, 0)
  let handle: SyncHandle
  try {
    handle = await openSync(file, 'read-only')
  } catch (error) {
    if (!isLocked(error)) throw error
    return fillFromBlob(await blobOf(file), parts, bytes)
  }
  try {
    if (handle.getSize() !== bytes) return false
    let at = 0
    for (const part of parts) {
      if (handle.read(part, { at }) !== part.length) return false
      at += part.length
    }
    return true
  } finally {
    handle.close()
  }
}

/** For browsers whose handles are always exclusive, while another tab reads the same file. */
async function fillFromBlob(blob: Blob, parts: readonly Uint8Array[], bytes: number): Promise<boolean> {
  if (blob.size !== bytes) return false
  let at = 0
  for (const part of parts) {
    part.set(new Uint8Array(await blob.slice(at, at + part.length).arrayBuffer()))
    at += part.length
  }
  return true
}

async function openSync(file: SyncFile, mode: 'read-only' | 'readwrite'): Promise<SyncHandle> {
  return holding(file, (held) => {
    if (held.createSyncAccessHandle === undefined) throw new DOMException('No synchronous handles here.', 'NotSupportedError')
    return held.createSyncAccessHandle({ mode })
  })
}

function blobOf(file: FileSystemFileHandle): Promise<File> {
  return holding(file, (held) => held.getFile())
}

function isNotFound(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NotFoundError'
}

function isLocked(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'NoModificationAllowedError'
}

async function ignoringAbsence(remove: () => Promise<void>): Promise<void> {
  try {
    await remove()
  } catch (error) {
    if (!isNotFound(error)) throw error
  }
}
