/** `npm run eval -- merge A B …`: shards of a run as the files of the whole run. No browser is needed. */
import { mergeShards } from '../../analysis/shards/merge.ts'
import { parseTypedJson } from '../../app/open/loose-json.ts'
import { shardAgreements, shardFilesOf } from '../../app/open/merge-opened.ts'
import { openFiles } from '../../app/open/open-files.ts'
import type { OpenedRun } from '../../app/open/opened-run.ts'
import { append } from '../../base/arrays.ts'
import { resultsText } from '../../harness/results/results-file.ts'
import { renderTable } from '../../harness/results/table.ts'
import { isDict, str } from '../../python/value.ts'
import { UsageError } from '../flags/flag-values.ts'
import { agreementLines, listed } from '../output/agreement-text.ts'
import { filesOf, type Output } from './import-files.ts'
import { nameOutputs, outputFolder, writeOwn, writeResults } from './result-files.ts'

/** Writes the whole run's files when no doc is missing; gives 1 otherwise, and says which. Throws UsageError and `results/invalid`. */
export async function mergeFiles(
  paths: readonly string[],
  { output: { from, json, say, print }, outputPath }: { readonly output: Output; readonly outputPath: string | null },
): Promise<number> {
  if (paths.length === 0) throw new UsageError('merge wants the results of shards: folders, or results_*.json files with their samples')
  let next = 0
  const runs: OpenedRun[] = []
  for (const path of paths) for (const files of filesOf(path, from)) append(runs, await openFiles(files, () => `shard-${(next += 1)}`))
  const merged = mergeShards(runs.map((run) => shardFilesOf(run)))
  const agreements = shardAgreements(runs)
  for (const { left, right, tasks } of agreements) {
    say(`Docs that both ${left} and ${right} asked:`)
    for (const agreement of tasks) for (const text of agreementLines(agreement)) say(`  ${text}`)
  }
  if (merged.results === null) {
    for (const index of merged.missingShards) say(`Shard ${index} is missing.`)
    for (const { task, docs } of merged.missing) say(`${task}: ${docs.length} docs are missing${listed(docs)}.`)
    if (json) print(JSON.stringify({ missingShards: merged.missingShards, missing: merged.missing, agreements }, null, 2))
    return 1
  }
  const names = nameOutputs(outputFolder({ outputPath }, from), str(merged.results.get('model_name') ?? 'model'), new Date())
  const text = resultsText(merged.results)
  writeResults(names, text)
  for (const [task, lines] of merged.samples) writeOwn(names.samples(task), lines.map((line) => `${line}\n`).join(''))
  say(`Wrote ${names.results} and its samples, out of ${runs.length} shards`)
  const whole = parseTypedJson(text)
  print(json ? text : isDict(whole) ? renderTable(whole).trimEnd() : '')
  return 0
}
