/**
 * The harness's results file, of any version since 0.3, as the newest writes it. Older ones have metrics without a filter (`acc`), indented
 * aliases, rows of groups without a score (`" ": " "`), and fewer keys.
 */
import type { Json } from '../../base/errors.ts'
import { EvalError } from '../../base/errors.ts'
import type { ResultsRow, ResultsTable } from '../../contracts/results.ts'
import { buildTable, renderTable } from '../../harness/results/table.ts'
import { isDict, isList, str, toJson, toNumber, type PyDict, type PyValue } from '../../python/value.ts'
import type { RunSummary } from '../../contracts/results.ts'
import { parseNamed, parseTypedJson } from './loose-json.ts'
import { limits } from './opened-run.ts'
import { readOwnBlock } from './own-block-reader.ts'

export interface HarnessResults {
  /** Yardstick wrote it: it has our key beside the harness's. */
  readonly isOurs: boolean
  readonly summary: RunSummary
  /** Tasks, without groups, in the file's order. */
  readonly tasks: readonly string[]
  /** Each task's configuration, where the file has it. */
  readonly configs: { readonly [task: string]: Json }
  readonly facts: readonly (readonly [name: string, value: string])[]
}

/** Reads a file's text. Throws `results/invalid` for anything but a results file. */
export function readResults(text: string, name: string, id: string): HarnessResults {
  const whole = parseNamed(parseTypedJson, text, name)
  if (!isDict(whole)) throw invalid(name, 'a JSON object', typeOf(whole))
  const results = normalise(whole, name)
  // Before a table is made of them.
  const scores = [...dictAt(results, 'results').values(), ...dictAt(results, 'groups').values()]
  if (scores.reduce<number>((sum, row) => sum + (isDict(row) ? row.size : 0), 0) > 10 * limits.rows)
    throw invalid(name, `at most ${limits.rows} scores`, 'more')
  const table = uniqueRows(buildTable(results))
  if (table.tasks.length + table.groups.length > limits.rows) throw invalid(name, `at most ${limits.rows} scores`, 'more')
  for (const row of [...table.tasks, ...table.groups])
    for (const text of [row.task, row.alias, row.version, row.filter, row.nShot, row.metric])
      if (text.length > limits.nameChars) throw invalid(name, `names of at most ${limits.nameChars} characters`, 'a longer one')
  const json = toJson(results)
  const resultsFile = typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as { readonly [key: string]: Json }) : {}
  const own = readOwnBlock(resultsFile)
  const groups = new Set(dictAt(results, 'group_subtasks').keys())
  const configs = resultsFile['configs']
  return {
    isOurs: own !== null,
    summary: {
      ...{ runId: id, resultsFile, resultsText: text, table, tableText: renderTable(results), warnings: [] },
      ...(own === null ? {} : { own }),
    },
    tasks: [...dictAt(results, 'results').keys()].filter((task) => !groups.has(task)),
    configs:
      typeof configs === 'object' && configs !== null && !Array.isArray(configs) ? (configs as { readonly [key: string]: Json }) : {},
    facts: factsOf(whole),
  }
}

/** The file in today's shape; what the table doesn't need stays as it is. */
function normalise(whole: PyDict, name: string): PyDict {
  const rows = rowsAt(whole, 'results', name)
  if (rows === null) throw invalid(name, "an object under 'results'", typeOf(whole.get('results') ?? null))
  if (rows.size === 0) throw invalid(name, "a task under 'results'", 'none')
  const groups = rowsAt(whole, 'groups', name)
  const normal = new Map(whole)
  normal.set('results', rows)
  if (groups === null || groups.size === 0) normal.delete('groups')
  else normal.set('groups', groups)
  for (const key of ['group_subtasks', 'configs', 'versions', 'n-shot', 'higher_is_better', 'n-samples'])
    if (!isDict(normal.get(key) ?? null)) normal.delete(key)
  // Whoever lists a run's tasks looks here.
  if (!normal.has('n-samples')) normal.set('n-samples', new Map([...rows.keys()].map((task) => [task, new Map<string, PyValue>()])))
  return normal
}

