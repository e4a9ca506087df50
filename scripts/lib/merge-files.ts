/** `npm run eval -- merge A B …`: shards of a run as the files of the whole run. No browser is needed. */
import { openFiles } from '../../src/app/open/open-files.ts'
import { parseTypedJson } from '../../src/app/open/loose-json.ts'
import { shardAgreements, shardFilesOf } from '../../src/app/open/merge-opened.ts'
import type { OpenedRun } from '../../src/app/open/opened-run.ts'
import { append } from '../../src/core/arrays.ts'
import { isDict, str } from '../../src/core/python/value.ts'
import { resultsText } from '../../src/core/results.ts'
import { mergeShards } from '../../src/core/shards/merge.ts'
import { renderTable } from '../../src/core/table.ts'
import { agreementLines, listed } from './agreement-text.ts'
import { UsageError } from './args.ts'
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
