/** What the user handed over in this session: model folders and data files. Held as the browser's File objects, never stored. */
import { EvalError } from '../../base/errors.ts'
import { folderNameOf, givenPathOf } from '../../base/local-names.ts'
import { openFolder, type FolderFile, type OpenFolderOptions } from '../../data/hub/folder-hub.ts'
import type { HubClient } from '../../data/hub/hub.ts'

export class LocalInputs {
  readonly #folders = new Map<string, HubClient>()
  readonly #files = new Map<string, Blob>()

  /** Opens a model folder; one of the same name replaces the earlier one. Gives the id for the settings. Throws as `openFolder`. */
  async openFolder(name: string, files: readonly FolderFile[], options: OpenFolderOptions = {}): Promise<string> {
    const { id, hub } = await openFolder(name, files, options)
    this.#folders.set(id, hub)
    return id
  }

  /** Takes data files; one of the same path replaces the earlier one. */
  addFiles(files: readonly FolderFile[]): void {
    for (const { path, file } of files) this.#files.set(path, file)
  }

  /** The Hub over a model folder; null for a model that isn't one. Throws `local/missing` for a folder that isn't open. */
  hubOf(model: string): HubClient | null {
    const name = folderNameOf(model)
    if (name === null) return null
    const hub = this.#folders.get(model)
    if (hub !== undefined) return hub
    const message = `The model is in the folder '${name}' on this machine, which isn't open now: choose it again.`
    throw new EvalError('local/missing', message, { details: { folder: name } })
  }

  /** The file behind an address of `RunSettings.dataFiles`; null for an address that is none of these. Throws `local/missing`. */
  fileAt(address: string): Blob | null {
    const path = givenPathOf(address)
    if (path === null) return null
    const file = this.#files.get(path)
    if (file !== undefined) return file
    const message = `The data file '${path}' lies on this machine and isn't open now: choose it again.`
    throw new EvalError('local/missing', message, { details: { file: path } })
  }
}