function rowsAt(whole: PyDict, key: 'results' | 'groups', name: string): PyDict | null {
  const block = whole.get(key) ?? null
  if (!isDict(block)) return null
  const isIndented = hasIndentedAliases(whole)
  return new Map(
    [...block].map(([task, row]): [string, PyValue] => {
      if (!isDict(row)) throw invalid(name, `an object under '${key}' for '${task.slice(0, 80)}'`, typeOf(row))
      return [task, normaliseRow(row, task, isIndented)]
    }),
  )
}

const notMetrics = new Set(['alias', 'name', 'sample_len', 'sample_count', 'samples'])

/** Before 0.4.5 the aliases in the file carry the table's indentation; such files don't all name their version. */
function hasIndentedAliases(whole: PyDict): boolean {
  const version = /^0\.(\d+)\.(\d+)/.exec(str(whole.get('lm_eval_version') ?? ''))
  return version === null || Number(version[1]) * 100 + Number(version[2]) < 405
}

function normaliseRow(row: PyDict, task: string, isIndented: boolean): PyDict {
  const normal = new Map<string, PyValue>()
  const alias = row.get('alias')
  normal.set('alias', typeof alias !== 'string' ? task : isIndented ? alias.replace(/^\s*(?:- )?/, '') : alias)
  for (const [key, value] of row) {
    if (key === 'alias' || key === 'samples' || key.trim() === '') continue
    if (notMetrics.has(key)) normal.set(key, value)
    else if (isList(value) || isDict(value) || value === null) continue
    else normal.set(key.includes(',') ? key : `${key},none`, value)
  }
  return normal
}

/** No two rows that the page couldn't tell apart. */
function uniqueRows({ tasks, groups }: ResultsTable): ResultsTable {
  const unique = (rows: readonly ResultsRow[]) => [
    ...new Map(rows.map((row) => [`${row.task} ${row.filter} ${row.metric}`, row] as const)).values(),
  ]
  return { tasks: unique(tasks), groups: unique(groups) }
}

const factKeys = [
  'model_name',
  'model_source',
  'lm_eval_version',
  'transformers_version',
  'git_hash',
  'date',
  'chat_template_sha',
  'system_instruction',
  'fewshot_as_multiturn',
  'total_evaluation_time_seconds',
  'max_length',
] as const

/** Of ours, where it ran. */
const ownFactKeys = ['dtype', 'device', 'scoring', 'model_format'] as const

/** What the file says of the run, beside its scores. */
function factsOf(whole: PyDict): readonly (readonly [string, string])[] {
  const config = dictAt(whole, 'config')
  const own = dictAt(whole, 'yardstick')
  const print = (name: string, value: PyValue | undefined): readonly (readonly [string, string])[] => {
    if (value === undefined || value === null || value === '') return []
    const seconds = name === 'date' ? toNumber(value) : null
    const text = seconds === null || Math.abs(seconds) > 1e11 ? str(value) : new Date(seconds * 1000).toISOString()
    return [[name, text.length > 2000 ? `${text.slice(0, 2000)} …` : text]]
  }
  return [
    ...factKeys.flatMap((key) => print(key, whole.get(key))),
    ...ownFactKeys.flatMap((key) => print(`yardstick.${key}`, own.get(key))),
    ...[...config].slice(0, 60).flatMap(([key, value]) => print(`config.${key}`, value)),
  ]
}

function dictAt(value: PyDict, key: string): PyDict {
  const found = value.get(key) ?? null
  return isDict(found) ? found : new Map<string, PyValue>()
}

function typeOf(value: PyValue): string {
  if (value === null) return 'nothing'
  if (isList(value)) return 'a list'
  return isDict(value) ? 'an object' : `a ${typeof value}`
}

function invalid(name: string, wanted: string, found: string): EvalError {
  return new EvalError('results/invalid', `${name} is no results file of lm_eval's: wanted ${wanted}, found ${found}.`, {
    details: { file: name },
  })
}
