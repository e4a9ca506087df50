/** A run brought to its end through any number of deaths, as a user would: reopen, resume, and look at what is there each time. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { dumpDatabase, type Dump } from './dump.ts'
import { recover } from './faults.ts'
import type { Kit } from './kit.ts'
import {
  checkAcknowledged,
  checkCalls,
  checkFiles,
  checkFilesKept,
  checkJournal,
  checkOrphans,
  checkWork,
  filesOf,
  makeReference,
  type Reference,
} from './reference.ts'
import type { End, Tab } from './tab.ts'

export interface Story {
  readonly breaches: string[]
  /** Lives that didn't end with the run's completion. */
  deaths: number
  /** From asking to reopen until the run was going on again. */
  readonly resumeMs: number[]
  readonly ends: string[]
}

/** A run that takes longer than this in one life hangs. */
const lifeDeadlineMs = 180_000
/** A run that isn't complete after so many lives never will be. */
const mostLives = 60

/** The reference of `settings` on an empty store. */
export async function runUndisturbed(kit: Kit, settings: RunSettings): Promise<Reference> {
  const tab = await kit.tab()
  await tab.call('eraseAll')
  kit.witness.forget()
  const end = await tab.run(settings)
  if (end.type !== 'done' || end.status !== 'complete') throw new Error(`the undisturbed run ended as ${JSON.stringify(end)}`)
  const dump = await dumpDatabase(tab.page)
  const runId = dump.runs[0]?.runId ?? ''
  const reference = makeReference(await filesOf(tab, runId), dump, kit.witness.computed)
  const breaches = [...kit.witness.breaches, ...checkAcknowledged(dump, kit.witness), ...checkOrphans(dump)]
  if (breaches.length > 0) throw new Error(`the undisturbed run: ${breaches.join('; ')}`)
  return reference
}

export interface Disturbance {
  /** What is kept already stays, and is shared: by default the store begins empty. */
  readonly keepsStore?: boolean
  /** Called before each life, with the tab it happens in; arms the witness or sets timers. */
  readonly prepare: (tab: Tab, life: number) => Promise<void> | void
  /** Called after each life that didn't complete the run, when the next tab is open and nothing runs; may damage things. Gives damaged keys. */
  readonly between?: (tab: Tab, dump: Dump, life: number) => Promise<readonly string[]>
  /** Faults so far: one that a run mends by itself may cost a batch, too. */
  readonly faults?: () => number
  /** Called when a life is over. */
  readonly after?: () => void
}

/** Runs `settings` from an empty store to completion and checks everything that the protocol promises. */
export async function live(kit: Kit, settings: RunSettings, reference: Reference, disturbance: Disturbance): Promise<Story> {
  const { witness } = kit
  const story: Story = { breaches: [], deaths: 0, resumeMs: [], ends: [] }
  const damaged = new Set<string>()
  let tab = await kit.tab()
  if (disturbance.keepsStore !== true) {
    await tab.call('eraseAll')
    witness.forget()
  }
  const earlier = new Set((await tab.call('listRuns')).map(({ runId }) => runId))
  const computedBefore = witness.computed.length
  let since = performance.now()
  for (let life = 1; ; life++) {
    if (life > mostLives) {
      story.breaches.push(`not complete after ${mostLives} lives; the last ended as ${story.ends.at(-1) ?? ''}`)
      break
    }
    const unfinished = await tab.unfinished()
    await disturbance.prepare(tab, life)
    const end = await oneLife(tab, unfinished?.runId ?? settings, () => {
      if (unfinished !== null) story.resumeMs.push(performance.now() - since)
    })
    witness.disarm()
    disturbance.after?.()
    await recover(kit)
    story.ends.push(describe(end))
    if (end.type === 'done' && end.status === 'complete') {
      const dump = await dumpDatabase(tab.page)
      const runId = (await tab.call('listRuns'))[0]?.runId ?? ''
      const files = await filesOf(tab, runId)
      story.breaches.push(
        ...checkFiles(files, reference),
        ...checkAcknowledged(dump, witness, damaged),
        ...checkJournal(dump, runId, reference, true),
        ...checkOrphans(dump),
        ...(await checkFilesKept(tab)),
        ...checkCalls(witness.computed.slice(computedBefore), reference),
        ...checkWork(witness.computed, reference, Math.max(story.deaths, disturbance.faults?.() ?? 0) + damaged.size),
      )
      break
    }
    if (end.type === 'done' && end.status === 'failed') {
      story.breaches.push(`ended as failed: ${end.code ?? ''} ${end.message ?? ''}`)
      break
    }
    story.deaths += 1
    since = performance.now()
    if (kit.browser() === null) await kit.settled()
    tab = await kit.tab()
    story.breaches.push(...(await checkFilesKept(tab)))
    const dump = await dumpDatabase(tab.page).catch(() => null)
    if (dump === null) continue
    story.breaches.push(
      ...checkAcknowledged(dump, witness, damaged),
      ...dump.runs.filter(({ runId }) => !earlier.has(runId)).flatMap(({ runId }) => checkJournal(dump, runId, reference, false)),
    )
    for (const key of (await disturbance.between?.(tab, dump, life)) ?? []) damaged.add(key)
    witness.forgive([...damaged])
  }
  story.breaches.push(...witness.breaches)
  return { ...story, breaches: [...new Set(story.breaches)] }
}

async function oneLife(tab: Tab, what: RunSettings | string, onStarted: () => void): Promise<End> {
  const timeout = new AbortController()
  const deadline = sleep(lifeDeadlineMs, undefined, { signal: timeout.signal }).then(
    (): End => ({ type: 'refused', code: 'hang', message: `no end within ${lifeDeadlineMs / 1000} s` }),
    (): End => ({ type: 'died' }),
  )
  try {
    return await Promise.race([tab.run(what, onStarted), deadline])
  } finally {
    timeout.abort()
  }
}

export function describe(end: End): string {
  switch (end.type) {
    case 'died':
      return 'died'
    case 'refused':
      return `refused (${end.code}: ${end.message})`
    case 'done':
      return end.code === null ? end.status : `${end.status} (${end.code}: ${end.message ?? ''})`
  }
}
