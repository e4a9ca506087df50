/** What the harness makes of its own tasks of the bundled names (`tests/make-goldens/make_task_goldens.py`), and what we make of ours. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Table } from '../../src/contracts/rows.ts'
import { buildRequests, requestArguments } from '../../src/harness/requests/output-types.ts'
import { buildTask } from '../../src/harness/requests/task.ts'
import { dumpTaskConfig } from '../../src/harness/results/config-entry.ts'
import { hashDoc } from '../../src/harness/sample-hashes.ts'
import { buildRegistry, type Registry } from '../../src/harness/tasks/registry.ts'
import { readTaskConfig, type TaskConfig } from '../../src/harness/tasks/task-config.ts'
import { functionTable } from '../../src/ports/functions/functions.ts'
import { isDict, isList, jsonDumps, str, type PyDict, type PyValue } from '../../src/python/value.ts'
import { makeTaskPack } from '../../tools/build/task-pack.ts'
import { parsePythonJson } from '../conformance/python-json.ts'
import { get, list, texts } from '../conformance/values.ts'
import { tableOf } from '../support/tables.ts'

/** Fingerprints of docs by number of few-shot examples. */
export type Fingerprints = ReadonlyMap<string, readonly string[]>

export interface GoldenTask {
  readonly name: string
  readonly config: PyDict
  readonly madeUp: Fingerprints
  /** Null when there was no slice of its data set. */
  readonly slice: Fingerprints | null
}

export interface TaskGoldens {
  readonly tasks: readonly GoldenTask[]
  readonly groups: PyDict
  readonly tags: PyDict
  /** Made-up rows by data set. */
  readonly rows: PyDict
}

export function readTaskGoldens(): TaskGoldens {
  const file = new URL('../goldens/tasks/harness.json.gz', import.meta.url)
  const golden = parsePythonJson(gunzipSync(readFileSync(file)).toString('utf8'))
  const dictAt = (...path: readonly string[]): PyDict => asDict(get(golden, ...path))
  return {
    tasks: [...dictAt('tasks')].map(([name, task]) => ({
      name,
      config: asDict(get(task, 'config')),
      madeUp: fingerprintsIn(get(task, 'madeUp')),
      slice: get(task, 'slice') === null ? null : fingerprintsIn(get(task, 'slice')),
    })),
    groups: dictAt('groups'),
    tags: dictAt('tags'),
    rows: dictAt('rows'),
  }
}

function fingerprintsIn(value: PyValue): Fingerprints {
  return new Map([...asDict(value)].map(([shots, lines]) => [shots, texts(lines)]))
}

function asDict(value: PyValue): PyDict {
  if (isDict(value)) return value
  throw new Error(`wanted an object, found ${jsonDumps(value).slice(0, 80)}`)
}

/** The registry over `public/tasks`, as the app builds it. */
export function bundledRegistry(): Registry {
  const { files, listing } = makeTaskPack('public/tasks')
  return buildRegistry([{ name: 'bundled', files: Object.entries(files).map(([path, text]) => ({ path, text })), listing }])
}

/** The one task of that name. */
export function bundledConfig(registry: Registry, name: string): TaskConfig {
  const [source] = registry.resolve([name]).tasks
  if (source === undefined) throw new Error(`${name} is no bundled task`)
  return readTaskConfig(source.config, source.file)
}

/** A config as text, without what differs by nature: where its file lies, and in which module a function is. */
export function configText(config: PyDict): string {
  return jsonDumps(comparable(config, ''), { indent: 1 })
}

function comparable(value: PyValue, key: string): PyValue {
  if (typeof value === 'string') return value.replace(/^<function (?:\w+\.)*(\w+)>$/, '<function $1>')
  if (isList(value)) return value.map((item) => comparable(item, ''))
  if (!isDict(value)) return value
  const kept = [...value].filter(
    ([name]) => name !== 'config_source' && !(key === '' && name === 'num_fewshot' && value.has('output_type')),
  )
  return new Map(kept.map(([name, item]) => [name, comparable(item, name)]))
}

export function ownConfigText(config: TaskConfig): string {
  return configText(dumpTaskConfig(config, { numFewshot: 0, generationKwargs: config.generationKwargs, predictOnly: false }))
}

/** By Node: ours took an eighth of the time of these tests. */
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Eight digits each of the hashes of a doc, its prompt, its target, and the arguments of all its requests. */
export function fingerprintsOf(config: TaskConfig, tables: { readonly [split: string]: Table }, shots: string): readonly string[] {
  const { docs } = buildRequests(buildTask(config, tables, { functions: functionTable() }), {
    numFewshot: Number(shots),
    limit: shots === '0' ? null : 4,
    samples: null,
    fewshotSeed: 1234,
    systemInstruction: null,
    chat: null,
  })
  return docs.map(({ doc, target, requests }) => {
    // Requests hold JSON, which has no 0.0; the config has the numbers as Python would print them.
    const args = requests.map((request) =>
      request.type === 'generate_until' ? [request.context, config.generationKwargs ?? new Map()] : requestArguments(request),
    )
    const hashes = [hashDoc(doc), sha256(str(args[0]?.[0] ?? '')), sha256(str(target)), sha256(jsonDumps(args))]
    return hashes.map((hash) => hash.slice(0, 8)).join('')
  })
}

/** The made-up splits of a data set: the same rows, turned by one for each split. */
export function madeUpTables(rows: PyDict, path: string): { readonly [split: string]: Table } {
  const all = list(rows.get(path) ?? null).map(asDict)
  const turned = (turn: number): Table => tableOf([...all.slice(turn), ...all.slice(0, turn)])
  return Object.fromEntries(['test', 'validation', 'train', 'dev'].map((split, turn) => [split, turned(turn)]))
}
