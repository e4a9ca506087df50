/** A model in a folder of the user's own (a disk, a USB stick) as a repository: read where it lies, never copied, never uploaded. */
import { createSHA256 } from 'hash-wasm'
import { EvalError } from '../../base/errors.ts'
import { folderModelId } from '../../base/local-names.ts'
import type { RepoFile, RepoSnapshot } from '../../contracts/models.ts'
import { gitBlobOid, sha1Hex, sha256Hex } from '../digests.ts'
import { commitText, isListed, largeFileBytes, licenseOf } from './folder-commit.ts'
import { findModelRoot, mainRefPath } from './folder-layout.ts'
import type { HubClient } from './hub.ts'

/** A file as the browser hands it over: its path below the chosen folder, with `/`, without the folder's own name. */
export interface FolderFile {
  readonly path: string
  readonly file: Blob
}

export interface OpenFolderOptions {
  readonly signal?: AbortSignal
  /** Bytes of the folder's files hashed so far, and of all. */
  readonly onBytes?: (loaded: number, total: number) => void
}

/** A chosen folder that was found to hold a model. */
interface FolderModel {
  /** What goes into `RunSettings.model`. */
  readonly id: string
  readonly hub: HubClient
}

/**
 * Finds the model in a folder, hashes every file of it as a stream, and gives a Hub of this one repository, whose only revision `main` is
 * a commit made of those hashes: the same folder has the same one in every browser and on the command line.
 *
 * Throws `model/not-found` and `model/no-onnx` (see `findModelRoot`), `local/missing` when a file can't be read, `run/stopped`.
 */
export async function openFolder(name: string, files: readonly FolderFile[], options: OpenFolderOptions = {}): Promise<FolderModel> {
  const paths = files.map(({ path }) => path)
  const ref = mainRefPath(paths)
  const root = findModelRoot(name, paths, ref === null ? null : await readRef(name, ref, files))
  const inside = files.flatMap(({ path, file }) => {
    const own = path.startsWith(root) ? path.slice(root.length) : null
    return own !== null && isListed(own) ? [{ path: own, file }] : []
  })
  const listed = await describeFiles(name, inside, options)
  const contents = new Map(inside.map(({ path, file }) => [path, file]))
  const readme = contents.get('README.md')
  const snapshot: RepoSnapshot = {
    kind: 'model',
    id: folderModelId(name),
    requestedRevision: 'main',
    commit: await sha1Hex(new TextEncoder().encode(commitText(listed))),
    files: listed,
    license: readme === undefined ? null : licenseOf(new TextDecoder().decode(await readBlob(name, 'README.md', readme))),
  }
  return { id: snapshot.id, hub: hubOver(name, snapshot, contents) }
}

/** Length of the pieces that a file is streamed in. */
const pieceBytes = 8 * 1024 * 1024

