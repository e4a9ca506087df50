/** What an uninterrupted run gives, and how a killed and resumed one is held against it. */
import { createHash } from 'node:crypto'
import type { Dump } from './dump.ts'
import type { Tab } from './tab.ts'
import type { Computation, Witness } from './witness.ts'

/** A run's files as text, without what may differ: date and times. */
export interface Files {
  readonly results: string
  readonly samples: { readonly [task: string]: string }
}

export interface Reference {
  readonly files: Files
  readonly digest: string
  /** Keys of each planned batch. */
  readonly batches: ReadonlyMap<number, readonly string[]>
  /** Engine calls, as sets of items. */
  readonly calls: readonly (readonly string[])[]
  readonly items: number
}

/** Most items that one kill may cost: a batch that was computed and not acknowledged, and the one that was being computed meanwhile. */
export const atRiskItems = 16

export async function filesOf(tab: Tab, runId: string): Promise<Files> {
  const summary = await tab.call('loadResults', runId)
  if (summary === null) throw new Error(`run ${runId} has no results`)
  const timed = /^ {2}"(date|start_time|end_time|total_evaluation_time_seconds)": .*$/gm
  const samples: { [task: string]: string } = {}
  const configs = summary.resultsFile['configs']
  for (const task of Object.keys(typeof configs === 'object' && configs !== null ? configs : {})) {
    let text = ''
    for (let from = 0, total = 1; from < total;) {
      const part = await tab.call('sampleLines', runId, task, from, 500)
      text += part.text
      from = part.next
      total = part.total
    }
    samples[task] = text
  }
  return { results: summary.resultsText.replaceAll(timed, ''), samples }
}

export function digestOf(files: Files): string {
  return createHash('sha256').update(JSON.stringify(files)).digest('hex')
}

/** The reference from a run that nothing disturbed, and from what the witness saw of it. */
export function makeReference(files: Files, dump: Dump, computed: readonly Computation[]): Reference {
  if (Object.keys(files.samples).length === 0 || Object.values(files.samples).some((text) => text === '')) throw new Error('no samples')
  return {
    files,
    digest: digestOf(files),
    batches: new Map(dump.journal.map(({ planIndex, keys }) => [planIndex, keys])),
    calls: computed.map(({ items }) => items),
    items: computed.reduce((sum, { items }) => sum + items.length, 0),
  }
}

/** What has been acknowledged must be there, unchanged. `damaged` keys were destroyed by the test itself. */
export function checkAcknowledged(dump: Dump, witness: Witness, damaged: ReadonlySet<string> = new Set()): string[] {
  const breaches: string[] = []
  for (const { planIndex, entries, conflicts } of witness.acked) {
    for (const { key, logprobs } of entries) {
      if (damaged.has(key) || conflicts.includes(key)) continue
      const kept = dump.responses[key]
      if (kept === undefined) breaches.push(`lost: an acknowledged answer of batch ${planIndex} (${key.slice(0, 12)})`)
      else if (JSON.stringify(kept) !== JSON.stringify(logprobs))
        breaches.push(`changed: an acknowledged answer of batch ${planIndex} (${key.slice(0, 12)})`)
    }
  }
  return breaches
}

/** The journal holds no batch twice, and none with other answers than planned; when the run is complete, every batch. */
export function checkJournal(dump: Dump, runId: string, reference: Reference, isComplete: boolean): string[] {
  const breaches: string[] = []
  const seen = new Set<number>()
  for (const { planIndex, keys } of dump.journal.filter((entry) => entry.runId === runId)) {
    if (seen.has(planIndex)) breaches.push(`journalled twice: batch ${planIndex}`)
    seen.add(planIndex)
    const planned = reference.batches.get(planIndex)
    if (planned === undefined) breaches.push(`journalled though never planned: batch ${planIndex}`)
    else if (!keys.every((key) => planned.includes(key))) breaches.push(`journalled with answers of other batches: batch ${planIndex}`)
  }
  if (isComplete) {
    const missing = [...reference.batches.keys()].filter((planIndex) => !seen.has(planIndex))
    if (missing.length > 0) breaches.push(`never journalled: batches ${missing.join(', ')}`)
  }
  return breaches
}

/** Every kept answer belongs to a batch that was committed. */
export function checkOrphans(dump: Dump): string[] {
  const journalled = new Set(dump.journal.flatMap(({ keys }) => keys))
  const orphans = Object.keys(dump.responses).filter((key) => !journalled.has(key))
  return orphans.length === 0 ? [] : [`${orphans.length} kept answers belong to no committed batch`]
}

/** An engine call holds items of one planned batch, all or some: batches are never packed anew. */
export function checkCalls(computed: readonly Computation[], reference: Reference): string[] {
  const planned = reference.calls.map((items) => new Set(items))
  const strange = computed.filter(({ items }) => !planned.some((batch) => items.every((item) => batch.has(item))))
  return strange.length === 0 ? [] : [`${strange.length} engine calls hold items of different planned batches`]
}

/** Work done at most: everything once, and a batch for each kill. */
export function checkWork(computed: readonly Computation[], reference: Reference, kills: number): string[] {
  const work = computed.reduce((sum, { items }) => sum + items.length, 0)
  const limit = reference.items + kills * atRiskItems
  return work <= limit ? [] : [`${work} items computed, at most ${limit} expected (${reference.items} + ${kills} kills)`]
}

export function checkFiles(files: Files, reference: Reference): string[] {
  if (digestOf(files) === reference.digest) return []
  const differing = [
    ...(files.results === reference.files.results ? [] : ['the results file']),
    ...Object.keys(reference.files.samples)
      .filter((task) => files.samples[task] !== reference.files.samples[task])
      .map((task) => `samples of ${task}`),
  ]
  return [`differs from the uninterrupted run: ${differing.join(', ')}`]
}

/** A downloaded file counts as whole only when every byte of it is as its repository lists it. */
export async function checkFilesKept(tab: Tab): Promise<string[]> {
  const { files } = await tab.call('storageReport')
  const whole = files.filter(({ isComplete }) => isComplete).map(({ key }) => key)
  const verdicts = await tab.call('verifyFiles', whole)
  return verdicts.filter(({ isIntact }) => !isIntact).map(({ key }) => `counts as downloaded and isn't: ${key}`)
}
