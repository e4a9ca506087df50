/** Goldens: what the harness gave, one folder a run, and the specs that say how each run was made. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gunzipSync } from 'node:zlib'

export type JsonRecord = { readonly [key: string]: unknown }

export interface Golden {
  readonly id: string
  /** How the run was made; keys as the harness's `simple_evaluate` names them. */
  readonly spec: JsonRecord
  /** What a YAML path in the spec is relative to. */
  readonly specFolder: string
  readonly results: JsonRecord
  readonly folder: string
}

/** A piece that has to be there before anything can run; its message is one sentence. */
export class MissingPieceError extends Error {}

/**
 * Every golden below `folder`, in the order of `specs.json` (beside the folder or in it), then by name; where the folder has one of each model,
 * their ids are MODEL/RUN. A golden without an entry there is run as the `spec` in its own results says. Throws MissingPieceError for no folder,
 * no goldens, or an id that isn't there.
 */
export function readGoldens(folder: string, ids: readonly string[] | null): Golden[] {
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new MissingPieceError(`The goldens are missing: there is no folder ${folder} (--goldens names another).`)
  const isGolden = (name: string): boolean => existsSync(join(folder, name, 'results.json'))
  const present = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) =>
      isGolden(name)
        ? [name]
        : readdirSync(join(folder, name))
            .map((run) => `${name}/${run}`)
            .filter(isGolden),
    )
    .sort()
  if (present.length === 0)
    throw new MissingPieceError(
      `The goldens are missing: no folder one or two below ${folder} holds a results.json (--goldens names another).`,
    )
  const specFile = [join(folder, 'specs.json'), join(dirname(folder), 'specs.json')].find((file) => existsSync(file)) ?? null
  const specs = specFile === null ? [] : readSpecs(specFile)
  const known = specs.flatMap(({ id }) => (typeof id === 'string' ? [id] : []))
  const all = [...known.filter((id) => present.includes(id)), ...present.filter((id) => !known.includes(id))]
  const unknown = ids?.find((id) => !all.includes(id))
  if (unknown !== undefined)
    throw new MissingPieceError(`The golden ${unknown} is missing: ${join(folder, unknown)} holds no results.json.`)
  return all
    .filter((id) => ids === null || ids.includes(id))
    .map((id) => {
      const results = asRecord(parsePythonJson(readFileSync(join(folder, id, 'results.json'), 'utf8')))
      const spec = withTask(specs.find((each) => each['id'] === id) ?? asRecord(results['spec']))
      if (typeof spec['task'] !== 'string')
        throw new MissingPieceError(`The golden ${id} doesn't say how it was made: neither specs.json nor its results name a task.`)
      return { id, spec, specFolder: specFile === null ? dirname(folder) : dirname(specFile), results, folder: join(folder, id) }
    })
}

/** A list of one task is that task. */
function withTask(spec: JsonRecord): JsonRecord {
  const { task, tasks } = spec
  return task === undefined && Array.isArray(tasks) && tasks.length === 1 ? { ...spec, task: tasks[0] as unknown } : spec
}

function readSpecs(file: string): JsonRecord[] {
  const value = parsePythonJson(readFileSync(file, 'utf8'))
  if (!Array.isArray(value)) throw new MissingPieceError(`The specs are missing: wanted a list of runs in ${file}.`)
  return value.map(asRecord)
}

/** The rows of one leaf task's samples; a run of a single task may call its file just `samples.jsonl`. */
export function readGoldenSamples(golden: Golden, task: string): JsonRecord[] {
  const isOnly = Object.keys(asRecord(golden.results['configs'])).length === 1
  const names = [`samples_${task.replace(/[/\\]/g, '_')}.jsonl`, ...(isOnly ? ['samples.jsonl'] : [])].flatMap((name) => [
    name,
    `${name}.gz`,
  ])
  const file = names.map((name) => join(golden.folder, name)).find((place) => existsSync(place))
  if (file === undefined) throw new Error(`${golden.folder} holds no samples of ${task}: there is none of ${names.join(', ')}`)
  const bytes = readFileSync(file)
  return parseSampleLines((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'))
}

export function parseSampleLines(text: string): JsonRecord[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => asRecord(parsePythonJson(line)))
}

/** JSON as Python writes it: `NaN` and `Infinity` come as text, which `Number` reads. */
export function parsePythonJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    const quoted = text.replace(/"(?:[^"\\]|\\.)*"|-?\bInfinity\b|\bNaN\b/gs, (token) => (token.startsWith('"') ? token : `"${token}"`))
    if (quoted === text) throw error
    return JSON.parse(quoted)
  }
}

/** The value if it is a JSON object, else an empty one. */
export function asRecord(value: unknown): JsonRecord {
  // A record of unknown values is the weakest claim about an object that is neither null nor a list.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonRecord) : {}
}
