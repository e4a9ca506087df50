/** Storage as a power cut or a bad disk leaves it: the browser's files, copied under a running evaluation, cut short or with bits flipped. */
import { cpSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startBrowser } from './browser.ts'
import { dumpDatabase, type Dump } from './dump.ts'
import type { Kit } from './kit.ts'
import { describe } from './lives.ts'
import { seeded } from './random-kills.ts'
import { checkFiles, checkJournal, filesOf, type Reference } from './reference.ts'
import { openTab, type Tab } from './tab.ts'
import { killSettings } from './task.ts'
import { databaseFiles, newestLog } from './torn-log.ts'
import type { Acknowledgement } from './witness.ts'

export interface TornOutcome {
  readonly breaches: readonly string[]
  readonly openings: number
  /** Acknowledged answers that an opening didn't find, at most. */
  readonly mostLost: number
  /** Openings in which the browser threw the whole database away. */
  readonly wiped: number
  /** Openings after which the run was brought to its end. */
  readonly resumed: number
}

/** A commit is flushed to the disk at the latest after so many answers: no more may be lost. */
const checkpointAnswers = 256

export type Harm = 'cut' | 'flip'

/**
 * Freezes the browser in the middle of a run, copies its profile, and opens the copy again and again with other harm done to the origin's
 * database: `cut` takes bytes off the end of its newest log, `flip` changes bits anywhere in its files.
 */
export async function openTorn(kit: Kit, reference: Reference, harm: Harm, openings: number, seed: number): Promise<TornOutcome> {
  const random = seeded(seed)
  const breaches: string[] = []
  let mostLost = 0
  let wiped = 0
  let resumed = 0
  const snapshot = await takeSnapshot(kit, Math.floor(6 + random() * 12))
  const acked = [...kit.witness.acked]
  try {
    for (let opening = 1; opening <= openings; opening++) {
      const profile = mkdtempSync(join(tmpdir(), 'yardstick-torn-'))
      cpSync(snapshot, profile, { recursive: true })
      const what =
        harm === 'cut' ? cutLog(profile, Math.ceil(random() ** 2 * 8_000)) : flipBits(profile, 1 + Math.floor(random() * 8), random)
      // Every fourth opening goes on to the end, which takes as long as three others.
      const outcome = await openOnce(kit, profile, reference, acked, { goesOn: opening % 4 === 0, mayWipe: harm === 'flip' }).catch(
        (error: unknown) => ({ breaches: [String(error)], lost: 0, isWiped: false, hasGoneOn: false }),
      )
      // What was written behind the torn end must still be there after one more start.
      const later = harm === 'cut' && outcome.hasGoneOn ? await openAgain(profile, kit.witness.address) : []
      breaches.push(...[...outcome.breaches, ...later].map((breach) => `${harm} ${opening} (${what}): ${breach}`))
      if (outcome.isWiped) wiped += 1
      else mostLost = Math.max(mostLost, outcome.lost)
      if (outcome.hasGoneOn) resumed += 1
      rmSync(profile, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
    }
  } finally {
    rmSync(snapshot, { recursive: true, force: true })
  }
  return { breaches, openings, mostLost, wiped, resumed }
}

/** The profile as it lies on the disk after so many batches, with nothing shut down. */
async function takeSnapshot(kit: Kit, batches: number): Promise<string> {
  const tab = await kit.tab()
  await tab.call('eraseAll')
  kit.witness.forget()
  kit.witness.habits = { msPerBatch: 20, isNoisy: false }
  const copy = mkdtempSync(join(tmpdir(), 'yardstick-snapshot-'))
  kit.witness.armAfterBatches(batches, async () => {
    // The worker that reported waits for the answer; nothing is written while it does.
    cpSync(kit.profile, copy, { recursive: true, filter: (path) => !/Singleton(Lock|Socket|Cookie)$/.test(path) })
    kit.kill()
  })
  await tab.run(killSettings(kit.witness.address, null))
  await kit.settled()
  return copy
}

interface Opening {
  readonly breaches: readonly string[]
  readonly lost: number
  readonly isWiped: boolean
  readonly hasGoneOn: boolean
}

async function openOnce(
  kit: Kit,
  profile: string,
  reference: Reference,
  acked: readonly Acknowledgement[],
  { goesOn, mayWipe }: { readonly goesOn: boolean; readonly mayWipe: boolean },
): Promise<Opening> {
  const { witness } = kit
  witness.forget()
  const browser = await startBrowser(profile)
  try {
    const tab = await openTab(browser.context, witness.address)
    // The app opens its database first, as it would for a user.
    const listed = await tab.call('listRuns').catch((error: unknown) => error)
    if (listed instanceof Error) {
      const code = 'code' in listed ? String(listed.code) : ''
      const isTold = mayWipe && code.startsWith('storage/')
      return { breaches: isTold ? [] : [`the list of runs failed: ${listed.message}`], lost: 0, isWiped: true, hasGoneOn: false }
    }
    const dump = await dumpDatabase(tab.page).catch((error: unknown) => String(error))
    if (typeof dump === 'string') {
      if (!mayWipe || !dump.includes('UnknownError')) return { breaches: [dump], lost: 0, isWiped: true, hasGoneOn: false }
      return { breaches: await runAnew(tab, reference, witness.address), lost: 0, isWiped: true, hasGoneOn: true }
    }
    const { breaches, lost } = checkWhatIsLeft(dump, acked, reference)
    const isWiped = dump.runs.length === 0
    if (isWiped && !mayWipe) breaches.push('the whole database is gone')
    if (isWiped && mayWipe) return { breaches: await runAnew(tab, reference, witness.address), lost, isWiped, hasGoneOn: true }
    if (!isWiped && !mayWipe && lost > checkpointAnswers) breaches.push(`${lost} acknowledged answers are lost`)
    if (!goesOn) return { breaches, lost, isWiped, hasGoneOn: false }
    const unfinished = await tab.unfinished()
    const end = await tab.run(unfinished?.runId ?? killSettings(witness.address, null))
    if (end.type !== 'done' || end.status !== 'complete')
      return { breaches: [...breaches, `going on: ${describe(end)}`], lost, isWiped, hasGoneOn: false }
    const runId = (await tab.call('listRuns'))[0]?.runId ?? ''
    breaches.push(
      ...checkFiles(await filesOf(tab, runId), reference),
      ...checkJournal(await dumpDatabase(tab.page), runId, reference, true),
    )
    return { breaches, lost, isWiped, hasGoneOn: true }
  } finally {
    browser.kill()
    await browser.gone
  }
}

/** Holds that the run that was brought to its end is still there. */
async function openAgain(profile: string, address: string): Promise<readonly string[]> {
  const browser = await startBrowser(profile)
  try {
    const runs = await (await openTab(browser.context, address)).call('listRuns')
    return runs.some(({ status }) => status === 'complete') ? [] : [`the start after it found ${runs.length} runs, none of them complete`]
  } catch (error) {
    return [`the start after it: ${String(error)}`]
  } finally {
    browser.kill()
    await browser.gone
  }
}

/** A database that the browser can't open, or has thrown away: the user is told, and a run is still possible, with the same files. */
async function runAnew(tab: Tab, reference: Reference, address: string): Promise<string[]> {
  const end = await tab.run(killSettings(address, null))
  if (end.type !== 'done' || end.status !== 'complete') return [`a run after the damage: ${describe(end)}`]
  const warnings = tab.events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))
  const isTold = warnings.some((message) => /database can't be used.*delete this site's data|found its database damaged/.test(message))
  const runId = (await tab.call('listRuns'))[0]?.runId ?? ''
  return [...(isTold ? [] : [`nothing told of the damage: ${warnings.join(' ')}`]), ...checkFiles(await filesOf(tab, runId), reference)]
}

