/** What a comparison reads of a run: its results file, and of each doc what pairs it with the same doc of another run. */
import type { ComparedRun, ComparedSample } from '../../core/compare/compared-run.ts'
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
  return { docId, filter, metrics, logprobs: choices.map(({ logprob }) => logprob), ...hashesOf(line) }
}

/** Scores that were computed from samples, in the shape of a results file. */
function fileOfMeans({ table, resultsFile }: RunSummary, label: string): ResultFile {
  const results: { [task: string]: { [key: string]: number } } = {}
  for (const { task, metric, filter, value } of table.tasks)
    if (typeof value === 'number') results[task] = { ...results[task], [`${metric},${filter}`]: value }
  return { name: label, results, configs: {}, whole: resultsFile }
}

/** The harness writes them behind the doc, whose own text may hold such keys too. */
function hashesOf(line: string): Pick<ComparedSample, 'docHash' | 'promptHash'> {
  const at = line.lastIndexOf('"doc_hash"')
  const found =
    at < 0 ? null : /^"doc_hash"\s*:\s*"([0-9a-f]{64})"(?:,\s*"prompt_hash"\s*:\s*"([0-9a-f]{64})")?/.exec(line.slice(at, at + 250))
  return { docHash: found?.[1] ?? null, promptHash: found?.[2] ?? null }
}
