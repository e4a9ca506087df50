/** Opened runs that are shards of one: what merging them needs, and how docs that several asked agree. */
import { sampleAgreement, type SampleAgreement } from '../../analysis/compare/agreement/sample-agreement.ts'
import { mergeShards, type MissingDocs, type ShardFiles } from '../../analysis/shards/merge.ts'
import { readShardBlock } from '../../analysis/shards/shard-block.ts'
import { EvalError } from '../../base/errors.ts'
import { sanitizeModelName } from '../../harness/results/file-names.ts'
import { resultsText } from '../../harness/results/results-file.ts'
import { isDict, type PyDict } from '../../python/value.ts'
import { parseNamed, parseTypedJson } from './loose-json.ts'
import type { OpenedRun } from './opened-run.ts'
import type { NamedFile } from './read-lines.ts'

/** The opened run as `mergeShards` takes it. Throws `results/invalid`. */
export function shardFilesOf({ files, summary, samples }: OpenedRun): ShardFiles {
  const name = files[0] ?? ''
  return {
    name,
    results: parseDict(summary.resultsText, name),
    samples: new Map(
      [...samples].map(([task, views]) => [
        task,
        views.map(({ line }) => ({ text: line, row: parseDict(line, `${name}, samples of ${task}`) })),
      ]),
    ),
  }
}

/** True for the results of a shard. */
export function isShard({ files, summary }: OpenedRun): boolean {
  return readShardBlock(parseDict(summary.resultsText, files[0] ?? '')) !== null
}

export interface ShardAgreement {
  /** Names of the first files. */
  readonly left: string
  readonly right: string
  readonly tasks: readonly SampleAgreement[]
}

/** Every pair of shards that asked the same docs, over those docs alone. */
export function shardAgreements(runs: readonly OpenedRun[]): readonly ShardAgreement[] {
  return runs.flatMap((left, at) =>
    runs.slice(at + 1).flatMap((right): readonly ShardAgreement[] => {
      const tasks = [...left.samples]
        .map(([task, views]) => sampleAgreement(task, views, right.samples.get(task) ?? []))
        .filter(({ docs }) => docs > 0)
      return tasks.length === 0 ? [] : [{ left: left.files[0] ?? '', right: right.files[0] ?? '', tasks }]
    }),
  )
}

function parseDict(text: string, where: string): PyDict {
  const value = parseNamed(parseTypedJson, text, where)
  if (isDict(value)) return value
  throw new EvalError('results/invalid', `${where}: wanted a JSON object.`)
}

export interface MergedParts {
  /** Results and samples of the whole run, ready to be opened; empty while docs are missing. */
  readonly files: readonly NamedFile[]
  readonly missingShards: readonly number[]
  readonly missing: readonly MissingDocs[]
  readonly agreements: readonly ShardAgreement[]
}

/** Merges opened shards into the files of the whole run. Throws as `mergeShards`. */
export function mergeOpened(runs: readonly OpenedRun[]): MergedParts {
  const { results, samples, missing, missingShards } = mergeShards(runs.map(shardFilesOf))
  const agreements = shardAgreements(runs)
  if (results === null) return { files: [], missing, missingShards, agreements }
  const blobs = [...samples].map(([task, lines]) => ({
    name: `samples_${sanitizeModelName(task)}.jsonl`,
    file: new Blob(lines.map((line) => `${line}\n`)),
  }))
  return { files: [{ name: 'results_merged.json', file: new Blob([resultsText(results)]) }, ...blobs], missing, missingShards, agreements }
}
