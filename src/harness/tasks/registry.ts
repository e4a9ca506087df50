/** The index of tasks, groups and tags over task files, and what a request for some of them means. lm_eval 0.4.13, TaskManager. */
import { append } from '../../base/arrays.ts'
import { EvalError, isEvalError } from '../../base/errors.ts'
import { isGlob, makeNameMatcher, nearNames } from '../../base/name-match.ts'
import type { TaskListing } from '../../contracts/listings.ts'
import type { OutputType } from '../../contracts/requests.ts'
import type { PyDict } from '../../python/value.ts'
import { isConfigDict, isConfigList, type ConfigDict, type ConfigValue } from '../../python/yaml/yaml-value.ts'
import type { RegistryEntry } from './registry-entry.ts'
import { expandEntry, type ResolvedItem, type TaskNode, type TaskSource } from './registry-expand.ts'
import { TaskFileReader, type TaskRoot } from './task-files.ts'

/** A file that can't be read; it only matters to who asks for what it defines. */
export interface RegistryProblem {
  readonly file: string
  readonly error: EvalError
}

/** What was asked for: every leaf task once, in order, and the tree that groups make of them. */
export interface Resolved {
  readonly tasks: readonly TaskSource[]
  readonly tree: readonly TaskNode[]
}

export interface Registry {
  readonly entries: ReadonlyMap<string, RegistryEntry>
  readonly problems: readonly RegistryProblem[]
  /** All names in alphabetical order. */
  list(): readonly TaskListing[]
  /**
   * The tasks behind names or globs. `metadata` is merged into every task's and group's own.
   * Throws `task/unknown` with near names, `task/invalid` for a leaf task under two requested items, and a malformed file's own error.
   */
  resolve(names: readonly string[], metadata?: PyDict): Resolved
}

/**
 * Indexes task files: path-sorted, the first definition of a name wins within a root, a later root overrides earlier ones. A root that
 * brings its listing isn't read; its files are when something of theirs is resolved.
 */
export function buildRegistry(roots: readonly TaskRoot[]): Registry {
  const reader = new TaskFileReader(roots)
  const entries = new Map<string, RegistryEntry>()
  const problems: (RegistryProblem & { readonly text: string })[] = []
  for (const root of roots) {
    if (root.listing !== undefined) {
      for (const listing of root.listing) entries.set(listing.name, knownEntry(root.name, listing))
      continue
    }
    const own = new Map<string, RegistryEntry & { readonly tagged: Set<string> }>()
    for (const file of [...root.files].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0))) {
      if (!isIndexed(file.path)) continue
      try {
        indexFile(reader.load(root.name, file.path), { root: root.name, file: file.path, own })
      } catch (error) {
        if (!isEvalError(error)) throw error
        problems.push({ file: file.path, error, text: file.text })
      }
    }
    for (const [name, entry] of own) entries.set(name, entry)
  }
  return {
    entries,
    problems,
    list: () => listEntries(entries, reader),
    resolve: (names, metadata = new Map()) => resolve(names, { entries, problems, reader, metadata }),
  }
}

function knownEntry(root: string, listing: TaskListing): RegistryEntry {
  const { name, kind, file, members } = listing
  return { name, kind, root, file, tagged: new Set(kind === 'tag' ? members : []), listing }
}

function isIndexed(path: string): boolean {
  return path.endsWith('.yaml') && !/(^|\/)(__pycache__|\.ipynb_checkpoints)\//.test(path)
}

interface IndexContext {
  readonly root: string
  readonly file: string
  readonly own: Map<string, RegistryEntry & { readonly tagged: Set<string> }>
}

function indexFile(config: ConfigDict, { root, file, own }: IndexContext): void {
  const kind = config.has('class') ? 'task' : config.has('group') ? 'group' : config.has('task') ? 'task' : null
  if (kind === null) return
  const name = config.get(kind)
  if (typeof name !== 'string')
    throw new EvalError('task/invalid', `${file}: wanted the ${kind}'s name as text under '${kind}'`, { details: { file, key: kind } })
  if (own.has(name)) return
  own.set(name, { name, kind, root, file, tagged: new Set(), listing: null })
  if (kind === 'group') return
  for (const tag of tagsOf(config.get('tag') ?? null)) {
    const entry = own.get(tag) ?? { name: tag, kind: 'tag', root, file: '', tagged: new Set<string>(), listing: null }
    entry.tagged.add(name)
    own.set(tag, entry)
  }
}

function tagsOf(value: ConfigValue): readonly string[] {
  return (isConfigList(value) ? value : [value]).filter((tag) => typeof tag === 'string' && tag !== '') as readonly string[]
}

