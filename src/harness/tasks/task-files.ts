/** Task files by path, and their include trees as one mapping each. */
import { EvalError } from '../../base/errors.ts'
import type { TaskListing } from '../../contracts/listings.ts'
import type { TaskFile } from '../../contracts/run-settings.ts'
import { readYamlMapping } from '../../python/yaml/parse.ts'
import type { ConfigDict, ConfigValue } from '../../python/yaml/yaml-value.ts'

/** The files of one place: the bundled ones, a folder that the user gave, a pasted text. */
export interface TaskRoot {
  readonly name: string
  readonly files: readonly TaskFile[]
  /** What the files define, when it is known already: none of them is then read before it is asked for. */
  readonly listing?: readonly TaskListing[]
}

/** Name of the root of the files that the app brings. */
export const bundledRoot = 'bundled'

/** All bundled files by path, and what they define, so that listing and choosing read none of them. Made by the build. */
export interface TaskPack {
  readonly files: { readonly [path: string]: string }
  readonly listing: readonly TaskListing[]
}

/** Reads files of several roots. A path is looked for in the including file's own root first, then in the others, later ones first. */
export class TaskFileReader {
  private readonly roots: ReadonlyMap<string, ReadonlyMap<string, TaskFile>>
  private readonly read = new Map<TaskFile, ConfigDict>()

  constructor(roots: readonly TaskRoot[]) {
    this.roots = new Map(roots.map((root) => [root.name, new Map(root.files.map((file) => [normalizePath(file.path), file]))]))
  }

  /**
   * A file's mapping with its includes merged in: shallow, includes from left to right, the file's own keys last.
   * Throws `yaml/invalid`, and `task/invalid` for a missing include or a file that stands twice in the tree.
   */
  load(root: string, path: string): ConfigDict {
    return this.loadWith(root, normalizePath(path), new Set())
  }

  private loadWith(root: string, path: string, seen: Set<string>): ConfigDict {
    const found = this.find(root, path)
    if (found === null) throw new EvalError('task/invalid', `${path}: there is no such task file`, { details: { file: path } })
    const own = this.parse(found.file, found.root)
    const place = `${found.root}\n${path}`
    if (seen.has(place))
      throw new EvalError('task/invalid', `${path}: the file stands twice in one include tree`, { details: { file: path } })
    seen.add(place)
    const includes = own.get('include')
    if (includes === undefined) return own
    const merged = new Map<string, ConfigValue>()
    for (const include of Array.isArray(includes) ? (includes as readonly ConfigValue[]) : [includes]) {
      if (typeof include !== 'string')
        throw new EvalError('task/invalid', `${path}: 'include' wants a file name or a list of them`, { details: { file: path } })
      const target = include.startsWith('/') ? normalizePath(include) : joinPath(path, include)
      if (this.find(found.root, target) === null) {
        throw new EvalError('task/invalid', `${path}: 'include' names '${include}', but there is no file '${target}'`, {
          details: { file: path, include },
        })
      }
      for (const [key, value] of this.loadWith(found.root, target, seen)) if (key !== 'task_list') merged.set(key, value)
    }
    for (const [key, value] of own) if (key !== 'include') merged.set(key, value)
    return merged
  }

  private find(root: string, path: string): { readonly root: string; readonly file: TaskFile } | null {
    for (const name of [root, ...[...this.roots.keys()].reverse()]) {
      const file = this.roots.get(name)?.get(path)
      if (file !== undefined) return { root: name, file }
    }
    return null
  }

  private parse(file: TaskFile, root: string): ConfigDict {
    const known = this.read.get(file)
    if (known !== undefined) return known
    const mapping = readYamlMapping(file.text, file.path, (path) => this.roots.get(root)?.get(normalizePath(path))?.text ?? null)
    this.read.set(file, mapping)
    return mapping
  }
}

/** The path without `.` and `..` steps; one that leads above the top keeps what is left. */
export function normalizePath(path: string): string {
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '..') steps.pop()
    else if (step !== '.' && (step !== '' || steps.length === 0)) steps.push(step)
  }
  return steps.join('/')
}

function joinPath(from: string, to: string): string {
  const cut = from.lastIndexOf('/')
  return normalizePath(cut < 0 ? to : `${from.slice(0, cut)}/${to}`)
}