/** What is left is what was acknowledged or computed, never another number; each journal entry has its answers. */
function checkWhatIsLeft(dump: Dump, acked: readonly Acknowledgement[], reference: Reference): { breaches: string[]; lost: number } {
  const breaches = dump.runs.flatMap(({ runId }) => checkJournal(dump, runId, reference, false))
  let lost = 0
  for (const { entries } of acked) {
    for (const { key, logprobs } of entries) {
      const kept = dump.responses[key]
      if (kept === undefined) lost += 1
      else if (JSON.stringify(kept) !== JSON.stringify(logprobs)) breaches.push(`another number is shown for ${key.slice(0, 12)}`)
    }
  }
  return { breaches, lost }
}

function cutLog(profile: string, bytes: number): string {
  const newest = newestLog(profile)
  if (newest === undefined) throw new Error('the profile has no log of an IndexedDB')
  const left = Math.max(0, newest.bytes - bytes)
  truncateSync(newest.path, left)
  return `${newest.bytes - left} of ${newest.bytes} bytes off the log`
}

function flipBits(profile: string, flips: number, random: () => number): string {
  // What holds records three times out of four; what says where they are, which makes the browser give up at once, else.
  const kinds = random() < 0.75 ? /\.(log|ldb)$/ : /(MANIFEST-\d+|CURRENT)$/
  const files = databaseFiles(profile).filter(({ path, bytes }) => bytes > 0 && kinds.test(path))
  const places = Array.from({ length: flips }, () => {
    const file = files[Math.floor(random() * files.length)]
    if (file === undefined) throw new Error('the profile has no files of an IndexedDB')
    const content = readFileSync(file.path)
    const at = Math.floor(random() * content.length)
    content[at] = (content[at] ?? 0) ^ (1 << Math.floor(random() * 8))
    writeFileSync(file.path, content)
    return `${file.path.slice(file.path.lastIndexOf('/') + 1)}:${at}`
  })
  return `bits at ${places.join(', ')}`
}
