/** Finds the port of a `!function`: by its Python source where that is given, else by the folder of the file that names it. */
import { maxOf } from '../../base/arrays.ts'
import { EvalError } from '../../base/errors.ts'
import type { FunctionFamily, FunctionTable, ProcessResults } from '../../harness/function-table.ts'
import type { TaskConfig } from '../../harness/tasks/task-config.ts'
import type { PyDict } from '../../python/value.ts'
import { FunctionRef } from '../../python/yaml/yaml-value.ts'
import { families } from './families.ts'
import { f1Idiom, keepIdiom } from './idioms.ts'
import { sourceOf, type FunctionSource } from './recognize.ts'
import { portsOf } from './signatures/signatures.ts'

/** The functions of one use in a family. */
type Select<T> = (family: FunctionFamily) => { readonly [name: string]: T } | undefined

/**
 * Looks functions up in the families. Where the Python file lies beside the task file, in any folder, what stands in it decides; where it
 * doesn't, as for bundled and pasted task files, the folder does, and a file without a folder counts as one in a folder of its own name.
 * Every look-up throws `task/unknown-function` with the function's name, its file and line, and what is ported for that family, and
 * `task/unsupported` for one that can't be ported, with the reason.
 */
export function functionTable(known: readonly FunctionFamily[] = families): FunctionTable {
  // A step asks for its function again for each doc.
  const byFile = new Map<string, readonly FunctionFamily[]>()
  const familiesOf = ({ file }: FunctionRef): readonly FunctionFamily[] => {
    const found = byFile.get(file) ?? closest(known.filter((family) => isIn(file, family.folder)))
    byFile.set(file, found)
    return found
  }
  const find = <T>(named: FunctionRef, select: Select<T>, use: string): T => {
    // Some families know a function by its whole name, as task files of the harness's name it across folders.
    const isWhole = findByFolder(familiesOf(named), named, select) !== undefined
    const ref = isWhole ? named : inHarness(named)
    const candidates = familiesOf(ref)
    const source = sourceOf(ref)
    const found = source === null ? findByFolder(candidates, ref, select)?.port : findBySource(known, source, select)
    if (found !== undefined) return found
    const refused = findByFolder(candidates, ref, (family) => family.refused)
    if (refused !== undefined)
      throw new EvalError('task/unsupported', `${ref.file}: '!function ${ref.name}' (${use}) ${refused.port}`, {
        details: { function: ref.name, file: ref.file, use },
      })
    const ported = candidates.flatMap((family) => Object.keys(select(family) ?? {}))
    const place = source === null ? ref.file : `${ref.file} (${source.file}, line ${source.line})`
    throw new EvalError(
      'task/unknown-function',
      `${place}: '!function ${ref.name}' (${use}) is Python code that is not ported: ${hint(ref, ported, source)}. Write the step as a template or filter in the task file, choose another task, or run this one with lm_eval.`,
      { details: { function: ref.name, file: ref.file, use, ...(source === null ? {} : { source: source.file, line: source.line }) } },
    )
  }
  return {
    processDocs: (ref) => keepIdiom(sourceOf(ref)) ?? find(ref, (family) => family.processDocs, 'process_docs'),
    docTo: (ref) => find(ref, (family) => family.docTo, 'doc_to_*'),
    samples: (ref) => find(ref, (family) => family.samples, 'samples'),
    processResults: (ref) => find(ref, (family) => family.processResults, 'process_results'),
    aggregation: (ref) => f1Idiom(sourceOf(ref)) ?? find(ref, (family) => family.aggregation, 'aggregation'),
    metric: (ref) => find(ref, (family) => family.metric, 'metric'),
    filter: (ref) => find(ref, (family) => family.filter, 'filter'),
  }
}

/**
 * `lm_eval.tasks.hellaswag.utils.process_docs`, as files for lm_eval name what it brings itself, as the folder's own file would: `utils.process_docs`
 * below `hellaswag`. Any other reference as it is.
 */
export function inHarness(ref: FunctionRef): FunctionRef {
  const [, folder, name] = /^lm_eval\.tasks\.(.+)\.([^.]+\.[^.]+)$/.exec(ref.name) ?? []
  return folder === undefined || name === undefined
    ? ref
    : new FunctionRef(name, `${folder.replaceAll('.', '/')}/${ref.file.replace(/^.*\//, '')}`)
}

function hint(ref: FunctionRef, ported: readonly string[], source: FunctionSource | null): string {
  if (source !== null && source.text === '') return `no function of that name can be read in ${source.file}`
  if (source !== null && ported.includes(ref.name)) return "it differs from lm_eval 0.4.13's function of that name, which is ported"
  return ported.length === 0
    ? 'Yardstick has no function of its family'
    : `of its family Yardstick has ${ported.map((name) => `'${name}'`).join(', ')}`
}

/** The family and port that a folder's name leads to. */
export function findByFolder<T>(
  candidates: readonly FunctionFamily[],
  ref: FunctionRef,
  select: Select<T>,
): { readonly family: FunctionFamily; readonly port: T } | undefined {
  for (const family of candidates) {
    const functions = select(family) ?? {}
    const port = Object.hasOwn(functions, ref.name) ? functions[ref.name] : undefined
    if (port !== undefined) return { family, port }
  }
  return undefined
}

function findBySource<T>(known: readonly FunctionFamily[], { signature }: FunctionSource, select: Select<T>): T | undefined {
  for (const place of portsOf(signature)) {
    const [folder = '', name = ''] = place.split('|')
    for (const family of known) {
      const functions = family.folder === folder ? (select(family) ?? {}) : {}
      const port = Object.hasOwn(functions, name) ? functions[name] : undefined
      if (port !== undefined) return port
    }
  }
  return undefined
}

/** Of families whose folders all end a file's folder, those that say the most: `leaderboard/mmlu_pro` is not `mmlu_pro`. */
export function closest(candidates: readonly FunctionFamily[]): readonly FunctionFamily[] {
  const depth = ({ folder }: FunctionFamily): number => folder.split('/').length
  const deepest = maxOf(candidates.map(depth))
  return candidates.filter((family) => depth(family) === deepest)
}

/** Whether a task file lies in a family's folder. */
export function isIn(file: string, folder: string): boolean {
  const cut = file.lastIndexOf('/')
  const place = (cut < 0 ? file.replace(/\.ya?ml$/, '') : file.slice(0, cut)).split('/')
  const wanted = folder.split('/')
  const tail = place.slice(-wanted.length)
  return tail.length === wanted.length && wanted.every((part, index) => part === '*' || part === tail[index])
}

/** The port of a task's `process_results`. Throws `task/unknown-function`. */
export function findProcessResults(reference: FunctionRef | string, config: Pick<TaskConfig, 'file'>): ProcessResults {
  return functionTable().processResults(typeof reference === 'string' ? new FunctionRef(reference, config.file) : reference)
}

/** Loads what a task's `process_results` looks up, if anything. Throws `task/unknown-function`. */
export async function prepareProcessResults(reference: FunctionRef | string, config: Pick<TaskConfig, 'file'>): Promise<void> {
  await familyOf(findProcessResults(reference, config))?.prepare?.()
}

/** What a user should know of how a `process_results` scores these docs. */
export function notesOf(port: ProcessResults, docs: readonly PyDict[]): readonly string[] {
  return familyOf(port)?.notes?.(docs) ?? []
}

function familyOf(port: ProcessResults): FunctionFamily | undefined {
  return families.find(({ processResults = {} }) => Object.values(processResults).includes(port))
}
