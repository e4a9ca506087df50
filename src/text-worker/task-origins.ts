/** Where a task's text comes from: the files behind a name, and the file and line of each key. */
import { isEvalError } from '../base/errors.ts'
import { isGlob, makeNameMatcher } from '../base/name-match.ts'
import type { TaskFile } from '../contracts/run-settings.ts'
import type { TaskSource } from '../harness/tasks/registry-expand.ts'
import type { Registry } from '../harness/tasks/registry.ts'
import { bundledRoot, normalizePath, TaskFileReader, type TaskRoot } from '../harness/tasks/task-files.ts'
import { functionTable } from '../ports/functions/functions.ts'
import { sourceOf } from '../ports/functions/recognize.ts'
import { pyEquals } from '../python/value.ts'
import { readYamlMapping } from '../python/yaml/parse.ts'
import { FunctionRef, isConfigDict, isConfigList, toPlain, type ConfigDict, type ConfigValue } from '../python/yaml/yaml-value.ts'

/** Files of several roots by path, found as `TaskFileReader` finds them: in the asking file's own root, then in later ones first. */
class FileFinder {
  private readonly roots: ReadonlyMap<string, ReadonlyMap<string, TaskFile>>

  constructor(roots: readonly TaskRoot[]) {
    this.roots = new Map(roots.map(({ name, files }) => [name, new Map(files.map((file) => [normalizePath(file.path), file]))]))
  }

  find(root: string, path: string): { readonly root: string; readonly file: TaskFile } | null {
    const wanted = normalizePath(path)
    for (const name of [root, ...[...this.roots.keys()].reverse()]) {
      const file = this.roots.get(name)?.get(wanted)
      if (file !== undefined) return { root: name, file }
    }
    return null
  }

  /** The Python files that a file's `!function`s are known by; none for one that can't be read. */
  sourcesOf(root: string, file: TaskFile): readonly TaskFile[] {
    if (!file.text.includes('!function')) return []
    const read = new Set<TaskFile>()
    const readSource = (path: string): string | null => {
      const found = this.roots.get(root)?.get(normalizePath(path))
      if (found !== undefined) read.add(found)
      return found?.text ?? null
    }
    try {
      for (const ref of functionRefs(readYamlMapping(file.text, file.path, readSource))) sourceOf(ref)
    } catch (error) {
      if (!isEvalError(error)) throw error
    }
    return [...read]
  }

