/** Folders and files out of a picker, an `<input>` or a drop, as lists of paths with their File objects. Nothing is read yet. */
import { append } from '../../base/arrays.ts'
import { holding } from '../../base/holding.ts'
import type { LocalFile } from '../../rpc/run-worker-api.ts'

export interface ChosenFolder {
  readonly name: string
  readonly files: readonly LocalFile[]
}

/** TypeScript's DOM doesn't know the picker, which only Chromium has. */
type PickDirectory = (options: { readonly mode: 'read' | 'readwrite'; readonly id: string }) => Promise<FileSystemDirectoryHandle>

/** The browser's directory picker; null where there is none, and an `<input webkitdirectory>` must do. */
export function directoryPicker(): PickDirectory | null {
  const pick: unknown = Reflect.get(window, 'showDirectoryPicker')
  // The name is the standard's: https://wicg.github.io/file-system-access/#api-showdirectorypicker
  return typeof pick === 'function' ? (options) => Reflect.apply(pick, window, [options]) as Promise<FileSystemDirectoryHandle> : null
}

/** What the user chose in the picker; null when they closed it, or when the page may not open one (inside a foreign frame). */
export async function pickFolder(pick: PickDirectory): Promise<ChosenFolder | 'closed' | 'not-allowed'> {
  try {
    const handle = await pick({ mode: 'read', id: 'yardstick-model' })
    return { name: handle.name, files: await walkHandle(handle, '') }
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return 'closed'
    if (error instanceof DOMException && error.name === 'SecurityError') return 'not-allowed'
    throw error
  }
}

/** The folder of an `<input webkitdirectory>`: the first part of every path is its name. Null when nothing was chosen. */
export function folderOfInput(list: FileList | null): ChosenFolder | null {
  const files = [...(list ?? [])]
  const first = files[0]?.webkitRelativePath.split('/')[0]
  if (first === undefined || first === '') return null
  return { name: first, files: files.map((file) => ({ path: file.webkitRelativePath.slice(first.length + 1), file })) }
}

/** Everything that was dropped. Must be called within the `drop` event; single files make a folder without a name. */
export async function readDrop(data: DataTransfer): Promise<readonly ChosenFolder[]> {
  const folders: Promise<ChosenFolder>[] = []
  const loose: LocalFile[] = []
  // All of this before the first wait: the items are gone after the event.
  for (const item of data.items) {
    const entry = item.webkitGetAsEntry()
    const file = item.getAsFile()
    if (entry !== null && isDirectory(entry)) folders.push(walkEntry(entry, '').then((files) => ({ name: entry.name, files })))
    else if (file !== null) loose.push({ path: file.name, file })
  }
  return [...(await Promise.all(folders)), ...(loose.length === 0 ? [] : [{ name: '', files: loose }])]
}

async function walkHandle(folder: FileSystemDirectoryHandle, prefix: string): Promise<LocalFile[]> {
  return holding(folder, async (held) => {
    const files: LocalFile[] = []
    for await (const handle of held.values()) {
      if (handle.kind === 'directory') append(files, await walkHandle(handle, `${prefix}${handle.name}/`))
      else files.push({ path: prefix + handle.name, file: await holding(handle, (file) => file.getFile()) })
    }
    return files
  })
}

async function walkEntry(folder: FileSystemDirectoryEntry, prefix: string): Promise<LocalFile[]> {
  const files: LocalFile[] = []
  const reader = folder.createReader()
  for (;;) {
    // A call gives a hundred entries or so; the last one gives none.
    const entries = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject))
    if (entries.length === 0) return files
    for (const entry of entries) {
      if (isDirectory(entry)) append(files, await walkEntry(entry, `${prefix}${entry.name}/`))
      else if (isFile(entry)) files.push({ path: prefix + entry.name, file: await fileOf(entry) })
    }
  }
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject))
}

function isFile(entry: FileSystemEntry): entry is FileSystemFileEntry {
  return entry.isFile
}

function isDirectory(entry: FileSystemEntry): entry is FileSystemDirectoryEntry {
  return entry.isDirectory
}
