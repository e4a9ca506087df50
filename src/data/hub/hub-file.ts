/** A file of a dataset on a Hub. */
import type { RepoFile } from '../../contracts/models.ts'
import { bytesFile, hashedFile, type DataFile } from '../dataset/data-file.ts'
import type { Watched } from './http.ts'
import type { HubClient } from './hub.ts'

/** Smaller files come whole, in one request. */
const largeBytes = 4 * 2 ** 20

interface HubPlace {
  readonly id: string
  readonly commit: string
  readonly file: RepoFile
}

/**
 * The file as the download layer gives it: in order, checked by its hash at the end, or by ranges, which are checked only once the whole
 * file is asked for its facts. Throws the Hub's errors.
 */
export function hubFile(hub: HubClient, { id, commit, file }: HubPlace, watched: Watched): DataFile {
  const name = `${id}/${file.path}`
  if (file.bytes < largeBytes) return bytesFile(name, () => hub.fetchFile('dataset', id, commit, file, watched))
  return hashedFile({
    name,
    length: () => Promise.resolve(file.bytes),
    stream: () => hub.streamFile('dataset', id, commit, file, watched),
    read: (start, end) => hub.readRange('dataset', id, commit, file, start, Math.min(end, file.bytes), watched),
  })
}
