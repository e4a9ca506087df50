/**
 * Downloaded files, kept chunk by chunk so that a download goes on where it was cut.
 *
 * A folder a file, named by `fileKey`: `about` (length and uses), one entry a chunk (its bytes, then their SHA-256), and `done`, which is
 * written last, after the whole file's length and hash were checked, and names the chunks' hashes. Presence of bytes is never proof: an
 * entry whose own hash doesn't fit counts as absent, whoever tore or changed it. Decision 0016 says why it is so.
 */
import { toHex } from '../../base/hex.ts'
import { EvalError } from '../../base/errors.ts'
import { failPoint } from '../../base/fail-point.ts'
import type { FileUse, KeptFile } from '../../contracts/kept-files.ts'
import { sha256 } from '../digests.ts'
import type { ByteStore } from './byte-store.ts'
import { openOpfsStore } from './opfs-store.ts'

/** Files are kept and asked for in parts of this many bytes. */
export const chunkBytes = 8 * 1024 * 1024

const hashBytes = 32
const notesFolder = 'notes'

/** Length and place of chunk `index` of a file: `start` (in) to `end` (out). */
export function chunkRange(fileBytes: number, index: number, size: number = chunkBytes): { readonly start: number; readonly end: number } {
  return { start: index * size, end: Math.min(fileBytes, (index + 1) * size) }
}

/** How many chunks a file has; an empty one has none. */
export function chunkCount(fileBytes: number, size: number = chunkBytes): number {
  return Math.ceil(fileBytes / size)
}

export interface FileStore {
  readonly chunkBytes: number
  /** Fills `into` with the chunk and gives its SHA-256 (hex); null when it isn't there whole and unchanged. */
  readChunk(key: string, index: number, into: Uint8Array): Promise<string | null>
  /** The bytes of a chunk as a Blob that reads them where they lie, unchecked: `readChunk` tells first. Null when it isn't there whole. */
  chunkBlob(key: string, index: number, bytes: number): Promise<Blob | null>
  /** Keeps a chunk and gives its SHA-256 (hex). Throws `storage/quota`, `storage/unavailable`; nothing is left of the chunk then. */
  writeChunk(key: string, index: number, bytes: Uint8Array): Promise<string>
  /** Indexes of the chunks that seem to be there; reading one tells for sure. */
  chunksOf(key: string): Promise<ReadonlySet<number>>
  /** Remembers what the file is: its length, and one more place that it is used as. */
  describe(key: string, bytes: number, use: FileUse): Promise<void>
  /** The chunks' hashes as they were when the whole file was checked, or null when it never was. */
  readMarker(key: string): Promise<Marker | null>
  /** Says that the whole file was checked. */
  writeMarker(key: string, marker: Marker): Promise<void>
  /** Drops the file with all that is known of it. */
  remove(key: string): Promise<void>
  list(): Promise<readonly KeptFile[]>
  /**
   * Removes what a tab that was killed in the middle of a write has left of a file: entries that can't be whole. What else is known of it
   * stays. Nobody may use the file meanwhile.
   */
  tidy(key: string): Promise<void>
  /** A small text by name, such as a repository's listing; null when there is none, or not unchanged. */
  readNote(name: string): Promise<string | null>
  writeNote(name: string, text: string): Promise<void>
  clear(): Promise<void>
}

export interface Marker {
  readonly bytes: number
  /** SHA-256 (hex) of each chunk, in order. */
  readonly chunks: readonly string[]
}

/** The browser's store of files; null where it has none. Empties the one of earlier versions. */
export async function openFileStore(): Promise<FileStore | null> {
  const bytes = await openOpfsStore('yardstick-files')
  // Absent outside secure contexts, whatever the types say.
  const caches = (globalThis as { caches?: CacheStorage }).caches
  await caches?.delete('yardstick-files').catch(() => false)
  return bytes === null ? null : createFileStore(bytes)
}