function hubOver(name: string, snapshot: RepoSnapshot, contents: ReadonlyMap<string, Blob>): HubClient {
  return {
    base: snapshot.id,
    readApi: (path) => Promise.reject(new EvalError('hub/not-found', `The folder '${name}' is no Hub and answers nothing at ${path}.`)),
    snapshot: (_kind, _id, revision) => {
      if (revision === 'main' || revision === snapshot.commit) return Promise.resolve({ ...snapshot, requestedRevision: revision })
      const message = `The folder '${name}' has no revision '${revision}': it is one state of a model, 'main'.`
      return Promise.reject(new EvalError('hub/not-found', message, { details: { folder: name, revision } }))
    },
    fetchFile: async (_kind, _id, _commit, file, { signal, onBytes } = {}) => {
      const content = contents.get(file.path)
      if (content === undefined) throw new EvalError('hub/not-found', `The folder '${name}' has no file '${file.path}'.`)
      const bytes = await readBlob(name, file.path, content)
      throwIfStopped(name, signal)
      // A stick may give other bytes the second time, and not every browser notices a file that was changed.
      if (!(await isAsListed(bytes, file))) throw changed(name, file.path)
      onBytes?.(bytes.length)
      return bytes
    },
    fetchBlob: async (_kind, _id, _commit, file, { signal, onBytes } = {}) => {
      const content = contents.get(file.path)
      if (content === undefined) throw new EvalError('hub/not-found', `The folder '${name}' has no file '${file.path}'.`)
      const step = (bytes: number): void => {
        throwIfStopped(name, signal)
        loaded += bytes
        onBytes?.(loaded)
      }
      let loaded = 0
      const isSame =
        content.size === file.bytes &&
        (file.sha256 === null
          ? (await gitBlobOid(await readBlob(name, file.path, content))) === file.oid
          : (await hashBlob(name, file.path, content, step)) === file.sha256)
      if (!isSame) throw changed(name, file.path)
      onBytes?.(content.size)
      return content
    },
    streamFile: async function* (_kind, _id, _commit, file, { signal, onBytes } = {}) {
      const content = contents.get(file.path)
      if (content === undefined) throw new EvalError('hub/not-found', `The folder '${name}' has no file '${file.path}'.`)
      for (let start = 0; start < content.size; start += pieceBytes) {
        const piece = await readBlob(name, file.path, content.slice(start, start + pieceBytes))
        throwIfStopped(name, signal)
        onBytes?.(start + piece.length)
        yield piece
      }
    },
    readRange: async (_kind, _id, _commit, file, start, end, { signal } = {}) => {
      const content = contents.get(file.path)
      if (content === undefined) throw new EvalError('hub/not-found', `The folder '${name}' has no file '${file.path}'.`)
      const bytes = await readBlob(name, file.path, content.slice(start, end))
      throwIfStopped(name, signal)
      if (bytes.length !== end - start) throw changed(name, file.path)
      return bytes
    },
  }
}

async function describeFiles(name: string, files: readonly FolderFile[], { signal, onBytes }: OpenFolderOptions): Promise<RepoFile[]> {
  const total = files.reduce((sum, { file }) => sum + file.size, 0)
  let loaded = 0
  const listed: RepoFile[] = []
  for (const { path, file } of files) {
    throwIfStopped(name, signal)
    const step = (bytes: number): void => {
      throwIfStopped(name, signal)
      loaded += bytes
      onBytes?.(loaded, total)
    }
    const isLarge = file.size >= largeFileBytes
    const sha256 = isLarge ? await hashBlob(name, path, file, step) : null
    const oid = isLarge ? null : await gitBlobOid(await readBlob(name, path, file))
    if (!isLarge) step(file.size)
    listed.push({ path, bytes: file.size, oid, sha256 })
  }
  return listed.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** SHA-256 of a file of any size in the memory of one part. */
async function hashBlob(name: string, path: string, file: Blob, onBytes: (bytes: number) => void): Promise<string> {
  const hash = (await createSHA256()).init()
  const reader = file.stream().getReader()
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw unreadable(name, path, 'the browser can’t read it', cause)
    })
    if (done) return hash.digest('hex')
    hash.update(value)
    onBytes(value.length)
  }
}

async function readBlob(name: string, path: string, file: Blob): Promise<Uint8Array<ArrayBuffer>> {
  try {
    return new Uint8Array(await file.arrayBuffer())
  } catch (cause) {
    throw unreadable(name, path, 'the browser can’t read it', cause)
  }
}

async function readRef(name: string, path: string, files: readonly FolderFile[]): Promise<string | null> {
  const file = files.find((one) => one.path === path)?.file
  return file === undefined ? null : new TextDecoder().decode(await readBlob(name, path, file)).trim()
}

async function isAsListed(bytes: Uint8Array, { bytes: length, oid, sha256 }: RepoFile): Promise<boolean> {
  if (bytes.length !== length) return false
  return sha256 === null ? (await gitBlobOid(bytes)) === oid : (await sha256Hex(bytes)) === sha256
}

function unreadable(name: string, path: string, why: string, cause?: unknown): EvalError {
  const message = `'${path}' in the folder '${name}' can't be used: ${why}. Is the disk or stick still there?`
  return new EvalError('local/missing', message, { cause, details: { folder: name, file: path } })
}

function changed(name: string, path: string): EvalError {
  return unreadable(name, path, 'its content has changed since the folder was chosen')
}

function throwIfStopped(name: string, signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw new EvalError('run/stopped', `Stopped while reading the folder '${name}'.`)
}
