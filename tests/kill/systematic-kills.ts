/** SQLite's way: the 1st, 2nd, … occurrence of every fail point, until none is left. */
import { rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FailPoint } from '../../src/base/fail-point.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { dumpDatabase } from './dump.ts'
import type { Kit } from './kit.ts'
import { live } from './lives.ts'
import { checkFilesKept, type Reference } from './reference.ts'
import type { Tab } from './tab.ts'
import { keptModel, killSettings } from './task.ts'

/** Docs a task in these runs: three batches. */
export const systematicDocs = 8

/** A short run of a model that is downloaded first. */
export function smallSettings(kit: Kit): RunSettings {
  return killSettings(kit.witness.address, systematicDocs, { model: keptModel })
}

export interface PointOutcome {
  readonly point: FailPoint
  readonly occurrences: number
  readonly breaches: readonly string[]
}

/** Kills at each occurrence of `point` up to `most`; each time the run must come to the reference's files. */
export async function killAt(kit: Kit, reference: Reference, point: FailPoint, most: number): Promise<PointOutcome> {
  kit.witness.habits = { msPerBatch: 1, isNoisy: false }
  const breaches: string[] = []
  let occurrences = 0
  for (let occurrence = 1; occurrence <= most; occurrence++) {
    const outcome = await killOnce(kit, reference, point, occurrence)
    breaches.push(...outcome.breaches.map((breach) => `${point} #${occurrence}: ${breach}`))
    if (!outcome.hasHappened || breaches.length > 0) break
    occurrences += 1
  }
  if (occurrences === 0) breaches.push(`${point}: never passed`)
  return { point, occurrences, breaches }
}

/** Points that one run passes, in an order in which each can be its own life's end. */
const pointsOfOneRun: readonly FailPoint[] = [
  ...(['mid-create', 'after-create', 'epoch-bump', 'after-epoch-bump', 'after-recall', 'before-compute', 'before-tx'] as const),
  ...([
    'after-put',
    'before-complete',
    'after-complete-before-ack',
    'before-finalise',
    'mid-finalise',
    'after-results',
    'mid-finish',
  ] as const),
]

/** One run that dies once at each of its fail points, in as many lives: the short form of `killAt` over all of them. */
export async function killAtEachOnce(
  kit: Kit,
  reference: Reference,
): Promise<{ readonly kills: number; readonly breaches: readonly string[] }> {
  kit.witness.habits = { msPerBatch: 1, isNoisy: false }
  const left = [...pointsOfOneRun]
  const story = await live(kit, smallSettings(kit), reference, {
    prepare: () => {
      const point = left.shift()
      if (point !== undefined) kit.witness.arm(point, 1, () => kit.kill())
    },
  })
  const kills = story.deaths
  const missed = kills === pointsOfOneRun.length ? [] : [`${kills} kills at ${pointsOfOneRun.length} fail points`]
  return { kills, breaches: [...story.breaches, ...missed] }
}

interface OnceOutcome {
  readonly hasHappened: boolean
  readonly breaches: readonly string[]
}

async function killOnce(kit: Kit, reference: Reference, point: FailPoint, occurrence: number): Promise<OnceOutcome> {
  switch (point) {
    case 'during-upgrade':
      return killWhileOpening(kit, reference, occurrence)
    case 'mid-delete':
    case 'mid-erase':
      return killWhileRemoving(kit, point, occurrence)
    case 'mid-removal':
      return killWhileFreeing(kit, reference, occurrence)
    default:
      return killWhileRunning(kit, reference, point, occurrence)
  }
}

async function killWhileRunning(kit: Kit, reference: Reference, point: FailPoint, occurrence: number): Promise<OnceOutcome> {
  let hasHappened = false
  const strike = (): void => {
    hasHappened = true
    kit.kill()
  }
  const story = await live(kit, smallSettings(kit), reference, {
    prepare: async (_tab, life) => {
      if (point === 'mid-quarantine') {
        // First a kill with a batch kept, then one record of it damaged, then the kill while that is set aside.
        if (life === 1) kit.witness.arm('before-compute', 2, () => kit.kill())
        if (life === 2) kit.witness.arm(point, occurrence, strike)
        return
      }
      // A commit is a checkpoint when the last one is 5 s old.
      if (point === 'mid-checkpoint' && life === 1) await sleep(5_500)
      if (life === 1) kit.witness.arm(point, occurrence, strike)
    },
    between: async (tab, dump, life) => {
      if (point !== 'mid-quarantine' || life !== 1) return []
      // A record holds a batch: all of its answers go with one of them.
      const keys = dump.journal[0]?.keys ?? []
      await damageAnswers(tab, keys.slice(0, 1))
      return keys
    },
  })
  return { hasHappened, breaches: story.breaches }
}

