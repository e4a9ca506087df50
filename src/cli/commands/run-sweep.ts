/** `--revision a,b,c`: one run after the other over the checkpoints of a model, then their scores together: a table, a CSV file, curves. */
import { readResultFile, type ResultFile } from '../../analysis/compare/result-file.ts'
import { checkpointSvg } from '../../analysis/compare/series/checkpoint-svg.ts'
import { checkpointSeries } from '../../analysis/compare/series/checkpoints.ts'
import { curveRows, curvesCsv, type TaskCurves } from '../../app/compare/curves-csv.ts'
import { parseLooseJson, parseNamed } from '../../app/open/loose-json.ts'
import type { CommandLine } from '../flags/args.ts'
import { UsageError } from '../flags/flag-values.ts'
import type { Progress } from '../output/progress.ts'
import { reportError } from '../output/report-error.ts'
import { tableLines } from '../output/text-table.ts'
import { nameOutputs, outputFolder, writeOwn } from './result-files.ts'
import type { RunExtras } from './run-evaluation.ts'

/** Runs one command line; prints its results file where `json` is set, and gives the exit code. */
export type Evaluate = (line: CommandLine, progress: Progress, print: (text: string) => void, extras?: RunExtras) => Promise<number>

/**
 * One run of several: its exit code, 1 after a line about its error. A run that fails is passed over, as in the page's queue; 130, a stop by
 * the user, and a wrong command line are for the caller to end with.
 */
export async function codeOfOne(name: string, progress: Progress, run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    if (error instanceof UsageError) throw error
    progress.end()
    reportError(error, (text) => progress.say(`${name}: ${text.trimEnd()}`))
    return failed
  }
}

export const stopped = 130
export const failed = 1

/** Goes on after a run that fails, and gives 1 at the end; stops at once when it is stopped, with 130. What ran has its files. */
export async function runSweep(
  line: CommandLine,
  revisions: readonly string[],
  progress: Progress,
  print: (text: string) => void,
  evaluate: Evaluate,
): Promise<number> {
  if (line.resume !== false) throw new UsageError('--resume goes on with one run: give one --revision with it')
  const files: ResultFile[] = []
  const missing: string[] = []
  for (const [index, revision] of revisions.entries()) {
    progress.say(`Revision ${revision} (${index + 1} of ${revisions.length})`)
    const texts: string[] = []
    const one = { ...line, revision, json: true }
    const code = await codeOfOne(revision, progress, () => evaluate(one, progress, (text) => texts.push(text)))
    if (code === stopped) return code
    if (code === 0) files.push(atRevision(texts.join('\n'), revision))
    else missing.push(revision)
  }
  if (missing.length > 0) progress.say(`Not complete: ${missing.join(', ')}`)
  if (files.length === 0) return failed
  const tasks = [...new Set(files.flatMap(({ results }) => Object.keys(results)))]
  const sweep = tasks.map((task) => ({ task, series: checkpointSeries(files, task) }))
  const names = nameOutputs(outputFolder(line), modelOf(files), new Date())
  const write = (file: string, text: string): void => {
    const place = names.own(`checkpoints/${file}`)
    writeOwn(place, text)
    progress.say(`Wrote ${place}`)
  }
  write('scores.csv', curvesCsv(sweep))
  for (const { task, series } of sweep) write(`${task.replace(/[^\w.-]/g, '_')}.svg`, checkpointSvg(task, series))
  const complete = revisions.filter((revision) => !missing.includes(revision))
  print(line.json ? JSON.stringify({ revisions: complete, tasks: sweep }, null, 2) : sweepTable(sweep))
  return missing.length === 0 ? 0 : failed
}

/** Called by the revision that was asked for, whatever a task's metadata says. */
function atRevision(text: string, revision: string): ResultFile {
  const file = readResultFile(parseNamed(parseLooseJson, text, revision), revision)
  return { ...file, configs: {}, whole: { model_name: file.whole['model_name'] ?? '' } }
}

function modelOf(files: readonly ResultFile[]): string {
  const name = files[0]?.whole['model_name']
  return typeof name === 'string' && name !== '' ? name : 'model'
}

function sweepTable(sweep: readonly TaskCurves[]): string {
  const rows = curveRows(sweep).map(({ task, metric, filter, revision, step, value, stderr }) => [
    task,
    filter,
    metric,
    revision,
    step === null ? '' : String(step),
    value.toFixed(4),
    stderr === null ? 'N/A' : stderr.toFixed(4),
  ])
  return tableLines(['Task', 'Filter', 'Metric', 'Revision', 'Step', 'Value', 'Stderr'], rows).join('\n')
}
