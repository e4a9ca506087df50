/** What a comparison reads of a run: its results file, and of each doc what pairs it with the same doc of another run. */
import type { ComparedRun, ComparedSample } from '../../analysis/compare/compared-run.ts'
import { readResultFile, type ResultFile } from '../../analysis/compare/result-file.ts'
import type { RunSummary } from '../../contracts/results.ts'

/** The run as it is called `label` in messages. `samples` by task; none of a task where it has none. */
export function comparedRun(summary: RunSummary, samples: ReadonlyMap<string, readonly ComparedSample[]>, label: string): ComparedRun {
  const hasSettings = summary.resultsFile['results'] !== undefined
  return { file: hasSettings ? readResultFile(summary.resultsFile, label) : fileOfMeans(summary, label), hasSettings, samples }
}

/** Scores that were computed from samples, in the shape of a results file. */
function fileOfMeans({ table, resultsFile }: RunSummary, label: string): ResultFile {
  const results: { [task: string]: { [key: string]: number } } = {}
  for (const { task, metric, filter, value } of table.tasks)
    if (typeof value === 'number') results[task] = { ...results[task], [`${metric},${filter}`]: value }
  return { name: label, results, configs: {}, whole: resultsFile }
}

/** What the run at a place of the list is called: A, B, … */
export function runLabel(index: number): string {
  return index < 26 ? String.fromCharCode(65 + index) : `R${index + 1}`
}