function listEntries(entries: ReadonlyMap<string, RegistryEntry>, reader: TaskFileReader): readonly TaskListing[] {
  return [...entries.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((entry): TaskListing => {
      if (entry.listing !== null) return entry.listing
      const config = entry.kind === 'tag' ? null : reader.load(entry.root, entry.file)
      return {
        name: entry.name,
        root: entry.root,
        kind: entry.kind,
        outputType: entry.kind === 'task' ? asOutputType(config?.get('output_type') ?? 'generate_until') : null,
        file: entry.file,
        members:
          entry.kind === 'tag' ? [...entry.tagged].sort() : entry.kind === 'group' ? memberNames(config?.get('task') ?? null, entries) : [],
        dataFiles: entry.kind === 'task' && config !== null ? dataFileNames(config) : [],
      }
    })
}

function asOutputType(value: ConfigValue): OutputType | null {
  const types: readonly OutputType[] = ['loglikelihood', 'loglikelihood_rolling', 'multiple_choice', 'generate_until']
  return types.find((type) => type === value) ?? null
}

/** Loaders whose `data_files` lie on the user's machine; any other `dataset_path` is a repository, and its files lie there. */
const localLoaders: readonly ConfigValue[] = ['json', 'csv', 'parquet', 'text']

function dataFileNames(config: ConfigDict): string[] {
  const kwargs = config.get('dataset_kwargs') ?? null
  const files = isConfigDict(kwargs) ? (kwargs.get('data_files') ?? null) : null
  return localLoaders.includes(config.get('dataset_path') ?? null) ? [...new Set(textsIn(files))] : []
}

function textsIn(value: ConfigValue): string[] {
  if (typeof value === 'string') return value === '' ? [] : [value]
  if (isConfigList(value)) return value.flatMap(textsIn)
  return isConfigDict(value) ? [...value.values()].flatMap(textsIn) : []
}

/** The names below a group's `task`; a group that is defined inside another one has no name of its own, so its members stand for it. */
function memberNames(value: ConfigValue, entries: ReadonlyMap<string, RegistryEntry>): string[] {
  return (isConfigList(value) ? value : [value]).flatMap((item) => {
    if (!isConfigDict(item)) return typeof item === 'string' ? [item] : []
    const group = item.get('group')
    if (group !== undefined && !(typeof group === 'string' && entries.has(group))) return memberNames(item.get('task') ?? null, entries)
    const name = group ?? item.get('task')
    return typeof name === 'string' ? [name] : []
  })
}

interface ResolveContext {
  readonly entries: ReadonlyMap<string, RegistryEntry>
  readonly problems: readonly (RegistryProblem & { readonly text: string })[]
  readonly reader: TaskFileReader
  readonly metadata: PyDict
}

function resolve(names: readonly string[], context: ResolveContext): Resolved {
  const matched = new Set<string>()
  for (const name of names.flatMap((one) => one.split(','))) {
    const found = matchName(name, context.entries)
    if (found.length === 0) failUnknown(name, context)
    for (const one of found) matched.add(one)
  }
  const items: ResolvedItem[] = []
  for (const name of matched) {
    const entry = context.entries.get(name)
    if (entry !== undefined) append(items, expandEntry(entry, context))
  }
  return { tree: items.map(({ node }) => node), tasks: collectLeaves(items) }
}

function matchName(name: string, entries: ReadonlyMap<string, RegistryEntry>): readonly string[] {
  if (entries.has(name)) return [name]
  return isGlob(name) ? [...entries.keys()].filter(makeNameMatcher(name)).sort() : []
}

function failUnknown(name: string, { entries, problems }: ResolveContext): never {
  const broken = problems.find(({ text }) =>
    new RegExp(`^(?:task|group):[ \\t]*['"]?${name.replace(/[^\w]/g, '\\$&')}['"]?[ \\t]*(?:#.*)?$`, 'm').test(text),
  )
  if (broken !== undefined) throw broken.error
  const near = nearNames(name, entries.keys())
  const hint =
    near.length === 0
      ? `there are ${entries.size} tasks, groups and tags, and none has a similar name`
      : `did you mean ${near.map((one) => `'${one}'`).join(', ')}?`
  const unread =
    problems.length === 0 ? '' : ` (${problems.length} task files could not be read, the first: ${problems[0]?.error.message ?? ''})`
  throw new EvalError('task/unknown', `There is no task, group or tag '${name}': ${hint}${unread}`, { details: { name, near } })
}

/** Every leaf once; the same leaf under two items that were asked for is an error, as in the harness. */
function collectLeaves(items: readonly ResolvedItem[]): readonly TaskSource[] {
  const owners = new Map<string, string>()
  const leaves = new Map<string, TaskSource>()
  for (const { node, tasks } of items) {
    for (const task of tasks) {
      const owner = owners.get(task.name)
      if (owner !== undefined && owner !== node.name) {
        throw new EvalError('task/invalid', `The task '${task.name}' was asked for twice: in '${owner}' and in '${node.name}'`, {
          details: { task: task.name },
        })
      }
      owners.set(task.name, node.name)
      leaves.set(task.name, task)
    }
  }
  return [...leaves.values()]
}
