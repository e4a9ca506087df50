/** A whole file in one buffer: from the store, from the network, or some of each. */
import { EvalError } from '../../core/errors.ts'
import type { Watched } from '../http.ts'
import { fetchChunks } from './chunk-reader.ts'
import { contentCheck } from './file-key.ts'
import type { OpenFile } from './open-file.ts'
import { beginsAsPage } from './read-part.ts'

type OnBytes = Watched['onBytes']

/**
 * The file's bytes, checked. Chunks that are kept aren't fetched again. Throws `hub/corrupt` when the content isn't what the repository
 * lists, after everything was fetched anew once; `engine/out-of-memory` when there is no room for the buffer.
 */
export async function readWhole(file: OpenFile, onBytes: OnBytes): Promise<Uint8Array<ArrayBuffer>> {
  const buffer = allocate(file)
  const progress = neverLess(onBytes)
  const isKept = await readKept(file, buffer, progress)
  if (isKept) await file.note()
  else {
    await file.alone(async () => {
      // Somebody else may have fetched it while we waited.
      if (await readKept(file, buffer, progress)) return
      await fetchMissing(file, buffer, progress)
    })
  }
  progress(file.bytes)
  return buffer
}

/** True when the file is kept whole and every byte of it is as it was when it was checked. */
async function readKept(file: OpenFile, buffer: Uint8Array, progress: (loaded: number) => void): Promise<boolean> {
  const { store } = file.around
  const marker = (await store?.readMarker(file.key)) ?? null
  if (store === null || marker?.bytes !== file.bytes || marker.chunks.length !== file.chunks) return false
  for (let index = 0; index < file.chunks; index++) {
    if ((await store.readChunk(file.key, index, chunkOf(file, buffer, index))) !== marker.chunks[index]) return false
    progress(index * file.chunkBytes + file.lengthOf(index))
  }
  return true
}

async function fetchMissing(file: OpenFile, buffer: Uint8Array, progress: (loaded: number) => void): Promise<void> {
  const { store, waiter, slots, notify } = file.around
  for (let isSecond = false; ; isSecond = true) {
    const ledger = createLedger(file, progress)
    const check = await contentCheck(file.key, file.bytes)
    let checked = 0
    const enter = (index: number, hash: string | null): void => {
      ledger.enter(index, hash)
      // The hash goes over the bytes in order, while later chunks are still on their way.
      for (; ledger.has(checked); checked++) check.update(chunkOf(file, buffer, checked))
    }
    const kept = (await store?.chunksOf(file.key)) ?? new Set<number>()
    for (let index = 0; index < file.chunks; index++) {
      const hash = kept.has(index) ? ((await store?.readChunk(file.key, index, chunkOf(file, buffer, index))) ?? null) : null
      if (hash !== null) enter(index, hash)
    }
    await fetchChunks({
      source: file.source,
      waiter,
      slots,
      chunkBytes: file.chunkBytes,
      wanted: ledger.missing(),
      placeOf: (index) => chunkOf(file, buffer, index),
      onBytes: ledger.onBytes,
      onChunk: async (index) => {
        const bytes = chunkOf(file, buffer, index)
        const hash = await file.keep(index, bytes)
        enter(index, hash)
      },
    })
    const mismatch = check.mismatch()
    if (mismatch === null) {
      const chunks = ledger.hashes()
      if (chunks !== null) await file.finish(chunks)
      return
    }
    // Which chunk is wrong can't be told: none is kept.
    await store?.remove(file.key)
    if (isSecond) throw new EvalError('hub/corrupt', `${file.what}: ${describe(mismatch, buffer)}`, { details: { file: file.source.path } })
    notify({ type: 'warning', message: `${file.what} came with other content than the Hub lists (${mismatch}): it is fetched once more.` })
  }
}

function describe(mismatch: string, buffer: Uint8Array): string {
  if (beginsAsPage(buffer)) return 'a web page came in its place. Is something between this browser and the Hub?'
  return `its content is not what the Hub lists (${mismatch}), and was not when it was fetched again.`
}

/** Which chunks are in place, and how many bytes that makes with those on their way. */
function createLedger(file: OpenFile, progress: (loaded: number) => void) {
  const hashes = new Map<number, string | null>()
  const loading = new Map<number, number>()
  let done = 0
  const report = (): void => {
    let sum = done
    for (const bytes of loading.values()) sum += bytes
    progress(sum)
  }
  return {
    has: (index: number): boolean => hashes.has(index),
    missing: (): number[] => Array.from({ length: file.chunks }, (_, index) => index).filter((index) => !hashes.has(index)),
    /** Null when not every chunk is kept. */
    hashes: (): string[] | null => {
      const all = Array.from({ length: file.chunks }, (_, index) => hashes.get(index) ?? null)
      return all.every((hash) => hash !== null) ? all : null
    },
    enter: (index: number, hash: string | null): void => {
      hashes.set(index, hash)
      loading.delete(index)
      done += file.lengthOf(index)
      report()
    },
    onBytes: (index: number, loaded: number): void => {
      loading.set(index, loaded)
      report()
    },
  }
}

/** Progress that a second try can't take back. */
function neverLess(onBytes: OnBytes): (loaded: number) => void {
  let most = -1
  return (loaded) => {
    if (loaded <= most) return
    most = loaded
    onBytes?.(loaded)
  }
}

function chunkOf(file: OpenFile, buffer: Uint8Array, index: number): Uint8Array {
  const start = index * file.chunkBytes
  return buffer.subarray(start, start + file.lengthOf(index))
}

function allocate({ bytes, what }: OpenFile): Uint8Array<ArrayBuffer> {
  try {
    return new Uint8Array(bytes)
  } catch (cause) {
    throw new EvalError('engine/out-of-memory', `${what} needs ${bytes} bytes of memory in one piece, which this browser does not give.`, {
      cause,
    })
  }
}
