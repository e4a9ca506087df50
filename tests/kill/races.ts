/** What two tabs, and two runs over the same questions, may do to each other. */
import { setTimeout as sleep } from 'node:timers/promises'
import { dumpDatabase } from './dump.ts'
import type { Kit } from './kit.ts'
import { describe, live } from './lives.ts'
import { checkAcknowledged, checkFiles, checkJournal, checkOrphans, filesOf, type Reference } from './reference.ts'
import { openTab } from './tab.ts'
import { killSettings } from './task.ts'

/**
 * Two runs over the same questions in two tabs at once, on an engine that gives other numbers in each: what the one has acknowledged, the
 * other may not change; and each run's files must be what the store holds, so that a third run that computes nothing gives the same.
 */
export async function raceTwoRuns(kit: Kit): Promise<string[]> {
  const first = await kit.tab()
  await first.call('eraseAll')
  kit.witness.forget()
  kit.witness.habits = { msPerBatch: 10, isNoisy: true }
  const browser = kit.browser()
  if (browser === null) throw new Error('the browser has gone')
  const second = await openTab(browser.context, kit.witness.address)
  const settings = killSettings(kit.witness.address, 30)
  // Neither may begin before the other has looked at what is kept, or the second would compute nothing.
  let go: () => void = () => undefined
  kit.witness.arm('after-recall', 1, async () => {
    kit.witness.arm('after-recall', 1, () => {
      go()
    })
    await new Promise<void>((both) => {
      go = both
    })
  })
  const ends = await Promise.all([first.run(settings), second.run(settings)])
  const breaches = ends
    .filter((end) => end.type !== 'done' || end.status !== 'complete')
    .map((end) => `a run of the race: ${describe(end)}`)
  const dump = await dumpDatabase(first.page)
  const overlaps = kit.witness.acked.some(({ conflicts }) => conflicts.length > 0)
  breaches.push(...checkAcknowledged(dump, kit.witness), ...checkOrphans(dump))
  const computed = kit.witness.computed.length
  const third = await first.run(settings)
  if (third.type !== 'done' || third.status !== 'complete') breaches.push(`the run after the race: ${describe(third)}`)
  if (kit.witness.computed.length > computed) breaches.push('the run after the race computed what was kept')
  const runs = (await first.call('listRuns')).filter(({ status }) => status === 'complete')
  const texts = await Promise.all(runs.map(async ({ runId }) => JSON.stringify(await filesOf(first, runId))))
  if (new Set(texts).size > 1) breaches.push('runs over the same kept answers give different files')
  if (breaches.length === 0 && !overlaps) breaches.push('the two runs never met: this race proved nothing')
  await second.page.close()
  return [...new Set(breaches)].map((breach) => `two runs at once: ${breach}`)
}

/** A tab that freezes before a commit, loses its lock to another, and wakes when that one has gone on: its late write must be refused. */
export async function wakeLateWriter(kit: Kit, reference: Reference): Promise<string[]> {
  const { witness } = kit
  const sleeper = await kit.tab()
  await sleeper.call('eraseAll')
  witness.forget()
  witness.habits = { msPerBatch: 5, isNoisy: false }
  const browser = kit.browser()
  if (browser === null) throw new Error('the browser has gone')
  const heir = await openTab(browser.context, witness.address)
  let wake: () => void = () => undefined
  const asleep = new Promise<void>((fallen) => {
    witness.arm('before-tx', 4, async () => {
      fallen()
      await new Promise<void>((woken) => {
        wake = woken
      })
    })
  })
  const late = sleeper.run(killSettings(witness.address, null))
  await asleep
  const runId = (await heir.call('listRuns'))[0]?.runId ?? ''
  const hasAckedBefore = witness.acked.length
  await heir.page.evaluate(async (name) => {
    await navigator.locks.request(name, { steal: true }, async () => undefined)
  }, `run:${runId}`)
  const end = await heir.run(runId)
  wake()
  const lateEnd = await Promise.race([late, sleep(30_000).then(() => null)])
  const breaches: string[] = []
  if (end.type !== 'done' || end.status !== 'complete') breaches.push(`the tab that took over: ${describe(end)}`)
  if (lateEnd === null) breaches.push('the late writer never ended')
  else if (lateEnd.type === 'done' && lateEnd.status === 'complete') breaches.push('the late writer believes that it completed the run')
  const dump = await dumpDatabase(heir.page)
  const perBatch = new Map<number, number>()
  for (const { planIndex } of witness.acked.slice(hasAckedBefore)) perBatch.set(planIndex, (perBatch.get(planIndex) ?? 0) + 1)
  for (const [planIndex, count] of perBatch) if (count > 1) breaches.push(`batch ${planIndex} was acknowledged ${count} times`)
  breaches.push(
    ...checkFiles(await filesOf(heir, runId), reference),
    ...checkAcknowledged(dump, witness),
    ...checkJournal(dump, runId, reference, true),
    ...checkOrphans(dump),
  )
  await sleeper.page.close()
  return breaches.map((breach) => `late writer: ${breach}`)
}

/** A run over more of the same questions, killed twice: what the first has answered isn't computed again, and batches stay as planned. */
export async function killAfterOverlap(kit: Kit, reference: Reference): Promise<string[]> {
  const tab = await kit.tab()
  await tab.call('eraseAll')
  kit.witness.forget()
  kit.witness.habits = { msPerBatch: 2, isNoisy: false }
  const before = await tab.run(killSettings(kit.witness.address, 3))
  if (before.type !== 'done' || before.status !== 'complete') return [`overlap: the run before ended as ${describe(before)}`]
  const story = await live(kit, killSettings(kit.witness.address, null), reference, {
    keepsStore: true,
    prepare: (_tab, life) => {
      if (life <= 2) kit.witness.armAfterBatches(4, () => kit.kill())
    },
  })
  return story.breaches.map((breach) => `overlap: ${breach}`)
}
