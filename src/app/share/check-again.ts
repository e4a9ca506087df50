/** Some docs of a shared result, run again on this machine, and how far they agree with what the sender reports. Pure. */
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { readFields } from '../setup/read-fields.ts'
import { defaultFields, queryToFields } from '../setup/setup-fields.ts'
import type { SharedResult } from './payload.ts'
import { answersOf } from './shared-result.ts'

/** How many docs are run again. */
export const docsAgain = 20

/**
 * The largest difference of a choice's summed log-probability, in nats, that still counts as agreement: half a hundredth for the link's
 * rounding, and what devices were seen to differ by in the self-check (`docs/decisions`), per numeric kind.
 */
function toleranceOf(dtype: string): number {
  return dtype === 'fp32' ? 0.025 : 0.5
}

/** One doc that can be run again: where the sender's answer to it lies. */
export interface DocAgain {
  readonly task: string
  readonly docId: number
  readonly pick: string
  /** Nats; null when the link doesn't hold it. */
  readonly logprob: number | null
}

/**
 * Which docs to run again: `docsAgain` of them, drawn by `random` (0 ≤ r < 1). With drawn few-shot examples each doc's examples depend on
 * how many docs came before it, as in the harness, so there the first docs of the tasks are taken.
 */
export function chooseDocs(result: SharedResult, random: () => number): readonly DocAgain[] {
  const all = result.docs.map(({ task, answers }) =>
    [...answers.picks].map((pick, index): DocAgain => ({
      task,
      docId: answers.ids?.[index] ?? index,
      pick,
      logprob: answers.logprobs === null ? null : (answers.logprobs[index] ?? 0) / 100,
    })),
  )
  if (result.tasks.some(({ nShot }) => Number(nShot) > 0)) {
    const share = Math.max(1, Math.floor(docsAgain / Math.max(1, all.length)))
    return all.flatMap((docs) => docs.slice(0, share)).slice(0, docsAgain)
  }
  const pool = all.flat()
  // Fisher and Yates, as far as needed.
  for (let at = 0; at < Math.min(docsAgain, pool.length); at++) {
    const other = at + Math.floor(random() * (pool.length - at))
    const [mine, theirs] = [pool[at], pool[other]]
    if (mine !== undefined && theirs !== undefined) [pool[at], pool[other]] = [theirs, mine]
  }
  return pool.slice(0, docsAgain)
}

/** Names of the link's arguments that would choose a model or let its code run; with any of them nothing is run again. */
export function refusedNames(result: SharedResult): readonly string[] {
  const read = readFields({ ...defaultFields(), ...queryToFields(result.query) }, [])
  return read.ok ? [] : read.problems.flatMap(({ kind, found }) => (kind === 'naming' ? [found] : []))
}

/** Settings that run just these docs at the sender's commit; null when the link's settings can't be read. Never reads kept answers. */
export function settingsAgain(result: SharedResult, docs: readonly DocAgain[]): RunSettings | null {
  const read = readFields({ ...defaultFields(), ...queryToFields(result.query) }, [])
  if (!read.ok) return null
  // Untrusted results may name a task `toString`: only a map has no names of its own.
  const byTask = new Map<string, readonly number[]>()
  for (const { task, docId } of docs)
    byTask.set(
      task,
      [...(byTask.get(task) ?? []), docId].sort((a, b) => a - b),
    )
  return {
    ...read.settings,
    model: result.model.id,
    revision: result.model.commit,
    dtype: result.model.dtype,
    device: 'auto',
    tasks: [...byTask.keys()],
    samples: Object.fromEntries(byTask),
    limit: null,
    useCache: false,
  }
}

interface Agreement {
  readonly docs: number
  readonly samePicks: number
  /** Largest difference in nats over docs with the same pick; null when nothing could be compared. */
  readonly largestDifference: number | null
  readonly tolerance: number
  readonly agrees: boolean
  readonly differing: readonly DocAgain[]
}

/** How the samples of the run again, per task, compare with the sender's answers. Docs that are missing don't count. */
export function compareAgain(docs: readonly DocAgain[], samples: ReadonlyMap<string, readonly SampleView[]>, dtype: string): Agreement {
  const tolerance = toleranceOf(dtype)
  const differing: DocAgain[] = []
  let compared = 0
  let samePicks = 0
  let largest: number | null = null
  for (const [task, views] of samples) {
    const mine = answersOf(views)
    if (mine === null) continue
    for (const doc of docs.filter((one) => one.task === task)) {
      const index = mine.ids === null ? doc.docId : mine.ids.indexOf(doc.docId)
      const pick = mine.picks[index]
      if (pick === undefined) continue
      compared += 1
      const logprob = mine.logprobs?.[index]
      const difference = doc.logprob === null || logprob === undefined ? null : Math.abs(logprob / 100 - doc.logprob)
      if (pick === doc.pick) {
        samePicks += 1
        if (difference !== null) largest = Math.max(largest ?? 0, difference)
      }
      if (pick !== doc.pick || (difference !== null && difference > tolerance)) differing.push(doc)
    }
  }
  return { docs: compared, samePicks, largestDifference: largest, tolerance, agrees: compared > 0 && differing.length === 0, differing }
}