/** The store over any place for bytes. `size` is the length of a chunk. */
export function createFileStore(store: ByteStore, size: number = chunkBytes): FileStore {
  const readChecked = async (folder: string, name: string): Promise<string | null> => {
    const framed = await store.read(folder, name)
    if (framed === null || framed.length < hashBytes) return null
    const content = framed.slice(0, -hashBytes)
    return toHex(await sha256(content)) === toHex(framed.subarray(-hashBytes)) ? new TextDecoder().decode(content) : null
  }
  /** Writes an entry, or leaves nothing of it: half a chunk would fill the room that is left and be read by nobody. */
  const put = async (folder: string, name: string, parts: readonly Uint8Array[]): Promise<void> => {
    try {
      await store.write(folder, name, parts)
    } catch (error) {
      await store.remove(folder, name).catch(() => undefined)
      throw storageError(error)
    }
  }
  const writeChecked = async (folder: string, name: string, text: string): Promise<void> => {
    const content = new TextEncoder().encode(text)
    const before = await store.read(folder, name)
    try {
      await put(folder, name, [content, await sha256(content)])
    } catch (error) {
      // What was known before is still true, and there is room for it again.
      if (before !== null) await store.write(folder, name, [before]).catch(() => store.remove(folder, name).catch(() => undefined))
      throw error
    }
  }
  const readAbout = async (key: string): Promise<About | null> => parseAbout(await readChecked(key, 'about'))
  const readMarker = async (key: string): Promise<Marker | null> => parseMarker(await readChecked(key, 'done'))

  return {
    chunkBytes: size,
    readChunk: async (key, index, into) => {
      const hash = new Uint8Array(hashBytes)
      if (!(await store.fill(key, String(index), [into, hash]))) return null
      const found = toHex(await sha256(into))
      return found === toHex(hash) ? found : null
    },
    chunkBlob: async (key, index, bytes) => {
      const blob = await store.blob(key, String(index))
      return blob?.size === bytes + hashBytes ? blob.slice(0, bytes) : null
    },
    writeChunk: async (key, index, bytes) => {
      const hash = await sha256(bytes)
      await put(key, String(index), [bytes, hash])
      return toHex(hash)
    },
    chunksOf: async (key) => new Set((await store.list(key)).flatMap(({ name }) => (/^\d+$/.test(name) ? [Number(name)] : []))),
    describe: async (key, bytes, use) => {
      const about = await readAbout(key)
      const isKnown = about?.uses.some(
        (one) => one.kind === use.kind && one.id === use.id && one.commit === use.commit && one.path === use.path,
      )
      if (about?.bytes === bytes && isKnown === true) return
      await writeChecked(key, 'about', JSON.stringify({ bytes, uses: [...(about?.uses ?? []), use] } satisfies About))
    },
    readMarker,
    writeMarker: (key, marker) => {
      failPoint('before-commit-marker')
      return writeChecked(key, 'done', JSON.stringify(marker))
    },
    remove: async (key) => {
      // The marker first: what is left of a removal that is cut off must not count as whole.
      await store.remove(key, 'done')
      failPoint('mid-removal')
      await store.removeFolder(key)
    },
    list: async () => {
      const keys = (await store.folders()).filter((folder) => folder !== notesFolder)
      return Promise.all(
        keys.map(async (key): Promise<KeptFile> => {
          const entries = await store.list(key)
          const bytesKept = entries.reduce((sum, { name, bytes }) => (/^\d+$/.test(name) ? sum + Math.max(0, bytes - hashBytes) : sum), 0)
          const about = await readAbout(key)
          const marker = await readMarker(key)
          const bytes = marker?.bytes ?? about?.bytes ?? bytesKept
          return { key, bytes, bytesKept, isComplete: marker !== null && bytesKept === bytes, uses: about?.uses ?? [] }
        }),
      )
    },
    tidy: async (key) => {
      const entries = await store.list(key)
      const [about, marker] = [await readAbout(key), await readMarker(key)]
      const fileBytes = marker?.bytes ?? about?.bytes ?? null
      const isTorn = async (name: string, bytes: number): Promise<boolean> => {
        if (name === 'about') return about === null
        if (name === 'done') return marker === null
        if (!/^\d+$/.test(name)) return false
        // Nothing tells how long the file's last chunk is: its own hash does.
        if (fileBytes === null) return bytes !== size + hashBytes && (await readChecked(key, name)) === null
        const { start, end } = chunkRange(fileBytes, Number(name), size)
        return bytes !== end - start + hashBytes
      }
      let left = 0
      for (const { name, bytes } of entries) {
        if (await isTorn(name, bytes)) await store.remove(key, name)
        else if (name !== 'about') left += 1
      }
      // A file of which nothing came would only be listed.
      if (left === 0) await store.removeFolder(key)
    },
    readNote: async (name) => readChecked(notesFolder, await noteName(name)),
    writeNote: async (name, text) => writeChecked(notesFolder, await noteName(name), text),
    clear: () => store.clear(),
  }
}

interface About {
  readonly bytes: number
  readonly uses: readonly FileUse[]
}

// What these two read was written by this file and passed its own hash: its form is known.
function parseAbout(text: string | null): About | null {
  return text === null ? null : (JSON.parse(text) as About)
}
function parseMarker(text: string | null): Marker | null {
  return text === null ? null : (JSON.parse(text) as Marker)
}

/** Names of notes are made of untrusted text; their hash is a safe name for an entry. */
async function noteName(name: string): Promise<string> {
  return toHex(await sha256(new TextEncoder().encode(name)))
}

function storageError(error: unknown): EvalError {
  const name = error instanceof Error ? error.name : ''
  return name === 'QuotaExceededError'
    ? new EvalError('storage/quota', 'The browser has no room for more downloaded files.', { cause: error })
    : new EvalError('storage/unavailable', `The browser could not keep a downloaded file: ${String(error)}.`, { cause: error })
}
