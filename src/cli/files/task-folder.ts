/** `--include_path`: the task files of a folder, and the data files that they name. */
import { existsSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { isEvalError } from '../../base/errors.ts'
import type { TaskFile } from '../../contracts/run-settings.ts'
import { readYamlMapping } from '../../python/yaml/parse.ts'
import { isConfigDict, isConfigList, type ConfigDict, type ConfigValue } from '../../python/yaml/yaml-value.ts'
import { requireReadable } from './yaml-gate.ts'

const maxFileBytes = 1024 * 1024
const maxTotalBytes = 64 * 1024 * 1024
const maxFiles = 50_000

/** A data file that a task file names and that exists in no place where it is looked for. */
export interface MissingFile {
  readonly path: string
  readonly tried: readonly string[]
  /** The task file that names it. */
  readonly taskFile: string
  /** Where it does lie, links resolved, when that is a place which nobody allowed. */
  readonly outside?: string
}

/** Whether a file may be read that a task file names, or a link in its folder leads to; the path is absolute. */
type IsAllowed = (path: string) => boolean

/** True for what lies in one of the folders once links are resolved: `..` and links lead nowhere else. */
export function insideOf(folders: readonly string[]): IsAllowed {
  const roots = folders.filter((folder) => existsSync(folder)).map((folder) => realpathSync(folder))
  return (path) => {
    const real = realpathSync(path)
    return roots.some((root) => real.startsWith(root.endsWith(sep) ? root : root + sep))
  }
}

/** What a message says of a place that nobody allowed. */
const allowHint =
  'outside the folder of the task files and the folder that the command was started in; --allow_outside true reads it all the same'

interface DataFiles {
  /** File on disk by the path that a task file names. */
  readonly found: ReadonlyMap<string, string>
  readonly missing: readonly MissingFile[]
}

/**
 * Every YAML file, every file without suffix (the harness's templates) and every Python file (of which only the functions' texts are
 * compared with those that are ported) under `folder`, in the order of their paths, which are relative to it. Throws for what is no folder, for
 * files over the size limits, and for a link to a place that isn't allowed.
 */
export function readTaskFolder(folder: string, isAllowed: IsAllowed = () => true): TaskFile[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw new Error(`--include_path: ${folder} is no folder`)
  const files: TaskFile[] = []
  let bytes = 0
  for (const file of walk(folder)) {
    if (!isAllowed(file)) throw new Error(`${file} is a link to ${realpathSync(file)}, ${allowHint}`)
    const { size } = statSync(file)
    if (size > maxFileBytes) {
      if (!/\.ya?ml$/i.test(file)) continue
      throw new Error(`${file} has ${size} bytes; a task file may have ${maxFileBytes}`)
    }
    bytes += size
    if (bytes > maxTotalBytes || files.length >= maxFiles)
      throw new Error(`--include_path: ${folder} holds more than ${maxFiles} task files or ${maxTotalBytes} bytes`)
    files.push({ path: relative(folder, file).split(sep).join('/'), text: readFileSync(file, 'utf8') })
  }
  return files
}

/** Paths of the csv files below `folder`, relative to it, in order. */
export function listCsvFiles(folder: string): string[] {
  return [...walk(folder, (name) => /\.csv$/i.test(name))].map((file) => relative(folder, file).split(sep).join('/'))
}

const skipped = new Set(['node_modules', '.git', '__pycache__', '.ipynb_checkpoints'])

function* walk(folder: string, isWanted: (name: string) => boolean = isTaskFile): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  for (const entry of entries) {
    const path = join(folder, entry.name)
    // Links are followed, as the harness does; what they lead to decides.
    const stat = entry.isSymbolicLink() && existsSync(path) ? statSync(path) : entry
    if (stat.isDirectory()) {
      if (!skipped.has(entry.name) && !entry.isSymbolicLink()) yield* walk(path, isWanted)
    } else if (stat.isFile() && isWanted(entry.name)) yield path
  }
}

/** YAML files, files without suffix, and the Python files that helpers stand in; a name may end with a number, as in `_default_yaml_0.5k`. */
function isTaskFile(name: string): boolean {
  return /\.(?:ya?ml|py)$/i.test(name) || (/^(?:\.\d.*)?$/.test(extname(name)) && !/^(LICEN[CS]E|README|Makefile|\.)/i.test(name))
}

/**
 * Looks up the `data_files` of the task files: in `callerFolder`, then beside the task file. Addresses elsewhere are left alone; a file that
 * isn't allowed counts as missing.
 */
export function findDataFiles(
  files: readonly TaskFile[],
  includeFolder: string,
  callerFolder: string,
  isAllowed: IsAllowed = () => true,
): DataFiles {
  const found = new Map<string, string>()
  const missing: MissingFile[] = []
  requireReadable(files.filter(({ text }) => mayNameData(text)))
  for (const file of files) {
    for (const path of namedDataFiles(file.text)) {
      if (found.has(path)) continue
      const beside = dirname(join(includeFolder, file.path))
      const tried = isAbsolute(path) ? [path] : [...new Set([resolve(callerFolder, path), resolve(beside, path)])]
      const there = tried.filter((candidate) => existsSync(candidate) && statSync(candidate).isFile())
      const hit = there.find(isAllowed)
      const [outside] = there
      if (hit !== undefined) found.set(path, hit)
      else missing.push({ path, tried, taskFile: file.path, ...(outside === undefined ? {} : { outside: realpathSync(outside) }) })
    }
  }
  return { found, missing: missing.filter(({ path }) => !found.has(path)) }
}

/** The local paths under `dataset_kwargs.data_files` of a task file; none for one that can't be read, which the app reports. */
export function namedDataFiles(text: string): string[] {
  if (!mayNameData(text)) return []
  const kwargs = readYaml(text)?.get('dataset_kwargs') ?? null
  const named = isConfigDict(kwargs) ? (kwargs.get('data_files') ?? null) : null
  return [...new Set(texts(named))].filter((path) => path !== '' && !/^[a-z][a-z0-9+.-]+:\/\//i.test(path))
}

function mayNameData(text: string): boolean {
  return text.includes('data_files') && !/^(?:import|from|def) /m.test(text)
}

/** What a task file includes; null for nothing. */
export function includeOf(file: TaskFile): string | null {
  if (!/^include:/m.test(file.text)) return null
  requireReadable([file])
  const include = readYaml(file.text)?.get('include')
  return typeof include === 'string' ? include : null
}

/** Null for a text that can't be read. */
function readYaml(text: string): ConfigDict | null {
  try {
    return readYamlMapping(text, 'task file')
  } catch (error) {
    if (isEvalError(error)) return null
    throw error
  }
}

function texts(value: ConfigValue): string[] {
  if (typeof value === 'string') return [value]
  if (isConfigList(value)) return value.flatMap(texts)
  return isConfigDict(value) ? [...value.values()].flatMap(texts) : []
}

/** The sentence for a file that is in no place, or in one that isn't allowed. */
export function describeMissing({ path, tried, taskFile, outside }: MissingFile): string {
  if (outside !== undefined) return `${taskFile} names the data file ${path}, which is ${outside}, ${allowHint}`
  const where = tried.length > 1 ? `in neither place: ${tried.join(' nor ')}` : `not there${tried[0] === path ? '' : `: ${tried[0] ?? ''}`}`
  return `${taskFile} names the data file ${path}, which is ${where}`
}