  /** The files that a file includes, in their order; none for one that can't be read. */
  includesOf(root: string, file: TaskFile): readonly { readonly root: string; readonly file: TaskFile }[] {
    if (!/^["']?include["']?\s*:/m.test(file.text)) return []
    let includes: ConfigValue
    try {
      includes = readYamlMapping(file.text, file.path).get('include') ?? null
    } catch (error) {
      if (isEvalError(error)) return []
      throw error
    }
    return (isConfigList(includes) ? includes : [includes]).flatMap((include) => {
      const found = typeof include === 'string' ? this.find(root, besides(file.path, include)) : null
      return found === null ? [] : [found]
    })
  }
}

/** Every `!function` within a value. */
function functionRefs(value: ConfigValue): readonly FunctionRef[] {
  if (value instanceof FunctionRef) return [value]
  if (isConfigList(value)) return value.flatMap(functionRefs)
  return isConfigDict(value) ? [...value.values()].flatMap(functionRefs) : []
}

function besides(from: string, to: string): string {
  const cut = from.lastIndexOf('/')
  return to.startsWith('/') || cut < 0 ? to : `${from.slice(0, cut)}/${to}`
}

/**
 * Every file that requests for these names read: of tasks, of groups with their members, of tags with all that carry
 * them, what those include, and the Python files of their helpers. In order of their paths; bundled ones only when asked for. Names that nothing defines add nothing.
 */
export function filesBehind(
  names: readonly string[],
  registry: Registry,
  roots: readonly TaskRoot[],
  withBundled = false,
): readonly TaskFile[] {
  const finder = new FileFinder(roots)
  const reader = new TaskFileReader(roots)
  const files = new Map<TaskFile, string>()
  const seen = new Set<string>()
  const addFile = (root: string, path: string): void => {
    const found = finder.find(root, path)
    if (found === null || files.has(found.file)) return
    files.set(found.file, found.root)
    for (const source of finder.sourcesOf(found.root, found.file)) files.set(source, found.root)
    for (const include of finder.includesOf(found.root, found.file)) addFile(include.root, include.file.path)
  }
  const addMember = (member: ConfigValue): void => {
    if (typeof member === 'string') addName(member)
    if (!isConfigDict(member)) return
    for (const key of ['group', 'task']) {
      const named = member.get(key) ?? null
      for (const one of isConfigList(named) ? named : [named]) addMember(one)
    }
  }
  const addName = (name: string): void => {
    const entry = registry.entries.get(name)
    if (entry === undefined || seen.has(name)) return
    seen.add(name)
    if (entry.kind === 'tag') for (const tagged of entry.tagged) addName(tagged)
    else addFile(entry.root, entry.file)
    if (entry.kind !== 'group') return
    const members = reader.load(entry.root, entry.file).get('task') ?? null
    for (const member of isConfigList(members) ? members : [members]) addMember(member)
  }
  for (const name of names.flatMap((one) => one.split(','))) {
    if (registry.entries.has(name) || !isGlob(name)) addName(name)
    else [...registry.entries.keys()].filter(makeNameMatcher(name)).forEach(addName)
  }
  return [...files]
    .filter(([, root]) => withBundled || root !== bundledRoot)
    .map(([file]) => file)
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Where a key of a resolved task was set. */
interface KeyOrigin {
  readonly file: string
  /** 1-based. */
  readonly line: number | null
  readonly from: 'own' | 'include' | 'group'
}

/** The origin of every key of a resolved task. `root` is that of the task's file. */
export function keyOrigins(source: TaskSource, root: string, roots: readonly TaskRoot[]): ReadonlyMap<string, KeyOrigin> {
  const finder = new FileFinder(roots)
  const origins = new Map<string, KeyOrigin & { readonly value: ConfigValue }>()
  const collect = (at: { readonly root: string; readonly file: TaskFile }, depth: number): void => {
    // A file that stands twice in its include tree was refused before.
    if (depth > 50) return
    for (const include of finder.includesOf(at.root, at.file)) collect(include, depth + 1)
    for (const [key, value] of readYamlMapping(at.file.text, at.file.path))
      origins.set(key, { file: at.file.path, line: lineOfKey(at.file.text, key), from: depth === 0 ? 'own' : 'include', value })
  }
  const start = finder.find(root, source.file)
  if (start !== null) collect(start, 0)
  return new Map(
    [...source.config.keys()].map((key): [string, KeyOrigin] => {
      const origin = origins.get(key)
      const isFromFile = origin !== undefined && (key === 'metadata' || isSame(origin.value, source.config.get(key) ?? null))
      return [key, isFromFile ? { file: origin.file, line: origin.line, from: origin.from } : { file: '', line: null, from: 'group' }]
    }),
  )
}

function isSame(left: ConfigValue, right: ConfigValue): boolean {
  return left === right || pyEquals(toPlain(left), toPlain(right))
}

/** The line of a key at the top level of a YAML text, 1-based; null where it isn't written in the usual form. */
export function lineOfKey(text: string, key: string): number | null {
  const escaped = key.replace(/[^\w]/g, '\\$&')
  const at = text.search(new RegExp(`^(["']?)${escaped}\\1[ \\t]*:(?=\\s|$)`, 'm'))
  return at < 0 ? null : text.slice(0, at).split('\n').length
}

/** A `!function` of a task, the key that it stands under, and why it can't run; null when it is ported. */
interface FoundFunction {
  readonly name: string
  readonly key: string
  /** The file that holds the tag. */
  readonly file: string
  readonly problem: string | null
}

/** Every `!function` of a resolved task in file order. */
export function functionsOf(config: ConfigDict): readonly FoundFunction[] {
  const table = functionTable()
  const lookUps: { readonly [key: string]: (ref: FunctionRef) => unknown } = {
    process_docs: (ref) => table.processDocs(ref),
    doc_to_text: (ref) => table.docTo(ref),
    doc_to_target: (ref) => table.docTo(ref),
    doc_to_choice: (ref) => table.docTo(ref),
    samples: (ref) => table.samples(ref),
    process_results: (ref) => table.processResults(ref),
    aggregation: (ref) => table.aggregation(ref),
    metric: (ref) => table.metric(ref),
    filter_fn: (ref) => table.filter(ref),
    function: (ref) => table.filter(ref),
  }
  const found: FoundFunction[] = []
  const walk = (value: ConfigValue, key: string): void => {
    if (isConfigList(value)) for (const item of value) walk(item, key)
    else if (isConfigDict(value)) for (const [name, item] of value) walk(item, name)
    else if (value instanceof FunctionRef) found.push({ name: value.name, key, file: value.file, problem: problemOf(value, lookUps[key]) })
  }
  walk(config, '')
  return found
}

function problemOf(ref: FunctionRef, lookUp: ((ref: FunctionRef) => unknown) | undefined): string | null {
  if (lookUp === undefined) return `${ref.file}: '!function ${ref.name}' is Python code that nothing here stands in for`
  try {
    lookUp(ref)
    return null
  } catch (error) {
    if (isEvalError(error)) return error.message
    throw error
  }
}
