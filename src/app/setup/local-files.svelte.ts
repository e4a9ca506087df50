/** The user's own files as the page knows them: model folders and data files that were handed to the run worker. Gone with the page. */
import { toEvalError, type EvalError } from '../../base/errors.ts'
import { folderModelId, folderNameOf, givenAddress, givenPathOf } from '../../base/local-names.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { LocalFile } from '../../rpc/run-worker-api.ts'
import type { RunClient } from '../run-client.ts'
import type { ChosenFolder } from './read-folder.ts'

interface OpenFolder {
  readonly name: string
  /** What goes into the settings. */
  readonly id: string
  readonly files: number
  readonly bytes: number
}

interface GivenFile {
  readonly path: string
  readonly bytes: number
}

export class LocalFiles {
  folders: readonly OpenFolder[] = $state.raw([])
  /** The folder whose files are being hashed. */
  opening: { readonly name: string; readonly loaded: number; readonly total: number } | null = $state.raw(null)
  folderError: EvalError | null = $state.raw(null)
  dataFiles: readonly GivenFile[] = $state.raw([])
  /** Which given file the reader means by a task's path that fits none. */
  #meant: { readonly [path: string]: string } = $state.raw({})
  readonly #client: RunClient

  constructor(client: RunClient) {
    this.#client = client
  }

  /** Hands a folder over; gives the model's id, or null when it holds none: `folderError` says why. */
  async openFolder({ name, files }: ChosenFolder): Promise<string | null> {
    const total = sizeOf(files)
    this.folderError = null
    this.opening = { name, loaded: 0, total }
    try {
      const id = await this.#client.openModelFolder(name, files, (loaded, whole) => {
        if (this.opening?.name === name) this.opening = { name, loaded, total: whole }
      })
      this.folders = [...this.folders.filter((folder) => folder.id !== id), { name, id, files: files.length, bytes: total }]
      return id
    } catch (error) {
      this.folderError = toEvalError(error)
      return null
    } finally {
      this.opening = null
    }
  }

  async addDataFiles(files: readonly LocalFile[]): Promise<void> {
    const seen = files.filter(({ path }) => !path.split('/').some((part) => part.startsWith('.')))
    await this.#client.openDataFiles(seen)
    const kept = this.dataFiles.filter((old) => !seen.some(({ path }) => path === old.path))
    this.dataFiles = [...kept, ...seen.map(({ path, file }) => ({ path, bytes: file.size }))]
  }

  /** True for every model but a folder's that isn't open. */
  isOpen(model: string): boolean {
    return folderNameOf(model) === null || this.folders.some(({ id }) => id === model)
  }

  /** The file given for a path that a task names; null when none was, or when several fit equally well. */
  fileFor(path: string): GivenFile | null {
    const meant = this.#meant[path]
    return this.dataFiles.find((file) => file.path === meant) ?? matchFile(path, this.dataFiles)
  }

  /** Takes a given file for a task's path, whatever it is called. */
  useFor(path: string, given: string): void {
    this.#meant = { ...this.#meant, [path]: given }
  }

  /** `RunSettings.dataFiles` for these paths; those without a file are left out. */
  settingsFor(paths: readonly string[]): { readonly [path: string]: string } {
    return Object.fromEntries(
      paths.flatMap((path) => {
        const file = this.fileFor(path)
        return file === null ? [] : [[path, givenAddress(file.path)]]
      }),
    )
  }

  /** What a stored run needs of the user's own files and hasn't got. */
  missingFor(settings: RunSettings): { readonly folder: string | null; readonly files: readonly string[] } {
    const given = Object.values(settings.dataFiles).flatMap((address) => givenPathOf(address) ?? [])
    return {
      folder: this.isOpen(settings.model) ? null : folderNameOf(settings.model),
      files: given.filter((path, at) => given.indexOf(path) === at && !this.dataFiles.some((file) => file.path === path)),
    }
  }

  /** Hands over files for a stored run, under the paths that it has them by. */
  async addFor(paths: readonly string[], files: readonly LocalFile[]): Promise<void> {
    const chosen = files.map(({ path, file }) => ({ path, bytes: file.size }))
    const found = paths.flatMap((path) => {
      const match = matchFile(path, chosen)
      const file = files.find((one) => one.path === match?.path)
      return file === undefined ? [] : [{ path, file: file.file }]
    })
    await this.addDataFiles(found)
  }

  /** The open folder of this name; null when there is none. */
  folderNamed(name: string): OpenFolder | null {
    return this.folders.find(({ id }) => id === folderModelId(name)) ?? null
  }
}

/**
 * The file that a task's path means: the one of the same path, else the only one whose path ends with it or that it ends with (`data/a.jsonl`
 * and `a.jsonl`), else the only one of the same name.
 */
export function matchFile(path: string, files: readonly GivenFile[]): GivenFile | null {
  const wanted = path.replace(/^(\.\/)+/, '')
  const exact = files.find((file) => file.path === path || file.path === wanted)
  if (exact !== undefined) return exact
  const nested = files.filter((file) => `/${file.path}`.endsWith(`/${wanted}`) || `/${wanted}`.endsWith(`/${file.path}`))
  if (nested.length > 0) return only(nested)
  return only(files.filter((file) => lastPart(file.path) === lastPart(wanted)))
}

function only(files: readonly GivenFile[]): GivenFile | null {
  return files.length === 1 ? (files[0] ?? null) : null
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

function sizeOf(files: readonly LocalFile[]): number {
  return files.reduce((sum, { file }) => sum + file.size, 0)
}
