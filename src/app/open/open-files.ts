/**
 * Runs out of chosen files: a run that was saved whole, the harness's results with their samples, of one or several runs at once, predictions of
 * OpenCompass, rows that Meta published, or a list of accuracies. Which is which is told by what a file holds, not by its name; a sample file's task is told by its name, since nothing in it says so.
 */
import { expectedFile, isExpectedBeginning, readExpected, type ExpectedRun } from '../../analysis/cluster/expected.ts'
import { judgeReturned } from '../../analysis/cluster/returned.ts'
import { EvalError, type Json } from '../../base/errors.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { sanitizeModelName } from '../../harness/results/file-names.ts'
import { isAccuracyList, readAccuracyList } from './accuracy-list.ts'
import { readResults, type HarnessResults } from './harness-results.ts'
import { readSample, type TaskFacts } from './harness-samples.ts'
import { parseLooseJson, parseNamed } from './loose-json.ts'
import { means } from './means.ts'
import { isMetaEvals, metaTask, readMetaRow } from './meta-evals.ts'
import { isOpenCompass, openCompassTask, readOpenCompass } from './opencompass.ts'
import { limits, type Note, type OpenedRun } from './opened-run.ts'
import { readBeginning, readLines, readWhole, type NamedFile } from './read-lines.ts'
import { isRunFile, readRunFile } from './run-file.ts'

interface SampleFile {
  readonly file: NamedFile
  /** The run's time in the file's name; null for none. */
  readonly date: string | null
}

interface ResultsGroup {
  readonly files: readonly string[]
  readonly date: string | null
  /** Null for samples without a results file. */
  readonly results: HarnessResults | null
  readonly samples: readonly SampleFile[]
}

/**
 * Opens everything that was chosen, in the order of the files. `newId` names each run. Throws `results/invalid` for the first file that can't
 * be read or belongs to nothing, and opens none then.
 */
export async function openFiles(files: readonly NamedFile[], newId: () => string): Promise<readonly OpenedRun[]> {
  const runs: OpenedRun[] = []
  const results: { readonly file: NamedFile; readonly date: string | null; readonly read: HarnessResults; readonly id: string }[] = []
  const samples: SampleFile[] = []
  const predictions: NamedFile[] = []
  const published: NamedFile[] = []
  const expectations: ExpectedRun[] = []
  for (const file of files) {
    const beginning = (await readBeginning(file)).trimStart()
    if (beginning === '') throw new EvalError('results/invalid', `${file.name}: wanted results or samples, found an empty file.`)
    if (isOpenCompass(beginning)) predictions.push(file)
    else if (isExpectedBeginning(beginning)) {
      const text = await readWhole(file)
      expectations.push(readExpected(parseNamed(parseLooseJson, text, file.name), file.name))
    } else if (isMetaEvals(beginning)) published.push(file)
    else if (isRunFile(beginning)) runs.push(await readRunFile(file, newId()))
    else if (isSampleFile(beginning)) samples.push({ file, date: dateOf(file.name) })
    else {
      const id = newId()
      const read = (isAccuracyList(beginning) ? readAccuracyList : readResults)(await readWhole(file), file.name, id)
      results.push({ file, date: dateOf(file.name), read, id })
    }
  }
  const groups: ResultsGroup[] = results.map(({ file, date, read }) => {
    const own = samples.filter((one) => results.length === 1 || (one.date !== null && one.date === date))
    return { files: [file, ...own.map((one) => one.file)].map(({ name }) => name), date, results: read, samples: own }
  })
  const taken = new Set(groups.flatMap((group) => group.samples))
  const loose = samples.filter((one) => !taken.has(one))
  if (loose.length > 0 && results.length > 1)
    throw new EvalError(
      'results/invalid',
      `${loose[0]?.file.name ?? ''} has no date that one of the ${results.length} results files has: open each run's files by themselves.`,
    )
  if (loose.length > 0) groups.push({ files: loose.map(({ file }) => file.name), date: null, results: null, samples: loose })
  for (const group of groups) runs.push(await assemble(group, newId))
  if (predictions.length > 0) runs.push(await openPredictions(predictions, newId()))
  if (published.length > 0) runs.push(await openPublished(published, newId()))
  const [expected, another] = expectations
  if (expected === undefined) return runs
  if (another !== undefined || runs.length === 0)
    throw new EvalError(
      'results/invalid',
      `wanted one ${expectedFile} with the results that came back, found ${expectations.length} with ${runs.length} runs`,
    )
  return runs.map((run) => ({ ...run, returned: judgeReturned(expected, run.samples) }))
}

/** All prediction files of OpenCompass are one run, a dataset each. */
async function openPredictions(files: readonly NamedFile[], id: string): Promise<OpenedRun> {
  const byTask = new Map<string, readonly SampleView[]>()
  for (const file of files) {
    const task = openCompassTask(file.name)
    if (byTask.has(task)) throw new EvalError('results/invalid', `${file.name}: predictions of '${task}' were given twice.`)
    byTask.set(task, readOpenCompass(await readWhole(file), file.name))
  }
  const notes: Note[] = [{ kind: 'opencompass' }]
  const names = files.map(({ name }) => name)
  return { id, files: names, kind: 'harness', manifest: null, summary: means(byTask, id), samples: byTask, facts: [], notes }
}

