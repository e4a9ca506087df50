/** What this browser keeps for the page: its room, downloaded files by the repository they belong to, and deleting them. */
import { toEvalError, type EvalError } from '../../base/errors.ts'
import type { FileUse, KeptFile, StorageReport } from '../../contracts/kept-files.ts'
import type { RunClient } from '../run-client.ts'

/** Files of one repository at one commit. */
export interface KeptGroup {
  readonly kind: FileUse['kind'] | null
  /** Empty for files that no repository is known of. */
  readonly id: string
  readonly commit: string
  readonly files: readonly GroupedFile[]
  readonly bytes: number
}

export interface GroupedFile {
  readonly key: string
  readonly path: string
  readonly bytes: number
  readonly bytesKept: number
  readonly isComplete: boolean
  /** How many other repositories and commits have the same file. */
  readonly shared: number
}

export class StorageState {
  report: StorageReport | null = $state.raw(null)
  error: EvalError | null = $state.raw(null)
  /** What a check said of a file, by its key; a file that wasn't checked has none. */
  verdicts: { readonly [key: string]: boolean } = $state.raw({})
  /** What is going on, so that nothing is begun twice. */
  busy: 'none' | 'deleting' | 'verifying' | 'exporting' | 'erasing' = $state.raw('none')
  /** Bytes written of an export, and of all. */
  exporting: { readonly loaded: number; readonly total: number } | null = $state.raw(null)
  /** The browser said no to keeping things for good. */
  isRefused = $state.raw(false)
  /** What was still there after everything was erased: the proof. */
  afterErase: StorageReport | null = $state.raw(null)
  readonly #client: RunClient

  constructor(client: RunClient) {
    this.#client = client
  }

  get groups(): readonly KeptGroup[] {
    return groupFiles(this.report?.files ?? [])
  }

  async load(): Promise<void> {
    try {
      this.report = await this.#client.storageReport()
      this.error = null
    } catch (error) {
      this.error = toEvalError(error)
    }
  }

  async remove(keys: readonly string[]): Promise<void> {
    await this.#during('deleting', async () => {
      try {
        await this.#client.deleteFiles(keys)
      } finally {
        await this.load()
      }
    })
  }

  /** Reads the files whole; `verdicts` says what came of it. */
  async verify(keys: readonly string[]): Promise<void> {
    await this.#during('verifying', async () => {
      const found = await this.#client.verifyFiles(keys)
      this.verdicts = { ...this.verdicts, ...Object.fromEntries(found.map(({ key, isIntact }) => [key, isIntact])) }
    })
  }

  async askToKeep(): Promise<void> {
    this.isRefused = !(await this.#client.persist())
    await this.load()
  }

  /** Writes a group's whole files into a folder, laid out so that this page (or transformers.js) can use it elsewhere. */
  async exportTo(group: KeptGroup, folder: FileSystemDirectoryHandle): Promise<void> {
    const files = group.files.filter(({ isComplete }) => isComplete).map(({ key, path }) => ({ key, path }))
    await this.#during('exporting', async () => {
      this.exporting = { loaded: 0, total: group.bytes }
      try {
        await this.#client.exportFiles(files, folder, (loaded, total) => {
          if (this.exporting !== null) this.exporting = { loaded, total }
        })
      } finally {
        this.exporting = null
      }
    })
  }

  /** Deletes everything, then asks what is left. */
  async eraseAll(): Promise<void> {
    await this.#during('erasing', async () => {
      await this.#client.eraseAll()
      await this.load()
      this.verdicts = {}
      this.afterErase = this.report
    })
  }

  async #during(what: StorageState['busy'], action: () => Promise<void>): Promise<void> {
    if (this.busy !== 'none') return
    this.busy = what
    try {
      await action()
    } finally {
      this.busy = 'none'
    }
  }
}

/** Files by the first repository that they were fetched for; models first, then by id. */
function groupFiles(files: readonly KeptFile[]): readonly KeptGroup[] {
  const groups: { [name: string]: { use: FileUse | null; files: GroupedFile[] } } = {}
  for (const { key, bytes, bytesKept, isComplete, uses } of files) {
    const use = uses[0] ?? null
    const name = use === null ? '' : `${use.kind} ${use.id} ${use.commit}`
    groups[name] ??= { use, files: [] }
    groups[name].files.push({ key, path: use?.path ?? key, bytes, bytesKept, isComplete, shared: Math.max(0, uses.length - 1) })
  }
  return Object.values(groups)
    .map(({ use, files: own }) => ({
      kind: use?.kind ?? null,
      id: use?.id ?? '',
      commit: use?.commit ?? '',
      files: own.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
      bytes: own.reduce((sum, file) => sum + file.bytesKept, 0),
    }))
    .toSorted((a, b) => rank(a) - rank(b) || (a.id < b.id ? -1 : 1))
}

function rank({ kind }: KeptGroup): number {
  return kind === 'model' ? 0 : kind === 'dataset' ? 1 : 2
}
