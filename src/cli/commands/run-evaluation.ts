/** The main job: one run, its progress, its files, its table. */
import { opinionLines } from '../../analysis/compare/second-opinion.ts'
import { speedTable } from '../../analysis/speed/speed-table.ts'
import { fromWire, isEvalError } from '../../base/errors.ts'
import { isRecord } from '../../base/guards.ts'
import type { ModelDescription } from '../../contracts/models.ts'
import type { RunEvent } from '../../contracts/progress.ts'
import type { RunSummary } from '../../contracts/results.ts'
import type { RunSettings, TaskFile } from '../../contracts/run-settings.ts'
import type { SecondOpinion } from '../../contracts/second-opinion.ts'
import type { RunStatus } from '../../contracts/runs.ts'
import { fromJson, pyFloat, repr, str } from '../../python/value.ts'
import { sameSettings } from '../../settings/same-settings.ts'
import { createLocalHub } from '../browser/local-hub.ts'
import { openSession, type Session } from '../browser/session.ts'
import { callerFolder } from '../files/caller-folder.ts'
import { checkDataFiles, explainMissing } from '../files/task-data.ts'
import type { CommandLine } from '../flags/args.ts'
import { alarmLines, ownLines } from '../output/own-lines.ts'
import type { Progress } from '../output/progress.ts'
import { InterruptedError, listenForInterrupt } from './interrupt.ts'
import { judgeKeptRun, readTemplate } from './judge-answers.ts'
import { formatPreviews, rejectWhenStopped } from './listings.ts'
import { nameOutputs, outputFolder, writeOwn, writeParts, writeResults, writeSamples, writtenBefore } from './result-files.ts'
import { chooseModel, gpuWish, hubAccess, readLocalInputs, readSamples, runSettings, type LocalInputs } from './settings.ts'

const stoppedByUser = 130
const incomplete = 1

type Done = Extract<RunEvent, { type: 'done' }>
/** How a run ended. */
type DoneEvent = Pick<Done, 'runId' | 'status' | 'error'>

/** What a command made of several runs gives to each, and hears of it. */
export interface RunExtras {
  /** Task files beside those of `--include_path`. */
  readonly taskFiles?: readonly TaskFile[]
  /** The path of a complete run's results file; its samples lie beside it. */
  readonly onWritten?: (resultsFile: string) => void
}

/** Runs what the command line asks for; gives the process's exit code. */
export async function runEvaluation(
  line: CommandLine,
  progress: Progress,
  print: (text: string) => void,
  { taskFiles = [], onWritten = () => undefined }: RunExtras = {},
): Promise<number> {
  const local = readLocalInputs(line, callerFolder())
  const inputs = { ...local, taskFiles: [...local.taskFiles, ...taskFiles] }
  // A template that can't be used shows before the run, not after it.
  if (line.judge !== null) readTemplate(line.judge)
  const samples = readSamples(line.samples, callerFolder())
  let session: Session | null = null
  let runId: string | null = null
  const interrupt = listenForInterrupt(() => {
    progress.say('Stopping; a second Ctrl-C ends at once.')
    // A failure to stop shows as the death of the page, which is waited for elsewhere.
    session?.call('stop', runId).catch(() => undefined)
  })
  try {
    session = await openSession({
      gpu: gpuWish(line),
      access: hubAccess(line, inputs, process.env['HF_TOKEN']),
      localHub: createLocalHub(inputs, (text) => progress.say(text)),
      localFiles: inputs.servedFiles,
      say: (text) => progress.say(text),
      signal: interrupt.signal,
    })
    const opened = session
    const prepared = await Promise.race([
      prepare(opened, line, inputs, samples, progress, print),
      opened.died,
      rejectWhenStopped(interrupt.signal),
    ])
    const said = new Set<string>()
    const done = await Promise.race([
      prepared.complete === null
        ? follow(opened, prepared, { progress, said }, (id) => {
            runId = id
          })
        : { runId: prepared.complete, status: 'complete' as const, error: null },
      opened.died,
    ])
    const code = await finish(opened, line, prepared.settings, done, { progress, print, onWritten, said })
    if (code !== 0 || line.judge === null) return code
    // With --json standard output holds the run's own results alone.
    const say = line.json ? (text: string) => progress.say(text) : print
    const judging = { session: opened, line, flags: line.judge, progress, print: say, signal: interrupt.signal }
    return await Promise.race([judgeKeptRun(judging, done.runId), opened.died])
  } catch (error) {
    progress.end()
    if (
      interrupt.signal.aborted &&
      (error instanceof InterruptedError ||
        (isEvalError(error) && error.code === 'run/stopped') ||
        (error instanceof Error && error.name === 'AbortError'))
    ) {
      progress.say('Stopped before the run began.')
      return stoppedByUser
    }
    throw explainMissing(error, inputs.missing)
  } finally {
    await session?.close()
    interrupt.release()
  }
}