/** All files of rows that Meta published are one run, a task each by what the rows say. */
async function openPublished(files: readonly NamedFile[], id: string): Promise<OpenedRun> {
  const byTask = new Map<string, SampleView[]>()
  for (const file of files) {
    for await (const { value, where } of readValues(file)) {
      const task = metaTask(value, file.name)
      const views = byTask.get(task) ?? []
      byTask.set(task, views)
      views.push(readMetaRow(value, task, views.length, where))
      if (views.length > limits.samples) throw tooMany(where)
    }
  }
  const names = files.map(({ name }) => name)
  const summary = means(byTask, id)
  return { id, files: names, kind: 'harness', manifest: null, summary, samples: byTask, facts: [], notes: [{ kind: 'meta-evals' }] }
}

/** The JSON values of a file: one a line, or the items of one list. */
async function* readValues(
  file: NamedFile,
): AsyncGenerator<{ readonly value: Json; readonly text: string | null; readonly where: string }, void> {
  if ((await readBeginning(file)).trimStart().startsWith('[')) {
    const list = parseNamed(parseLooseJson, await readWhole(file), file.name)
    if (!Array.isArray(list)) throw new EvalError('results/invalid', `${file.name}: wanted a list of samples, found something else.`)
    for (const [index, value] of list.entries()) yield { value: value as Json, text: null, where: `${file.name}, sample ${index + 1}` }
    return
  }
  for await (const { number, text } of readLines(file)) {
    const where = `${file.name}, line ${number}`
    yield { value: parseNamed(parseLooseJson, text, where), text, where }
  }
}

function tooMany(where: string): EvalError {
  return new EvalError('results/invalid', `${where}: wanted at most ${limits.samples} samples, found more.`)
}

async function assemble({ files, results, samples }: ResultsGroup, newId: () => string): Promise<OpenedRun> {
  const byTask = new Map<string, readonly SampleView[]>()
  for (const sampleFile of samples) {
    const task = taskOf(sampleFile.file.name, results?.tasks ?? [])
    if (byTask.has(task)) throw new EvalError('results/invalid', `${sampleFile.file.name}: samples of '${task}' were given twice.`)
    byTask.set(task, await readSamples(sampleFile.file, { task, config: results?.configs[task] ?? null }))
  }
  const summary = results?.summary ?? means(byTask, newId())
  const bare = (results?.tasks ?? []).filter((task) => !byTask.has(task))
  const notes: Note[] = [
    ...(results === null ? [{ kind: 'no-results' } as const] : []),
    ...(byTask.size === 0
      ? [{ kind: 'no-samples' } as const]
      : bare.length === 0
        ? []
        : [{ kind: 'tasks-without-samples', tasks: bare } as const]),
  ]
  const kind = results?.isOurs === true ? 'own-results' : 'harness'
  return { id: summary.runId, files, kind, manifest: null, summary, samples: byTask, facts: results?.facts ?? [], notes }
}

async function readSamples(file: NamedFile, facts: TaskFacts): Promise<readonly SampleView[]> {
  const views: SampleView[] = []
  const seen = new Map<number, number>()
  const filters = new Set<string>()
  for await (const { value, text, where } of readValues(file)) {
    const given = typeof value === 'object' && value !== null && 'doc_id' in value ? value.doc_id : null
    const docId = typeof given === 'number' || typeof given === 'string' ? Number(given) : -1
    const before = seen.get(docId) ?? 0
    seen.set(docId, before + 1)
    const view = readSample(value, text ?? JSON.stringify(value), facts, before, where)
    views.push(view)
    filters.add(view.filter)
    if (filters.size > limits.filters)
      throw new EvalError('results/invalid', `${where}: wanted at most ${limits.filters} filters of a task, found more.`)
    if (views.length > limits.samples) throw tooMany(where)
  }
  return views
}

/** A results file begins as an object with other keys; a sample has its doc's id in front, on one line or in a list. */
function isSampleFile(beginning: string): boolean {
  return /^(?:\[\s*)?\{\s*"doc_id"\s*:/.test(beginning) || /^\[\s*(?:\]|\{)/.test(beginning)
}

/** `…_2026-11-21T09-12-35.572732.jsonl`. */
const datePattern = /_(\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}(?:[.-]\d+)?)\.jsonl?(?:\.gz)?$/

function dateOf(name: string): string | null {
  return datePattern.exec(name)?.[1] ?? null
}

/** The task that a sample file's name ends in: one of the results file's where one fits, the only one where there is one. */
function taskOf(name: string, tasks: readonly string[]): string {
  const stem = (name.split('/').at(-1) ?? name).replace(datePattern, '').replace(/\.jsonl?(?:\.gz)?$/, '')
  const own = stem.replace(/^samples_/, '')
  const exact = tasks.find((task) => own === task || own === sanitizeModelName(task) || own === task.replace(/[/\\]/g, '_'))
  if (exact !== undefined) return exact
  const [only, ...others] = tasks
  if (only !== undefined && others.length === 0) return only
  // Before 0.4.3 the model's arguments stand in front of the task.
  const ends = tasks.filter((task) => own.endsWith(`_${sanitizeModelName(task)}`)).sort((a, b) => b.length - a.length)
  if (ends[0] !== undefined) return ends[0]
  if (tasks.length === 0) return own.slice(0, limits.nameChars)
  throw new EvalError('results/invalid', `${name} names none of the tasks of the results file: ${tasks.slice(0, 20).join(', ')}.`)
}
