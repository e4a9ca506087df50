/** One file as the download layer works on it: its key, its address, and its chunks in the store. */
import { EvalError, isEvalError } from '../../base/errors.ts'
import type { FileUse } from '../../contracts/kept-files.ts'
import type { RepoFile } from '../../contracts/models.ts'
import type { Fetch, ResourceLabel, Watched } from '../hub/http.ts'
import type { Clock } from './clock.ts'
import { fileKey } from './file-key.ts'
import { downloadLockName, type FileLocks } from './file-locks.ts'
import { chunkCount, chunkRange, type FileStore } from './file-store.ts'
import type { FileUses } from './file-uses.ts'
import type { Source } from './read-part.ts'
import type { Notify, Waiter } from './retry.ts'
import type { Slots } from './slots.ts'

/** A file, where it is, and what it is for. */
export interface DownloadRequest {
  readonly use: FileUse
  readonly file: RepoFile
  readonly fetch: Fetch
  readonly address: string
  readonly headers: { readonly [name: string]: string }
  readonly wanted: ResourceLabel
}

/** What all downloads of a worker share. */
export interface Surroundings {
  readonly store: FileStore | null
  readonly locks: FileLocks
  readonly uses: FileUses | null
  readonly notify: Notify
  readonly clock: Clock
  readonly waiter: Waiter
  readonly slots: Slots
  readonly chunkBytes: number
  readonly redirects: Map<string, string>
}

export interface OpenFile {
  readonly key: string
  readonly bytes: number
  readonly chunks: number
  readonly chunkBytes: number
  readonly source: Source
  readonly around: Surroundings
  /** For messages. */
  readonly what: string
  lengthOf(index: number): number
  /** Keeps a chunk and gives its hash; null where there is no store, or no room in it, which is said once. */
  keep(index: number, bytes: Uint8Array): Promise<string | null>
  /** Remembers that a file that is kept already is used here, too. */
  note(): Promise<void>
  /** Says that the whole file was checked, and what its chunks' hashes were then. */
  finish(chunks: readonly string[]): Promise<void>
  /** Runs `body` as the only one who downloads this file, in any tab. */
  alone<T>(body: () => Promise<T>): Promise<T>
}

/** Opens the file for reading: from now on nobody deletes it. */
export async function openFile(around: Surroundings, request: DownloadRequest, { signal }: Watched): Promise<OpenFile> {
  const { store, chunkBytes, clock, redirects, notify, locks } = around
  const { file, use, wanted, fetch, address, headers } = request
  const key = await fileKey(use, file)
  if (store !== null) await around.uses?.hold(key)
  let isKeeping = store !== null
  let isDescribed = false

  const write = async <T>(body: (into: FileStore) => Promise<T>): Promise<T | null> => {
    if (store === null || !isKeeping) return null
    try {
      if (!isDescribed) {
        isDescribed = true
        await store.describe(key, file.bytes, use)
      }
      return await body(store)
    } catch (error) {
      if (!isEvalError(error) || !error.code.startsWith('storage/')) throw error
      // Several chunks may fail at once: one warning is enough.
      if (isKeeping)
        notify({ type: 'warning', message: `${wanted.what} is used but not kept: ${error.message} It will be downloaded again.` })
      isKeeping = false
      return null
    }
  }
  return {
    key,
    bytes: file.bytes,
    chunks: chunkCount(file.bytes, chunkBytes),
    chunkBytes,
    source: { fetch, address, headers, wanted, path: file.path, bytes: file.bytes, signal, clock, redirects },
    around,
    what: wanted.what,
    lengthOf: (index) => {
      const { start, end } = chunkRange(file.bytes, index, chunkBytes)
      return end - start
    },
    keep: (index, bytes) => write((into) => into.writeChunk(key, index, bytes)),
    note: async () => {
      await write(async () => null)
    },
    finish: async (chunks) => {
      await write((into) => into.writeMarker(key, { bytes: file.bytes, chunks }))
    },
    alone: async (body) => {
      if (store === null) return body()
      const name = downloadLockName(key)
      const first = await locks.tryExclusive(name, body)
      if (!first.held) return first.value
      notify({ type: 'waiting', what: 'network', message: `${wanted.what} is being downloaded by another tab already.`, seconds: null })
      try {
        return await locks.exclusive(name, body, signal)
      } catch (error) {
        if (signal?.aborted !== true || isEvalError(error)) throw error
        throw new EvalError('run/stopped', `Stopped while waiting for ${wanted.what}.`, { cause: error })
      }
    },
  }
}