/** Changes bits of kept answers behind the app's back, so that their checksums fail. */
export async function damageAnswers(tab: Tab, keys: readonly string[]): Promise<void> {
  await tab.page.evaluate(async (wanted) => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error ?? new Error('a request failed'))
      })
    const db = await settled(indexedDB.open('yardstick'))
    const store = db.transaction('answers', 'readwrite').objectStore('answers')
    for (const key of wanted) {
      const primary = await settled(store.index('keys').getKey(key))
      const row = (await settled(store.index('keys').get(key))) as { packed: Uint8Array }
      row.packed[12] = (row.packed[12] ?? 0) ^ 1
      await settled(store.put(row, primary))
    }
    db.close()
  }, keys)
}

async function killWhileOpening(kit: Kit, reference: Reference, occurrence: number): Promise<OnceOutcome> {
  const browser = kit.browser()
  await browser?.quit()
  await kit.settled()
  rmSync(kit.profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  let hasHappened = false
  const tab = await kit.tab()
  kit.witness.arm('during-upgrade', occurrence, () => {
    hasHappened = true
    kit.kill()
  })
  await tab.call('listRuns').catch(() => undefined)
  kit.witness.disarm()
  if (!hasHappened) return { hasHappened, breaches: [] }
  await kit.settled()
  const story = await live(kit, smallSettings(kit), reference, { prepare: () => undefined })
  return { hasHappened, breaches: story.breaches }
}

/** A removal that is cut off has happened wholly or not at all. */
async function killWhileRemoving(kit: Kit, point: 'mid-delete' | 'mid-erase', occurrence: number): Promise<OnceOutcome> {
  let tab = await kit.tab()
  await tab.call('eraseAll')
  kit.witness.forget()
  await tab.run(smallSettings(kit))
  const before = await dumpDatabase(tab.page)
  let hasHappened = false
  kit.witness.arm(point, occurrence, () => {
    hasHappened = true
    kit.kill()
  })
  const runId = before.runs[0]?.runId ?? ''
  await (point === 'mid-delete' ? tab.call('deleteRun', runId) : tab.call('eraseAll')).catch(() => undefined)
  kit.witness.disarm()
  if (!hasHappened) return { hasHappened, breaches: [] }
  await kit.settled()
  tab = await kit.tab()
  const after = await dumpDatabase(tab.page)
  const same = JSON.stringify(after) === JSON.stringify(before)
  const gone = after.runs.length === 0 && after.journal.length === 0
  return { hasHappened, breaches: same || gone ? [] : [`half removed: ${after.runs.length} runs, ${after.journal.length} journal entries`] }
}

/** Files whose removal is cut off don't count as whole; a run fetches them anew. */
async function killWhileFreeing(kit: Kit, reference: Reference, occurrence: number): Promise<OnceOutcome> {
  const tab = await kit.tab()
  await tab.call('eraseAll')
  kit.witness.forget()
  await tab.run(smallSettings(kit))
  const { files } = await tab.call('storageReport')
  let hasHappened = false
  kit.witness.arm('mid-removal', occurrence, () => {
    hasHappened = true
    kit.kill()
  })
  await tab
    .call(
      'deleteFiles',
      files.map(({ key }) => key),
    )
    .catch(() => undefined)
  kit.witness.disarm()
  if (!hasHappened) return { hasHappened, breaches: [] }
  await kit.settled()
  const breaches = await checkFilesKept(await kit.tab())
  const story = await live(kit, smallSettings(kit), reference, { prepare: () => undefined })
  return { hasHappened, breaches: [...breaches, ...story.breaches] }
}
