/** The runs of a comparison: read from this browser or from opened files, and the addresses at which they are found. */
import { comparedSample, type ComparedRun, type ComparedSample } from '../../analysis/compare/compared-run.ts'
import { runFactsOf, type RunFacts } from '../../analysis/compare/run-facts.ts'
import { checkpointSeries } from '../../analysis/compare/series/checkpoints.ts'
import { readPages } from '../../base/pages.ts'
import { openedRuns } from '../open/opened-runs.svelte.ts'
import { formatHash, runHash, type Query } from '../router.svelte.ts'
import type { RunClient } from '../run-client.ts'
import type { RunSummary } from '../../contracts/results.ts'
import { comparedRun, runLabel } from './compared-run.ts'
import type { TaskCurves } from './curves-csv.ts'
import { pause } from './in-slices.ts'

/** One run of the comparison. */
export interface Entry {
  readonly id: string
  /** A, B, … */
  readonly label: string
  /** Opened from a file: what it says is not verified. */
  readonly isOpened: boolean
  readonly facts: RunFacts
  readonly run: ComparedRun
}

/** Samples that one message brings. */
const samplesPerCall = 1000

/** The run of an id, to be called `A` at place 0 and so on; null where there are no results of it here. */
export async function readEntry(client: RunClient, id: string, place: number): Promise<Entry | null> {
  const label = runLabel(place)
  const opened = openedRuns.find(id)
  const summary = opened?.summary ?? (await client.loadResults(id))
  if (summary === null) return null
  const samples = new Map<string, readonly ComparedSample[]>()
  if (opened === null) for (const task of tasksOf(summary)) samples.set(task, await samplesOf(client, id, task))
  else
    for (const [task, views] of opened.samples) {
      samples.set(task, views.map(comparedSample))
      await pause()
    }
  const run = comparedRun(summary, samples, label)
  return { id, label, isOpened: opened !== null, facts: runFactsOf(run.file), run }
}

function samplesOf(client: RunClient, id: string, task: string): Promise<readonly ComparedSample[]> {
  return readPages((offset) => client.comparedSamplesOf(id, task, { offset, count: samplesPerCall }))
}

/** Where a run, or one doc of it, is shown. */
export function entryHash({ id, isOpened }: Pick<Entry, 'id' | 'isOpened'>, query: Query = {}): string {
  return isOpened ? formatHash('/open', { ...query, run: id }) : runHash(id, query)
}

/** The address of a comparison. */
export function compareHash(ids: readonly string[]): string {
  return formatHash('/compare', { runs: ids.join(',') })
}

/** The ids in the address's query, each once. */
export function readIds(query: Query): readonly string[] {
  return [...new Set((query['runs'] ?? '').split(',').filter((id) => id !== ''))]
}

/** Tasks that have samples; an earlier version's file doesn't list them apart from groups. */
function tasksOf({ resultsFile, table }: RunSummary): readonly string[] {
  const counted = resultsFile['n-samples']
  if (typeof counted === 'object' && counted !== null && !Array.isArray(counted)) return Object.keys(counted)
  return [...new Set(table.tasks.map(({ task }) => task))]
}

/** Curves over training steps: of every task that all runs have, where two runs at least are of one model at steps of their own. */
export function curvesOf(entries: readonly Entry[]): readonly TaskCurves[] {
  const [first] = entries
  if (first === undefined || entries.some(({ facts }) => facts.model !== first.facts.model || facts.dtype !== first.facts.dtype)) return []
  if (new Set(entries.map(({ facts }) => facts.revision)).size < Math.max(2, entries.length)) return []
  const files = entries.map(({ run, facts }) => ({
    ...run.file,
    // Called by the revision that was asked for, whatever a task's metadata says.
    configs: {},
    whole: { config: { model_args: { revision: facts.revision } } },
  }))
  const curves = Object.keys(first.run.file.results)
    .filter((task) => files.every(({ results }) => results[task] !== undefined))
    .map((task) => ({ task, series: checkpointSeries(files, task) }))
  const steps = new Set(curves[0]?.series[0]?.points.flatMap(({ step }) => step ?? []))
  return steps.size < 2 ? [] : curves
}