interface Prepared {
  readonly settings: RunSettings
  /** The run to go on with; null = a new one. */
  readonly resumed: string | null
  /** A complete run whose answers are to be judged; null where there is something to run. */
  readonly complete: string | null
}

/** Settles everything that a run needs: model, dtype, tasks, and which earlier run it goes on with. */
export async function prepare(
  session: Session,
  line: CommandLine,
  inputs: LocalInputs,
  samples: RunSettings['samples'],
  progress: Progress,
  print: (text: string) => void,
): Promise<Prepared> {
  if (typeof line.resume === 'string') {
    const { settings, isComplete } = await namedRun(session, line.resume)
    if (isComplete && line.judge === null) throw new Error(`--resume ${line.resume}: that run is complete already`)
    return { settings, ...(isComplete ? { resumed: null, complete: line.resume } : { resumed: line.resume, complete: null }) }
  }
  const choice = chooseModel(line, await session.call('listModels'))
  await checkDataFiles(session, choice.tasks, inputs)
  const dtype = await chooseDtype(session, line, choice.model, choice.revision, choice.dtype, progress)
  const settings = runSettings(line, { ...choice, dtype }, inputs, samples)
  if (line.writeOut) {
    const text = formatPreviews(await session.call('previewPrompts', settings, 1))
    if (line.json) progress.say(text)
    else print(text)
  }
  if (!line.resume) return { settings, resumed: null, complete: null }
  const resumed = await newestOf(session, settings, ['interrupted', 'running'])
  // A judge that was cut off is resumed, over the answers of the run before it.
  const complete = resumed === null && line.judge !== null ? await newestOf(session, settings, ['complete']) : null
  if (complete !== null) progress.say(`Run ${complete} is complete: its judge goes on.`)
  else if (resumed === null) progress.say('No interrupted run has these settings: a new one begins.')
  return { settings, resumed, complete }
}

async function namedRun(session: Session, runId: string): Promise<{ readonly settings: RunSettings; readonly isComplete: boolean }> {
  const runs = await session.call('listRuns')
  const run = runs.find((row) => row.runId === runId)
  if (run === undefined)
    throw new Error(`--resume ${runId}: no run has this id${runs.length === 0 ? '' : `; the newest is ${runs[0]?.runId ?? ''}`}`)
  return { settings: run.manifest.settings, isComplete: run.status === 'complete' }
}

/** Rows come newest first. A run that still says "running" was killed: nobody else holds the profile. */
async function newestOf(session: Session, settings: RunSettings, statuses: readonly RunStatus[]): Promise<string | null> {
  const runs = await session.call('listRuns')
  return runs.find(({ status, manifest }) => statuses.includes(status) && sameSettings(manifest.settings, settings))?.runId ?? null
}

/** The dtype to ask for; null = the model's default. A torch dtype takes the first of its counterparts that the model offers. */
async function chooseDtype(
  session: Session,
  line: CommandLine,
  model: string,
  revision: string,
  fallback: string | null,
  progress: Progress,
): Promise<string | null> {
  const { dtypes, dtypeAsked } = line
  if (dtypes === null) return fallback
  const [first = null] = dtypes
  if (dtypes.length === 1 && first === dtypeAsked) return first
  const offered: ModelDescription['dtypes'] = (await session.call('describeModel', model, revision, line.modelFormat)).dtypes
  const dtype = dtypes.find((name) => offered.some((option) => option.dtype === name && option.refusal === null)) ?? first
  progress.say(`dtype ${dtypeAsked ?? ''} is torch's name: ${dtype ?? ''} is used`)
  return dtype
}

/** Starts or goes on, shows events, and gives the last one. The warnings shown go into `said`. */
async function follow(
  session: Session,
  { settings, resumed }: Prepared,
  { progress, said }: { readonly progress: Progress; readonly said: Set<string> },
  onRunId: (runId: string) => void,
): Promise<DoneEvent> {
  const kept = { requests: 0, total: 0, runs: 0 }
  const done = new Promise<Done>((resolve) => {
    session.onEvent((event) => {
      progress.show(event)
      if (event.type === 'started') onRunId(event.runId)
      if (event.type === 'warning') said.add(event.message)
      if (event.type === 'progress') Object.assign(kept, { requests: event.requestsKept, total: event.requestsTotal, runs: event.runs })
      if (event.type === 'done') resolve(event)
    })
  })
  if (resumed === null) onRunId(await session.call('start', settings))
  else {
    progress.say(`Going on with run ${resumed}`)
    onRunId(resumed)
    await session.call('resume', resumed)
  }
  const last = await done
  if (last.status === 'complete')
    progress.say(
      `${kept.total} requests: ${kept.requests} kept from before, ${kept.total - kept.requests} computed in ${kept.runs} forward passes`,
    )
  return last
}

