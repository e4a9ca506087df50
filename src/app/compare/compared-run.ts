/** What a comparison reads of a run: its results file, and of each doc what pairs it with the same doc of another run. */
import type { ComparedRun, ComparedSample } from '../../core/compare/compared-run.ts'
import { lineHashes } from '../../core/compare/line-hashes.ts'
import { readResultFile, type ResultFile } from '../../core/compare/result-file.ts'
import type { SampleView } from '../../core/types.ts'
import type { RunSummary } from '../run-client.ts'

/** The run as it is called `label` in messages. `samples` by task; none of a task where it has none. */
export function comparedRun(summary: RunSummary, samples: ReadonlyMap<string, readonly ComparedSample[]>, label: string): ComparedRun {
  const hasSettings = summary.resultsFile['results'] !== undefined
  return { file: hasSettings ? readResultFile(summary.resultsFile, label) : fileOfMeans(summary, label), hasSettings, samples }
}

/** The few facts of a sample that are compared, without its texts. */
export function comparedSample({ docId, filter, metrics, choices, line }: SampleView): ComparedSample {
  const { docHash, promptHash } = lineHashes(line)
  return {
    docId,
    filter,
    metrics,
    logprobs: choices.map(({ logprob }) => logprob),
    docHash: docHash || null,
    promptHash: promptHash || null,
  }
}

/** Scores that were computed from samples, in the shape of a results file. */
function fileOfMeans({ table, resultsFile }: RunSummary, label: string): ResultFile {
  const results: { [task: string]: { [key: string]: number } } = {}
  for (const { task, metric, filter, value } of table.tasks)
    if (typeof value === 'number') results[task] = { ...results[task], [`${metric},${filter}`]: value }
  return { name: label, results, configs: {}, whole: resultsFile }
}
