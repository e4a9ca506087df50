/** `--revision a,b,c`: one run after the other over the checkpoints of a model, then their scores together: a table, a CSV file, curves. */
import { curveRows, curvesCsv, type TaskCurves } from '../../src/app/compare/curves-csv.ts'
import { parseLooseJson, parseNamed } from '../../src/app/open/loose-json.ts'
import { checkpointSvg } from '../../src/core/compare/checkpoint-svg.ts'
import { checkpointSeries } from '../../src/core/compare/checkpoints.ts'
import { readResultFile, type ResultFile } from '../../src/core/compare/result-file.ts'
import { UsageError, type CommandLine } from './args.ts'
import type { Progress } from './progress.ts'
import { nameOutputs, outputFolder, writeOwn } from './result-files.ts'
import type { RunExtras } from './run-evaluation.ts'
import { tableLines } from './text-table.ts'

/** Runs one command line; prints its results file where `json` is set, and gives the exit code. */
export type Evaluate = (line: CommandLine, progress: Progress, print: (text: string) => void, extras?: RunExtras) => Promise<number>

/** The revisions of a sweep; null for none or one. Throws UsageError for one that is named twice. */
export function sweptRevisions({ revision }: CommandLine): readonly string[] | null {
  return revision?.includes(',') ? namesOnce(revision, 'revision') : null
}

/** The names in a flag's list. Throws UsageError for one that stands there twice. */
export function namesOnce(list: string, flag: string): readonly string[] {
  const names = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new UsageError(`--${flag} names ${JSON.stringify(twice)} twice`)
  return names
}

/** Stops at the first run that isn't complete, with its exit code; what ran before has its files. */
export async function runSweep(
  line: CommandLine,
  revisions: readonly string[],
  progress: Progress,
  print: (text: string) => void,
  evaluate: Evaluate,
): Promise<number> {
  if (line.resume !== false) throw new UsageError('--resume goes on with one run: give one --revision with it')
  const files: ResultFile[] = []
  for (const [index, revision] of revisions.entries()) {
    progress.say(`Revision ${revision} (${index + 1} of ${revisions.length})`)
    const texts: string[] = []
    const code = await evaluate({ ...line, revision, json: true }, progress, (text) => texts.push(text))
    if (code !== 0) return code
    files.push(atRevision(texts.join('\n'), revision))
  }
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
  print(line.json ? JSON.stringify({ revisions, tasks: sweep }, null, 2) : sweepTable(sweep))
  return 0
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
