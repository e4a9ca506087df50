/** Runs a golden in the browser, the way it was made with the harness, and reads back what came out. */
import { basename } from 'node:path'
import { append } from '../../src/base/arrays.ts'
import { fromWire, isEvalError, type Json } from '../../src/base/errors.ts'
import { commandLineOrigin } from '../../src/cli/browser/origin.ts'
import { localFilesPath } from '../../src/cli/browser/serve.ts'
import type { Session } from '../../src/cli/browser/session.ts'
import { describeMissing, findDataFiles } from '../../src/cli/files/task-folder.ts'
import type { RunEvent } from '../../src/contracts/progress.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { parseKeyValues } from '../../src/settings/key-values.ts'
import { compareRun, type Comparison } from './compare.ts'
import { asRecord, parsePythonJson, parseSampleLines, readGoldenSamples, type Golden, type JsonRecord } from './goldens.ts'
import type { TaskSelection } from './tasks.ts'

/** The model arguments of the harness that say which weights and where: here flags do. */
const placeArgs = ['pretrained', 'dtype', 'device', 'batch_size']

export interface Wanted {
  readonly model: string
  readonly dtype: string
  readonly device: RunSettings['device']
  readonly scoring: RunSettings['scoring']
}

/** The id of the model that a golden was made with. */
export function modelOf(golden: Golden): string {
  const pretrained = asRecord(asRecord(golden.results['config'])['model_args'])['pretrained']
  if (typeof pretrained !== 'string') throw new Error(`${golden.folder}: the results name no model under config.model_args.pretrained`)
  return pretrained
}

/** The data files that the tasks name, by path as named; in `datasetsFolder`, then beside the task file. Throws for one that is nowhere. */
export function dataFilesOf({ files, folders }: TaskSelection, datasetsFolder: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const folder of new Set(folders.values())) {
    const own = files.filter(({ path }) => folders.get(path) === folder)
    const { found: some, missing } = findDataFiles(own, folder, datasetsFolder)
    const [first] = missing
    if (first !== undefined) throw new Error(describeMissing(first))
    for (const [path, file] of some) found.set(path, file)
  }
  return found
}

/** Where a data file is served, below our own origin. */
export function addressOf(file: string, index: number): string {
  return `${localFilesPath}/${index}/${basename(file)}`
}

/** The settings that repeat the harness's run; `dataFiles` holds addresses by path. Never reads kept answers. */
export function settingsOf(
  golden: Golden,
  wanted: Wanted,
  selection: TaskSelection,
  dataFiles: { readonly [path: string]: string },
): RunSettings {
  const { spec, results } = golden
  const config = asRecord(results['config'])
  const applyChatTemplate = spec['apply_chat_template']
  const isChat = typeof applyChatTemplate === 'boolean' || typeof applyChatTemplate === 'string' ? applyChatTemplate : false
  const multiturn = spec['fewshot_as_multiturn']
  const modelArgs = Object.entries(asRecord(spec['model_args'])).filter(([key]) => !placeArgs.includes(key))
  const seed = (name: string, fallback: number): number => numberOr(config[`${name}_seed`], fallback)
  return {
    model: wanted.model,
    revision: 'main',
    dtype: wanted.dtype,
    device: wanted.device,
    scoring: wanted.scoring,
    // A spec is JSON, and so is everything in it.
    modelArgs: Object.fromEntries(modelArgs) as { readonly [key: string]: Json },
    tasks: selection.tasks,
    taskFiles: selection.files,
    dataFiles: Object.fromEntries(Object.entries(dataFiles).map(([path, address]) => [path, commandLineOrigin + encodeURI(address)])),
    numFewshot: numberOr(spec['num_fewshot'], null),
    limit: numberOr(spec['limit'], null),
    samples: samplesOf(spec['samples']),
    applyChatTemplate: isChat,
    // `simple_evaluate` says yes unless told otherwise; it means something with a chat template only.
    fewshotAsMultiturn: isChat === false ? null : typeof multiturn === 'boolean' ? multiturn : true,
    systemInstruction: typeof spec['system_instruction'] === 'string' ? spec['system_instruction'] : null,
    genKwargs: genKwargsOf(spec['gen_kwargs']),
    seeds: { random: seed('random', 0), numpy: seed('numpy', 1234), torch: seed('torch', 1234), fewshot: seed('fewshot', 1234) },
    bootstrapIters: numberOr(config['bootstrap_iters'], 100_000),
    predictOnly: false,
    metadata: {},
    useCache: false,
  }
}

