/**
 * Files from a Hub: fetched in chunks, several at once, each kept as it comes; checked whole against the hash that the repository lists;
 * found again by content. One tab downloads a file, others wait for it. Decisions 0016 and 0017 say why.
 */
import { EvalError } from '../../base/errors.ts'
import type { Watched } from '../hub/http.ts'
import { realClock, type Clock } from './clock.ts'
import { memoryLocks, type FileLocks } from './file-locks.ts'
import { chunkBytes as defaultChunkBytes, type FileStore } from './file-store.ts'
import type { FileUses } from './file-uses.ts'
import { openFile, type Surroundings, type DownloadRequest } from './open-file.ts'
import { RangesUnusable, readPart, WrongAnswer } from './read-part.ts'
import { createWaiter, withRetries, type Notify, type Waiter } from './retry.ts'
import { createSlots } from './slots.ts'
import { readParts, streamChunks } from './stream-file.ts'
import { readAsBlob, readWhole } from './whole-file.ts'

/** Requests at once, over all files. */
const connections = 5

interface DownloaderOptions {
  /** Where files are kept; null = nowhere. */
  readonly store?: FileStore | null
  readonly locks?: FileLocks
  readonly uses?: FileUses | null
  readonly notify?: Notify
  readonly clock?: Clock
  /** Length of a chunk where there is no store. */
  readonly chunkBytes?: number
}

export interface Downloader {
  readonly waiter: Waiter
  readonly clock: Clock
  readonly store: FileStore | null
  readonly notify: Notify
  /** The whole file, checked, in one buffer of its length; nothing else needs as much. */
  fetchFile(request: DownloadRequest, watched?: Watched): Promise<Uint8Array<ArrayBuffer>>
  /** The whole file, checked, as a Blob over what is kept of it: gigabytes that another worker reads part by part. */
  fetchBlob(request: DownloadRequest, watched?: Watched): Promise<Blob>
  /**
   * The whole file in order, chunk by chunk, checked after the last one: an error there means that none of it may be used. A chunk is only
   * good until the next one is asked for.
   */
  streamFile(request: DownloadRequest, watched?: Watched): AsyncIterable<Uint8Array<ArrayBuffer>>
  /** Bytes `start` (in) to `end` (out). Of a file of one chunk they are checked; of a larger one only their number is. */
  readRange(request: DownloadRequest, start: number, end: number, watched?: Watched): Promise<Uint8Array<ArrayBuffer>>
}

export function createDownloader(options: DownloaderOptions = {}): Downloader {
  const { store = null, locks = memoryLocks(), uses = null, notify = () => undefined, clock = realClock } = options
  const chunkBytes = store?.chunkBytes ?? options.chunkBytes ?? defaultChunkBytes
  const waiter = createWaiter(clock, notify)
  const slots = createSlots(connections)
  const around: Surroundings = { store, locks, uses, notify, clock, waiter, chunkBytes, slots, redirects: new Map() }

  const fetchFile: Downloader['fetchFile'] = async (request, watched = {}) => {
    throwIfStopped(request, watched)
    return readWhole(await openFile(around, request, watched), watched.onBytes)
  }
  return {
    waiter,
    clock,
    store,
    notify,
    fetchFile,
    fetchBlob: async (request, watched = {}) => {
      throwIfStopped(request, watched)
      return readAsBlob(await openFile(around, request, watched), watched.onBytes)
    },
    streamFile: async function* (request, watched = {}) {
      throwIfStopped(request, watched)
      yield* streamChunks(await openFile(around, request, watched), watched)
    },
    readRange: async (request, start, end, watched = {}) => {
      throwIfStopped(request, watched)
      if (start < 0 || end > request.file.bytes || end < start) {
        throw new EvalError('internal', `Bytes ${start} to ${end} of ${request.wanted.what} were asked for; it has ${request.file.bytes}.`)
      }
      if (start === end) return new Uint8Array()
      // Small enough to be checked: a part of it is then as safe as the whole.
      if (store !== null && request.file.bytes <= chunkBytes) return (await fetchFile(request, watched)).slice(start, end)
      const file = await openFile(around, request, watched)
      if (store !== null) return readParts(file, start, end)
      const part = new Uint8Array(end - start)
      let loaded = 0
      const attempt = (): Promise<void> =>
        readPart(file.source, start + loaded, end, (piece) => {
          part.set(piece, loaded)
          loaded += piece.length
        })
      const { host } = new URL(request.address)
      try {
        await slots.within(() => withRetries(attempt, { waiter, clock, host, signal: watched.signal, gained: () => loaded }))
        return part
      } catch (error) {
        if (error instanceof RangesUnusable || error instanceof WrongAnswer) return (await fetchFile(request, watched)).slice(start, end)
        throw error
      }
    },
  }
}

function throwIfStopped({ wanted }: DownloadRequest, { signal }: Watched): void {
  if (signal?.aborted === true) throw new EvalError('run/stopped', `Stopped before ${wanted.what} was fetched.`)
}
