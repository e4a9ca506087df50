/** Runs of the embedded models held against the harness's samples of `tests/goldens/embedded`. */
import type { Page } from '@playwright/test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { projectFolder } from '../../src/cli/browser/build.ts'
import type { RunEvent } from '../../src/contracts/progress.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { callDriver, expect, isSummary, makeSettings, runToEnd } from './fixtures.ts'

/** The folder of the goldens, one folder a golden run. */
export const folder = join(projectFolder, 'tests/goldens/embedded')
/** Both graph families of the embedded model. */
export const families = ['yardstick/pico', 'yardstick/pico-gqa']

/** What is read of a results file. */
export interface Golden {
  readonly results: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly groups?: Readonly<Record<string, unknown>>
}

interface SampleRow {
  readonly doc_id: number
  readonly doc_hash: string
  readonly prompt_hash: string
  readonly target_hash: string
  readonly target: string
  readonly metrics: readonly string[]
  readonly resps: readonly (readonly (string | readonly string[])[])[]
  readonly [metric: string]: unknown
}

function parseLines(text: string): SampleRow[] {
  // Written by the harness or by the page; every field read below is compared.
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as SampleRow)
}

/** The results file of a golden run. */
export const readGolden = (id: string): Golden => JSON.parse(readFileSync(join(folder, id, 'results.json'), 'utf8')) as Golden

/** The harness's samples of a task. */
export function readSamples(id: string, task: string): SampleRow[] {
  return parseLines(gunzipSync(readFileSync(join(folder, id, `samples_${task}.jsonl.gz`))).toString('utf8'))
}

/** The tasks of a golden run. */
export const tasksOf = (id: string): string[] =>
  readdirSync(join(folder, id)).flatMap((name) => /^samples_(.+)\.jsonl\.gz$/.exec(name)?.[1] ?? [])

/** A finished run's samples of a task, of any number. */
export async function samplesOf(page: Page, runId: string, task: string): Promise<SampleRow[]> {
  const lines: string[] = []
  for (let offset = 0; ;) {
    const part = await callDriver(
      page,
      'sampleLines',
      [runId, task, offset, 500],
      (value): value is { readonly text: string; readonly next: number; readonly total: number } =>
        typeof value === 'object' && value !== null && 'text' in value,
    )
    lines.push(part.text)
    offset = part.next
    if (offset >= part.total || part.text === '') return parseLines(lines.join(''))
  }
}

/** Log-probabilities of a sample's requests: `["-1.5", "False"]` or, of a rolling request, `"-1.5"`. */
export const logprobsOf = (row: SampleRow): number[] =>
  row.resps.flat().map((response) => Number(typeof response === 'string' ? response : response[0]))

/** Largest log-probability difference; everything that isn't a float is compared for equality. */
export function compareSamples(found: readonly SampleRow[], wanted: readonly SampleRow[], mayFlip: number): number {
  let largest = 0
  const differing: string[] = []
  expect(found.length).toBeGreaterThan(0)
  for (const row of found) {
    const golden = wanted.find((one) => one.doc_id === row.doc_id)
    if (golden === undefined) throw new Error(`no golden for doc ${row.doc_id}`)
    expect([row.doc_hash, row.prompt_hash, row.target_hash, row.target, row.metrics]).toEqual([
      golden.doc_hash,
      golden.prompt_hash,
      golden.target_hash,
      golden.target,
      golden.metrics,
    ])
    const [own, theirs] = [logprobsOf(row), logprobsOf(golden)]
    expect(own.length).toBe(theirs.length)
    own.forEach((logprob, index) => {
      largest = Math.max(largest, Math.abs(logprob - (theirs[index] ?? NaN)))
    })
    for (const metric of row.metrics) {
      const isNumber = typeof row[metric] === 'number'
      if (isNumber && row[metric] !== golden[metric])
        differing.push(`doc ${row.doc_id} ${metric}: ${String(row[metric])}, golden ${String(golden[metric])}`)
    }
  }
  expect(differing.slice(mayFlip)).toEqual([])
  return largest
}

/** A whole golden run on the page: the largest difference of a log-probability in nats, and its results. */
export async function runGolden(
  page: Page,
  events: RunEvent[],
  id: string,
  changes: Partial<RunSettings> & Pick<RunSettings, 'model' | 'tasks'>,
) {
  const { runId, error, progress } = await runToEnd(page, events, makeSettings({ limit: null, ...changes }))
  expect(error).toBeNull()
  const largest: number[] = []
  for (const task of tasksOf(id)) largest.push(compareSamples(await samplesOf(page, runId, task), readSamples(id, task), 0))
  const { resultsFile } = await callDriver(page, 'loadResults', [runId], isSummary)
  return { largest: Math.max(...largest), resultsFile: resultsFile as unknown as Golden, runs: progress?.runs ?? 0 }
}

/** Runs a task that writes texts and holds every response, filtered response and metric against the harness's. */
export async function compareTexts(
  page: Page,
  events: RunEvent[],
  id: string,
  changes: Partial<RunSettings> & Pick<RunSettings, 'model'>,
): Promise<readonly RunEvent[]> {
  const tasks = tasksOf(id)
  const run = await runToEnd(page, events, makeSettings({ limit: null, dtype: 'fp32', useCache: false, tasks, ...changes }))
  expect(run.error).toBeNull()
  for (const task of tasks) {
    const wanted = readSamples(id, task).filter(({ doc_id: doc }) => doc < (changes.limit ?? Infinity))
    const found = await samplesOf(page, run.runId, task)
    expect(found.length).toBeGreaterThan(0)
    expect(found).toEqual(wanted)
  }
  return run.events
}
