/** Result files in the harness's schema, of this program or of lm_eval, as a comparison reads them. */
import { EvalError, type Json, type JsonObject } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'

/** The parts that every version of the harness since 0.4 writes, and the rest as it is. */
export interface ResultFile {
  /** Where it came from, for messages. */
  readonly name: string
  readonly results: { readonly [task: string]: JsonObject }
  readonly configs: { readonly [task: string]: JsonObject }
  readonly whole: JsonObject
}

/** Checks a parsed file. Throws `settings/invalid`, saying what is missing, for anything but a result file. */
export function readResultFile(value: Json, name: string): ResultFile {
  if (!isRecord(value)) throw notResults(name, 'it is no JSON object')
  const { results, configs } = value
  if (!isRecord(results)) throw notResults(name, "it has no 'results'")
  return { name, results: objectsOf(results), configs: isRecord(configs) ? objectsOf(configs) : {}, whole: value }
}

/** One metric of one task under one filter, as `acc,none` and `acc_stderr,none` hold it. */
export interface MetricEntry {
  readonly metric: string
  readonly filter: string
  readonly value: number
  /** Null where the harness writes N/A or nothing. */
  readonly stderr: number | null
}

/** The metrics of a task's row, in the file's order. */
export function metricsOf(row: JsonObject): readonly MetricEntry[] {
  return Object.entries(row).flatMap(([key, value]) => {
    const cut = key.lastIndexOf(',')
    if (cut < 0 || typeof value !== 'number') return []
    const [metric, filter] = [key.slice(0, cut), key.slice(cut + 1)]
    if (metric.endsWith('_stderr')) return []
    const stderr = row[`${metric}_stderr,${filter}`]
    return [{ metric, filter, value, stderr: typeof stderr === 'number' ? stderr : null }]
  })
}

/** The tasks of a group, through groups in it; empty for a task. */
export function membersOf({ whole }: ResultFile, group: string): readonly string[] {
  const all = whole['group_subtasks']
  if (!isRecord(all)) return []
  const leaves = new Set<string>()
  const seen = new Set<string>()
  const visit = (name: string): void => {
    if (seen.has(name)) return
    seen.add(name)
    const members = Object.hasOwn(all, name) ? all[name] : undefined
    if (!Array.isArray(members)) return
    for (const member of members as readonly Json[]) {
      if (typeof member !== 'string') continue
      const inner = Object.hasOwn(all, member) ? all[member] : undefined
      if (Array.isArray(inner) && inner.length > 0) visit(member)
      else leaves.add(member)
    }
  }
  visit(group)
  return [...leaves]
}

function objectsOf(value: JsonObject): { readonly [key: string]: JsonObject } {
  return Object.fromEntries(Object.entries(value).filter((entry): entry is [string, JsonObject] => isRecord(entry[1])))
}

function notResults(name: string, why: string): EvalError {
  return new EvalError('settings/invalid', `${name} is no result file of lm_eval's or of this program: ${why}.`, {
    details: { file: name },
  })
}
