/** `npm run eval -- import FOLDER` of an exported folder: what came back against what was expected, and beside the browser's own run. */
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expectedFile, readExpected } from '../../analysis/cluster/expected.ts'
import { browserFolder, returnedFolder } from '../../analysis/cluster/folder.ts'
import { judgeReturned, type ReturnedTask } from '../../analysis/cluster/returned.ts'
import { sampleAgreement, type SampleAgreement } from '../../analysis/compare/agreement/sample-agreement.ts'
import { openFiles } from '../../app/open/open-files.ts'
import type { OpenedRun } from '../../app/open/opened-run.ts'
import { append } from '../../base/arrays.ts'
import type { Json } from '../../base/errors.ts'
import { UsageError } from '../flags/flag-values.ts'
import { agreementLines, listed } from '../output/agreement-text.ts'
import { filesOf, type Output } from './import-files.ts'

/** True for a folder that `export` made. */
export function isExported(path: string, from: string): boolean {
  return existsSync(join(resolve(from, path), expectedFile))
}

/** Prints the verdict of every task, and gives 0 when all are green. Throws UsageError while nothing has come back, and `results/invalid`. */
export async function importReturned(path: string, { from, json, say, print }: Output): Promise<number> {
  const folder = resolve(from, path)
  // JSON.parse gives nothing but Json.
  const expected = readExpected(JSON.parse(readFileSync(join(folder, expectedFile), 'utf8')) as Json, expectedFile)
  const came = await newestRun(join(folder, returnedFolder))
  if (came === null)
    throw new UsageError(`${path} has no results yet: one of the commands of its README.md writes them to ${returnedFolder}/`)
  const own = await newestRun(join(folder, browserFolder))
  say(`${came.files[0] ?? ''}; reported by whoever made it, not verified.`)
  const tasks = judgeReturned(expected, came.samples)
  const agreements = own === null ? [] : [...own.samples].map(([task, views]) => sampleAgreement(task, views, came.samples.get(task) ?? []))
  if (json) print(JSON.stringify({ tasks, agreements, scores: scoresOf(own, came) }, null, 2))
  else {
    print(came.summary.tableText.trimEnd())
    for (const text of [...tasks.map(verdictLine), ...beside(own, came, agreements)]) print(text)
  }
  return tasks.every(({ verdict }) => verdict === 'green') ? 0 : 1
}

/** The run whose results are newest by their file's name, which holds the time. */
async function newestRun(folder: string): Promise<OpenedRun | null> {
  if (!existsSync(folder)) return null
  const groups = filesOf(folder, '/')
  let next = 0
  const runs: OpenedRun[] = []
  for (const files of groups) append(runs, await openFiles(files, () => `returned-${(next += 1)}`))
  return runs.toSorted((a, b) => (dateOf(a) < dateOf(b) ? -1 : 1)).at(-1) ?? null
}

function dateOf({ files }: OpenedRun): string {
  return /results_([^/]+)\.json$/.exec(files.find((name) => /results_[^/]+\.json$/.test(name)) ?? '')?.[1] ?? ''
}

function verdictLine(task: ReturnedTask): string {
  const { verdict, expected, agree, missing, otherDocs, otherPrompts, otherTargets, unexpected } = task
  const differs: readonly (readonly [string, readonly number[]])[] = [
    ['docs are missing', missing],
    ['docs differ', otherDocs],
    ['prompts differ', otherPrompts],
    ['targets differ', otherTargets],
    ['docs were not asked for', unexpected],
  ]
  const details = differs.flatMap(([what, ids]) => (ids.length === 0 ? [] : [`${ids.length} ${what}${listed(ids)}`]))
  return `${task.task}: ${verdict}, doc, prompt and target of ${agree} of ${expected} docs as expected${details.length === 0 ? '' : `; ${details.join('; ')}`}.`
}

interface ScorePair {
  readonly task: string
  readonly metric: string
  readonly filter: string
  readonly here: number
  readonly there: number
}

function scoresOf(own: OpenedRun | null, came: OpenedRun): readonly ScorePair[] {
  return (own?.summary.table.tasks ?? []).flatMap(({ task, metric, filter, value: here }) => {
    const there = came.summary.table.tasks.find((row) => row.task === task && row.metric === metric && row.filter === filter)?.value
    return typeof here === 'number' && typeof there === 'number' ? [{ task, metric, filter, here, there }] : []
  })
}

function beside(own: OpenedRun | null, came: OpenedRun, agreements: readonly SampleAgreement[]): readonly string[] {
  if (own === null) return [`${browserFolder}/ holds no run of the browser's, so nothing stands beside these scores.`]
  const scores = scoresOf(own, came)
  const apart = scores.filter(({ here, there }) => here !== there)
  return [
    'Beside the browser’s run:',
    ...agreements.flatMap(agreementLines),
    `${scores.length - apart.length} of ${scores.length} scores are the same.`,
    ...apart.map(({ task, metric, filter, here, there }) => `${task}, ${metric} (${filter}): ${here} in the browser, ${there} there.`),
  ]
}
