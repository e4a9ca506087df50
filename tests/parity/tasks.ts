/**
 * The task files that a golden needs, out of the harness's whole folder: indexed here with the app's own registry, because all of
 * them (some 14,000) are too much for one message and one run's record.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, dirname, join, posix, resolve } from 'node:path'
import { append } from '../../src/base/arrays.ts'
import { EvalError } from '../../src/base/errors.ts'
import { childEnvironment } from '../../src/cli/browser/child-environment.ts'
import { readTaskFolder } from '../../src/cli/files/task-folder.ts'
import { requireReadable } from '../../src/cli/files/yaml-gate.ts'
import type { TaskFile } from '../../src/contracts/run-settings.ts'
import { buildRegistry, type Registry } from '../../src/harness/tasks/registry.ts'
import { normalizePath, type TaskPack } from '../../src/harness/tasks/task-files.ts'
import { readYamlMapping } from '../../src/python/yaml/parse.ts'
import { isConfigDict, isConfigList, type ConfigValue } from '../../src/python/yaml/yaml-value.ts'
import type { Golden } from './goldens.ts'
import { asRecord, MissingPieceError } from './goldens.ts'

/** A folder of task files and its index; made once, asked often. */
export interface TaskLibrary {
  readonly folder: string
  readonly files: readonly TaskFile[]
}

/** What a golden asks for: names, the files behind them, and the folder that each file is in. */
export interface TaskSelection {
  readonly tasks: readonly string[]
  readonly files: readonly TaskFile[]
  /** Folder on disk by file path, for data files beside a task file. */
  readonly folders: ReadonlyMap<string, string>
}

/** The folder of the harness's task files: the given one, `LM_EVAL_TASKS`, or that of an installed lm_eval; null when there is none. */
export function findHarnessTasks(given: string | null, env: NodeJS.ProcessEnv = process.env): string | null {
  if (given !== null) {
    if (!existsSync(given))
      throw new MissingPieceError(`The harness's task files are missing: there is no folder ${given} (--include_path).`)
    return given
  }
  const named = env['LM_EVAL_TASKS']
  if (named !== undefined && named !== '') {
    if (!existsSync(named))
      throw new MissingPieceError(`The harness's task files are missing: LM_EVAL_TASKS names ${named}, which doesn't exist.`)
    return named
  }
  // Finding a package doesn't import it, so this takes a moment and no more.
  const code = 'import importlib.util as u; s = u.find_spec("lm_eval"); print(s.submodule_search_locations[0] if s else "")'
  const { status, stdout } = spawnSync('python3', ['-c', code], { encoding: 'utf8', timeout: 10_000, env: childEnvironment() })
  const folder = status === 0 && stdout.trim() !== '' ? join(stdout.trim(), 'tasks') : null
  return folder !== null && existsSync(folder) ? folder : null
}

export function openTaskLibrary(folder: string): TaskLibrary {
  const files = readTaskFolder(folder)
  requireReadable(files.filter(({ path }) => !path.endsWith('.py')))
  return { folder, files }
}

/** Gives each golden's files; the index of the harness's folder is built on first need. */
export function taskSelector(library: TaskLibrary | null): (golden: Golden) => TaskSelection {
  const registries = new Map<string, { readonly registry: Registry; readonly roots: readonly TaskLibrary[] }>()
  const index = (own: string | null) => {
    const key = own ?? ''
    const known = registries.get(key)
    if (known !== undefined) return known
    const roots = [...(library === null ? [] : [library]), ...(own === null ? [] : [openTaskLibrary(own)])]
    const made = { registry: buildRegistry(roots.map(({ folder, files }) => ({ name: folder, files }))), roots }
    registries.set(key, made)
    return made
  }
  return ({ id, spec, specFolder }) => {
    const { task } = spec
    if (typeof task !== 'string') throw new Error(`${id}: its spec names no task`)
    const isFile = /\.ya?ml$/.test(task)
    const file = isFile ? resolve(specFolder, task) : null
    if (file !== null && !existsSync(file))
      throw new MissingPieceError(`The task file of the golden ${id} is missing: there is no ${file}.`)
    const { registry, roots } = index(file === null ? null : dirname(file))
    const name = file === null ? task : nameIn(file, roots)
    if (!registry.entries.has(name) && library === null) {
      throw new MissingPieceError(
        `The harness's task files are missing: --include_path or LM_EVAL_TASKS names the folder lm_eval/tasks of an installed lm_eval 0.4.13 (golden ${id} needs ${name}).`,
      )
    }
    const files = collectFiles(name, registry, roots)
    return withOverrides(name, { tasks: [name], ...files }, registry, asRecord(spec['overrides']))
  }
}

