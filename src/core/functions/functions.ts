/** Finds the port of a `!function` by the folder of the file that names it. */
import { FunctionRef } from '../config-value.ts'
import { EvalError } from '../errors.ts'
import { families } from './families.ts'
import type {
  Aggregate,
  DocTo,
  FunctionFamily,
  MakeFilter,
  MakeSamples,
  ProcessDocs,
  ProcessResults,
  ScoreResponse,
} from './function-types.ts'
import type { TaskConfig } from '../task-config.ts'

/** What a task may look functions up in. */
export interface FunctionTable {
  processDocs(ref: FunctionRef): ProcessDocs
  docTo(ref: FunctionRef): DocTo
  samples(ref: FunctionRef): MakeSamples
  processResults(ref: FunctionRef): ProcessResults
  aggregation(ref: FunctionRef): Aggregate
  metric(ref: FunctionRef): ScoreResponse
  filter(ref: FunctionRef): MakeFilter
}

/**
 * Looks functions up in the families. A file without a folder, such as a pasted one, counts as one in a folder of its own name.
 * Every look-up throws `task/unknown-function` with the function's name, its file, and what is ported for that family.
 */
export function functionTable(known: readonly FunctionFamily[] = families): FunctionTable {
  const find = <T>(ref: FunctionRef, select: (family: FunctionFamily) => { readonly [name: string]: T } | undefined, use: string): T => {
    const candidates = closest(known.filter((family) => isIn(ref.file, family.folder)))
    for (const family of candidates) {
      const functions = select(family) ?? {}
      const found = Object.hasOwn(functions, ref.name) ? functions[ref.name] : undefined
      if (found !== undefined) return found
    }
    const ported = candidates.flatMap((family) => Object.keys(select(family) ?? {}))
    const hint = ported.length === 0 ? 'nothing of its family is' : `of its family ${ported.map((name) => `'${name}'`).join(', ')} are`
    throw new EvalError(
      'task/unknown-function',
      `${ref.file}: '!function ${ref.name}' (${use}) is Python code that is not ported; ${hint}`,
      {
        details: { function: ref.name, file: ref.file, use },
      },
    )
  }
  return {
    processDocs: (ref) => find(ref, (family) => family.processDocs, 'process_docs'),
    docTo: (ref) => find(ref, (family) => family.docTo, 'doc_to_*'),
    samples: (ref) => find(ref, (family) => family.samples, 'samples'),
    processResults: (ref) => find(ref, (family) => family.processResults, 'process_results'),
    aggregation: (ref) => find(ref, (family) => family.aggregation, 'aggregation'),
    metric: (ref) => find(ref, (family) => family.metric, 'metric'),
    filter: (ref) => find(ref, (family) => family.filter, 'filter'),
  }
}

/** Of families whose folders all end a file's folder, those that say the most: `leaderboard/mmlu_pro` is not `mmlu_pro`. */
function closest(candidates: readonly FunctionFamily[]): readonly FunctionFamily[] {
  const depth = ({ folder }: FunctionFamily): number => folder.split('/').length
  const deepest = Math.max(...candidates.map(depth))
  return candidates.filter((family) => depth(family) === deepest)
}

function isIn(file: string, folder: string): boolean {
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