function numberOr<T>(value: unknown, fallback: T): number | T {
  return typeof value === 'number' ? value : fallback
}

function samplesOf(value: unknown): RunSettings['samples'] {
  if (value === undefined || value === null) return null
  return Object.fromEntries(
    Object.entries(asRecord(value)).map(([task, docs]) => [task, Array.isArray(docs) ? docs.filter((doc) => typeof doc === 'number') : []]),
  )
}

function genKwargsOf(value: unknown): RunSettings['genKwargs'] {
  if (typeof value === 'string') return parseKeyValues(value)
  // A spec is JSON, and so is everything in it.
  return asRecord(value) as { readonly [key: string]: Json }
}

/** Runs to the end and compares; the run is deleted again. Throws the app's own error when it can't run. */
export async function runGolden(
  session: Session,
  golden: Golden,
  settings: RunSettings,
  onEvent: (event: RunEvent) => void,
): Promise<Comparison> {
  const { runId, reason } = await runWithMetricsIfPorted(session, settings, onEvent)
  const results = await session.call('loadResults', runId)
  if (results === null) throw new Error(`Run ${runId} is complete but has no results.`)
  const found = asRecord(parsePythonJson(results.resultsText))
  const rows = []
  for (const task of Object.keys(asRecord(golden.results['configs'])))
    rows.push({ task, wanted: readGoldenSamples(golden, task), found: await readOwnSamples(session, runId, task) })
  await session.call('deleteRun', runId)
  const comparison = compareRun(rows, golden.results, found)
  return reason === null ? comparison : { ...comparison, metrics: [reason] }
}

/**
 * Runs with metrics, or without them where a task's own ones aren't ported: its prompts and texts can still be compared. `reason` names what
 * is missing then.
 */
async function runWithMetricsIfPorted(
  session: Session,
  settings: RunSettings,
  onEvent: (event: RunEvent) => void,
): Promise<{ readonly runId: string; readonly reason: string | null }> {
  try {
    return { runId: await runToEnd(session, settings, onEvent), reason: null }
  } catch (error) {
    if (!isEvalError(error) || error.code !== 'task/unknown-function') throw error
    const runId = await runToEnd(session, { ...settings, predictOnly: true }, onEvent)
    return { runId, reason: `no metrics were computed, as a port is missing: ${error.message}` }
  }
}

type DoneEvent = Extract<RunEvent, { type: 'done' }>

async function runToEnd(session: Session, settings: RunSettings, onEvent: (event: RunEvent) => void): Promise<string> {
  let isOver = false
  const done = new Promise<DoneEvent>((resolve) => {
    session.onEvent((event) => {
      // A session's listeners stay; those of earlier runs must not hear later ones.
      if (isOver) return
      onEvent(event)
      if (event.type !== 'done') return
      isOver = true
      resolve(event)
    })
  })
  try {
    await Promise.race([session.call('start', settings), session.died])
    const { runId, status, error } = await Promise.race([done, session.died])
    if (status !== 'complete') throw error === null ? new Error(`The run ended as ${status}.`) : fromWire(error)
    return runId
  } finally {
    isOver = true
  }
}

/** Docs a message. */
const samplesPerPart = 200

async function readOwnSamples(session: Session, runId: string, task: string): Promise<JsonRecord[]> {
  const rows: JsonRecord[] = []
  for (let offset = 0, total = 1; offset < total;) {
    const part = await session.call('sampleLines', runId, task, offset, samplesPerPart)
    if (part.next <= offset) break
    append(rows, parseSampleLines(part.text))
    offset = part.next
    total = part.total
  }
  return rows
}