/**
 * Gives each golden's bundled task: no file needs to be given. Throws MissingPieceError for one that isn't bundled or has overrides.
 * A spec that names a file means the bundled task of the file's name.
 */
export function bundledSelector(pack: TaskPack): (golden: Golden) => TaskSelection {
  const names = new Set(pack.listing.map(({ name }) => name))
  return ({ id, spec }) => {
    const name = typeof spec['task'] === 'string' ? basename(spec['task']).replace(/\.ya?ml$/, '') : ''
    if (!names.has(name)) throw new MissingPieceError(`${name}, which the golden ${id} needs, is not bundled.`)
    if (Object.keys(asRecord(spec['overrides'])).length > 0) throw new MissingPieceError(`The golden ${id} overrides keys of its task.`)
    return { tasks: [name], files: [], folders: new Map() }
  }
}

/** The name that a task file gives itself, group before task, as the harness's command line reads it. */
function nameIn(file: string, roots: readonly TaskLibrary[]): string {
  const text = roots.flatMap(({ folder, files }) => (folder === dirname(file) ? files : [])).find(({ path }) => path === basename(file))
  if (text === undefined) throw new Error(`${file} is no task file`)
  const config = readYamlMapping(text.text, file)
  const name = config.get('group') ?? config.get('task')
  if (typeof name !== 'string') throw new Error(`${file}: wanted a name under 'group' or 'task'`)
  return name
}

/** The file that defines `name`, what it includes, and the same for its members. A later root's file wins over an earlier one's. */
function collectFiles(name: string, registry: Registry, roots: readonly TaskLibrary[]): Pick<TaskSelection, 'files' | 'folders'> {
  const byRoot = new Map(roots.map(({ folder, files }) => [folder, new Map(files.map((file) => [file.path, file]))]))
  const found = new Map<string, { readonly file: TaskFile; readonly folder: string }>()
  const seen = new Set<string>()
  const names = [name]

  const addFile = (root: string, path: string): void => {
    for (const folder of [root, ...[...byRoot.keys()].reverse()]) {
      const file = byRoot.get(folder)?.get(path)
      if (file === undefined) continue
      if (found.get(path)?.folder === folder) return
      found.set(path, { file, folder })
      const config = readYamlMapping(file.text, path)
      append(names, membersOf(config))
      for (const include of textsOf(config.get('include')))
        addFile(folder, include.startsWith('/') ? normalizePath(include) : normalizePath(posix.join(posix.dirname(path), include)))
      return
    }
  }
  for (let next = names.pop(); next !== undefined; next = names.pop()) {
    const entry = registry.entries.get(next)
    if (seen.has(next) || entry === undefined) continue
    seen.add(next)
    if (entry.kind === 'tag') append(names, entry.tagged)
    else addFile(entry.root, entry.file)
  }
  const all = [...found.values()].sort((a, b) => (a.file.path < b.file.path ? -1 : 1))
  return { files: all.map(({ file }) => file), folders: new Map(all.map(({ file, folder }) => [file.path, folder])) }
}

/** Every name under `task` and `group`, at any depth: the members of a group, inline ones too. */
function membersOf(value: ConfigValue): string[] {
  if (isConfigList(value)) return value.flatMap(membersOf)
  if (!isConfigDict(value)) return []
  return ['task', 'group'].flatMap((key) => {
    const named = value.get(key)
    return named === undefined ? [] : [...textsOf(named), ...membersOf(named)]
  })
}

function textsOf(value: ConfigValue | undefined): string[] {
  if (typeof value === 'string') return [value]
  return value !== undefined && isConfigList(value) ? value.filter((item) => typeof item === 'string') : []
}

/** Overrides as a task file of their own: it includes the named one, replaces keys, and stands first, so that its definition wins. */
function withOverrides(
  name: string,
  selection: TaskSelection,
  registry: Registry,
  overrides: { readonly [key: string]: unknown },
): TaskSelection {
  if (Object.keys(overrides).length === 0) return selection
  const entry = registry.entries.get(name)
  if (entry === undefined || entry.kind === 'tag')
    throw new EvalError('task/unsupported', `overrides of '${name}' need a task or a group, which it isn't`)
  const path = posix.join(posix.dirname(entry.file), '!overrides.yaml')
  const text = JSON.stringify({ include: posix.basename(entry.file), [entry.kind]: name, ...overrides })
  const folder = selection.folders.get(entry.file) ?? entry.root
  return { ...selection, files: [{ path, text }, ...selection.files], folders: new Map([...selection.folders, [path, folder]]) }
}
