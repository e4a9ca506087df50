/** What the browser keeps of downloads: told, deleted and checked by key. */
import { EvalError } from '../../base/errors.ts'
import type { FileVerdict, StorageReport } from '../../contracts/kept-files.ts'
import { contentCheck } from '../../data/download/file-key.ts'
import { useLockName, type FileLocks } from '../../data/download/file-locks.ts'
import { chunkCount, chunkRange, type FileStore } from '../../data/download/file-store.ts'
import type { Store } from '../../storage/store.ts'

/** Runs, answers and files, and what the browser says of its room. `files` is null where nothing can be kept. */
export async function reportStorage(store: Store, files: FileStore | null): Promise<StorageReport> {
  const { usedBytes, quotaBytes, isPersistent, runs, responses } = await store.usage()
  return { usedBytes, quotaBytes, isPersistent, runs, responses, files: (await files?.list()) ?? [] }
}

/** Removes files in turn; throws `run/busy` at the first one that a run, in whatever tab, is using. */
export async function deleteFiles(keys: readonly string[], files: FileStore | null, locks: FileLocks): Promise<void> {
  for (const key of keys) {
    const { held } = await locks.tryExclusive(useLockName(key), async () => files?.remove(key))
    if (!held) continue
    const use = (await files?.list())?.find((file) => file.key === key)?.uses[0]
    const name = use === undefined ? 'This file' : `'${use.path}' of ${use.id}`
    throw new EvalError('run/busy', `${name} is in use by a run: stop the run, or wait until it has ended, then delete the file.`, {
      details: { key },
    })
  }
}

/** Removes what killed tabs have left of files that nobody is using now, in whatever tab. */
export async function tidyFiles(files: FileStore, locks: FileLocks): Promise<void> {
  for (const { key } of await files.list()) await locks.tryExclusive(useLockName(key), () => files.tidy(key))
}

/** Reads each file whole, chunk by chunk, and compares it with its own hashes and with the one that the Hub gave. */
export async function verifyFiles(keys: readonly string[], files: FileStore | null): Promise<readonly FileVerdict[]> {
  const verdicts: FileVerdict[] = []
  for (const key of keys) verdicts.push({ key, isIntact: files !== null && (await isIntact(key, files)) })
  return verdicts
}

async function isIntact(key: string, files: FileStore): Promise<boolean> {
  const marker = await files.readMarker(key)
  if (marker === null) return false
  const check = await contentCheck(key, marker.bytes)
  const chunk = new Uint8Array(Math.min(files.chunkBytes, marker.bytes))
  for (let index = 0; index < chunkCount(marker.bytes, files.chunkBytes); index++) {
    const { start, end } = chunkRange(marker.bytes, index, files.chunkBytes)
    const bytes = chunk.subarray(0, end - start)
    if ((await files.readChunk(key, index, bytes)) !== marker.chunks[index]) return false
    check.update(bytes)
  }
  return check.mismatch() === null
}
