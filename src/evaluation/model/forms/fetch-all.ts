/** Downloads of several files that stand or fall together. */
import type { RepoFile } from '../../../contracts/models.ts'
import type { ModelRepo, OnBytes } from './form.ts'

/** A file's content by its name without folders. */
export interface NamedBlob {
  readonly path: string
  readonly bytes: Blob
}

/** The files' contents in their order, fetched side by side. When one fails the others are stopped, and have ended before this fails. */
export async function fetchAll(
  repo: ModelRepo,
  files: readonly RepoFile[],
  onBytes: OnBytes,
  signal: AbortSignal,
): Promise<readonly NamedBlob[]> {
  const failed = new AbortController()
  const either = AbortSignal.any([signal, failed.signal])
  const ends = await Promise.allSettled(
    files.map(async (file) => {
      try {
        const bytes = await repo.fetchBlob(file, onBytes, either)
        return { path: file.path.slice(file.path.lastIndexOf('/') + 1), bytes }
      } catch (error) {
        // The first error is the cause; the others only hear that they were stopped.
        if (!either.aborted) failed.abort(error)
        throw error
      }
    }),
  )
  if (failed.signal.aborted) throw failed.signal.reason
  return ends.map((end) => {
    if (end.status === 'rejected') throw end.reason
    return end.value
  })
}
