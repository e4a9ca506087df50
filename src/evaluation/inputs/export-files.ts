/** Kept files written into a folder of the user's, for another computer. */
import { EvalError } from '../../base/errors.ts'
import { holding } from '../../base/holding.ts'
import { chunkCount, chunkRange, type FileStore } from '../../data/download/file-store.ts'

/** A kept file and the path that it gets below the folder. */
interface ExportedFile {
  readonly key: string
  readonly path: string
}

/**
 * Writes the files, part by part, each checked against its hash as it is read; a file of the same name is replaced. `onBytes` hears of bytes
 * written and of all. Throws `storage/corrupt` for one that isn't kept whole, `storage/quota` when the disk is full.
 */
export async function exportFiles(
  list: readonly ExportedFile[],
  folder: FileSystemDirectoryHandle,
  files: FileStore,
  onBytes: (loaded: number, total: number) => void,
): Promise<void> {
  const marked = await Promise.all(list.map(async ({ key, path }) => ({ key, path, marker: await files.readMarker(key) })))
  const total = marked.reduce((sum, { marker }) => sum + (marker?.bytes ?? 0), 0)
  let loaded = 0
  for (const { key, path, marker } of marked) {
    if (marker === null) throw notWhole(path)
    const target = await openTarget(folder, path)
    try {
      for (let index = 0; index < chunkCount(marker.bytes, files.chunkBytes); index++) {
        const { start, end } = chunkRange(marker.bytes, index, files.chunkBytes)
        const bytes = new Uint8Array(end - start)
        if ((await files.readChunk(key, index, bytes)) !== marker.chunks[index]) throw notWhole(path)
        await target.write(bytes)
        loaded += bytes.length
        onBytes(loaded, total)
      }
      await target.close()
    } catch (error) {
      await target.abort().catch(() => undefined)
      if (error instanceof DOMException && error.name === 'QuotaExceededError')
        throw new EvalError('storage/quota', `The disk has no room for '${path}'.`, { cause: error })
      throw error
    }
  }
}

async function openTarget(folder: FileSystemDirectoryHandle, path: string): Promise<FileSystemWritableFileStream> {
  const parts = path.split('/')
  // The browser refuses names such as '..'; an empty one would be the folder itself.
  const name = parts.pop() ?? ''
  let inner = folder
  for (const part of parts) inner = await holding(inner, (outer) => outer.getDirectoryHandle(part, { create: true }))
  const file = await holding(inner, (last) => last.getFileHandle(name, { create: true }))
  return holding(file, (held) => held.createWritable())
}

function notWhole(path: string): EvalError {
  return new EvalError('storage/corrupt', `'${path}' isn’t kept whole and unchanged: check it on the storage page, or download it again.`)
}