async function finish(
  session: Session,
  line: CommandLine,
  settings: RunSettings,
  done: DoneEvent,
  {
    progress,
    print,
    onWritten,
    said,
  }: Required<Pick<RunExtras, 'onWritten'>> & { progress: Progress; print: (text: string) => void; said: ReadonlySet<string> },
): Promise<number> {
  if (done.status === 'interrupted') {
    if (done.error !== null && done.error.code !== 'run/stopped') progress.say(done.error.message)
    progress.say(`The run was interrupted; --resume ${done.runId} goes on with it.`)
    return done.error === null || done.error.code === 'run/stopped' ? stoppedByUser : incomplete
  }
  if (done.status !== 'complete') throw done.error === null ? new Error(`The run ended as ${done.status}.`) : fromWire(done.error)
  const opinion = line.secondOpinion === null ? null : await askSecondOpinion(session, done.runId, line.secondOpinion, progress)
  const speed = line.measuresSpeed
    ? await orSay('no speed was measured', progress, () => session.call('measureSpeed', { runId: done.runId }))
    : null
  const results = await session.call('loadResults', done.runId)
  if (results === null) throw new Error(`Run ${done.runId} is complete but has no results.`)
  onWritten(await writeFiles(session, line, settings, results, progress))
  // What was said while it ran isn't said again.
  for (const warning of results.warnings) if (!said.has(warning)) progress.say(`Warning: ${warning}`)
  for (const alarm of alarmLines(results.own)) progress.say(`Alarm: ${alarm}`)
  if (line.json) print(results.resultsText)
  else {
    if (line.showConfig) print(results.resultsText)
    print(headLine(line, settings, results))
    print(results.tableText.trimEnd())
    for (const text of measuredLine(results)) print(text)
    for (const text of ownLines(results.own)) print(text)
    if (speed !== null) for (const text of ['', speedTable(speed)]) print(text)
    if (opinion !== null) for (const text of ['', ...opinionLines(opinion)]) print(text)
  }
  return 0
}

async function askSecondOpinion(session: Session, runId: string, docs: number, progress: Progress): Promise<SecondOpinion | null> {
  progress.say(`Asking transformers.js for a second opinion on ${docs} docs`)
  const opinion = await orSay('no second opinion', progress, () => session.call('secondOpinion', runId, docs))
  if (opinion?.agrees === false) progress.say('Warning: transformers.js computes other log-probabilities; see the second opinion.')
  return opinion
}

/** A run is complete whatever becomes of what is measured after it: where that fails, it is said. */
async function orSay<T>(what: string, progress: Progress, measure: () => Promise<T>): Promise<T | null> {
  try {
    return await measure()
  } catch (error) {
    if (!isEvalError(error)) throw error
    progress.say(`Warning: ${what}. ${error.message}`)
    return null
  }
}

async function writeFiles(
  session: Session,
  line: CommandLine,
  settings: RunSettings,
  results: RunSummary,
  progress: Progress,
): Promise<string> {
  const names = nameOutputs(outputFolder(line), settings.model, new Date())
  const earlier = writtenBefore(names, results.resultsText)
  if (earlier !== null) {
    progress.say(`${earlier} has these results already`)
    return earlier
  }
  if (line.logSamples) {
    for (const task of sampledTasks(results)) {
      await writeSamples(names, task, (offset, count) => session.call('sampleLines', results.runId, task, offset, count))
    }
  }
  for (const { task, csv } of results.own?.recipes ?? []) {
    if (csv !== null)
      await writeParts(names.own(csv.path), `${csv.header}\n`, (offset, count) =>
        session.call('csvLines', results.runId, task, offset, count),
      )
  }
  for (const { path, text } of results.own?.files ?? []) {
    writeOwn(names.own(path), text)
    progress.say(`Wrote ${names.own(path)}`)
  }
  // Last: where it is, the others are.
  writeResults(names, results.resultsText)
  progress.say(`Wrote ${names.results}${line.logSamples ? ' and its samples' : ''}`)
  return names.results
}

/** The leaf tasks of a run: those with a config. */
export function sampledTasks(results: RunSummary): string[] {
  const configs = results.resultsFile['configs']
  return isRecord(configs) ? Object.keys(configs) : []
}

/** Whose weights these scores are; nothing for a run of an earlier version. */
function measuredLine({ resultsFile }: RunSummary): readonly string[] {
  const own = resultsFile['yardstick']
  const measured = isRecord(own) ? own['measured'] : undefined
  return typeof measured === 'string' ? [measured] : []
}

/** The line that the harness prints above its table. */
function headLine(line: CommandLine, settings: RunSettings, results: RunSummary): string {
  const config = results.resultsFile['config']
  const recorded = isRecord(config) ? config['model_args'] : undefined
  const own = { pretrained: settings.model, ...(settings.dtype === null ? {} : { dtype: settings.dtype }), ...settings.modelArgs }
  const modelArgs = isRecord(recorded) ? recorded : own
  const limit = settings.limit === null ? 'None' : str(pyFloat(settings.limit))
  return `hf (${repr(fromJson(modelArgs))}), gen_kwargs: (${repr(fromJson(line.genKwargs))}), limit: ${limit}, num_fewshot: ${settings.numFewshot ?? 'None'}, batch_size: 1`
}
