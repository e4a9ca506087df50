/** Brings all chunks of a file to where they are wanted: from the store, from the network, or some of each. */
import { EvalError } from '../../base/errors.ts'
import { fetchChunks } from './chunk-reader.ts'
import { contentCheck } from './file-key.ts'
import type { OpenFile } from './open-file.ts'
import { beginsAsPage } from './read-part.ts'

/** Where a file's chunks go. */
interface ChunkPlaces {
  /** Memory for a chunk's bytes, of its exact length; the same each time until the chunk is settled. */
  place(index: number): Uint8Array
  /** The chunk is whole in its place; `isKept`: in the store too. */
  settle(index: number, isKept: boolean): Promise<void>
  /** What `reader` makes of a settled chunk's bytes, which are only good while it runs. */
  use<T>(index: number, reader: (bytes: Uint8Array) => T): Promise<T>
}

/**
 * Settles every chunk of the file, its content checked. Chunks that are kept aren't fetched again. Throws `hub/corrupt` when the content
 * isn't what the repository lists, after everything was fetched anew once.
 */
export async function gatherChunks(file: OpenFile, places: ChunkPlaces, onBytes: ((loaded: number) => void) | undefined): Promise<void> {
  const progress = neverLess(onBytes)
  if (await readKept(file, places, progress)) await file.note()
  else {
    await file.alone(async () => {
      // Somebody else may have fetched it while we waited.
      if (await readKept(file, places, progress)) return
      await fetchMissing(file, places, progress)
    })
  }
  progress(file.bytes)
}

/** True when the file is kept whole and every byte of it is as it was when it was checked. */
async function readKept(file: OpenFile, places: ChunkPlaces, progress: (loaded: number) => void): Promise<boolean> {
  const { store } = file.around
  const marker = (await store?.readMarker(file.key)) ?? null
  if (store === null || marker?.bytes !== file.bytes || marker.chunks.length !== file.chunks) return false
  for (let index = 0; index < file.chunks; index++) {
    if ((await store.readChunk(file.key, index, places.place(index))) !== marker.chunks[index]) return false
    await places.settle(index, true)
    progress(index * file.chunkBytes + file.lengthOf(index))
  }
  return true
}

async function fetchMissing(file: OpenFile, places: ChunkPlaces, progress: (loaded: number) => void): Promise<void> {
  const { store, waiter, slots, notify } = file.around
  for (let isSecond = false; ; isSecond = true) {
    const ledger = createLedger(file, progress)
    const check = await contentCheck(file.key, file.bytes)
    let checked = 0
    let checking = Promise.resolve()
    const enter = async (index: number, hash: string | null): Promise<void> => {
      await places.settle(index, hash !== null)
      ledger.enter(index, hash)
      // The hash goes over the bytes in order, while later chunks are still on their way.
      checking = checking.then(async () => {
        for (; ledger.has(checked); checked++) await places.use(checked, (bytes) => check.update(bytes))
      })
      await checking
    }
    const kept = (await store?.chunksOf(file.key)) ?? new Set<number>()
    for (let index = 0; index < file.chunks; index++) {
      const hash = kept.has(index) ? ((await store?.readChunk(file.key, index, places.place(index))) ?? null) : null
      if (hash !== null) await enter(index, hash)
    }
    await fetchChunks({
      source: file.source,
      waiter,
      slots,
      chunkBytes: file.chunkBytes,
      wanted: ledger.missing(),
      placeOf: (index) => places.place(index),
      onBytes: ledger.onBytes,
      onChunk: async (index) => enter(index, await file.keep(index, places.place(index))),
    })
    const mismatch = check.mismatch()
    if (mismatch === null) {
      const chunks = ledger.hashes()
      if (chunks !== null) await file.finish(chunks)
      return
    }
    const isPage = file.chunks > 0 && (await places.use(0, beginsAsPage))
    // Which chunk is wrong can't be told: none is kept.
    await store?.remove(file.key)
    if (isSecond) throw new EvalError('hub/corrupt', `${file.what}: ${describe(mismatch, isPage)}`, { details: { file: file.source.path } })
    notify({ type: 'warning', message: `${file.what} came with other content than the Hub lists (${mismatch}): it is fetched once more.` })
  }
}

function describe(mismatch: string, isPage: boolean): string {
  if (isPage) return 'a web page came in its place. Is something between this browser and the Hub?'
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
function neverLess(onBytes: ((loaded: number) => void) | undefined): (loaded: number) => void {
  let most = -1
  return (loaded) => {
    if (loaded <= most) return
    most = loaded
    onBytes?.(loaded)
  }
}
