/** `npx tsx tests/kill/main.ts`: kills the browser under a run, again and again, and holds what is left against what it had promised. */
import { parseArgs } from 'node:util'
import { append } from '../../src/base/arrays.ts'
import { failPoints, type FailPoint } from '../../src/base/fail-point.ts'
import { buildNames, type BuildName } from './broken-builds.ts'
import { buildForKillTest } from './build.ts'
import { openKit, type Kit } from './kit.ts'
import { runUndisturbed } from './lives.ts'
import { killAfterOverlap, raceTwoRuns, wakeLateWriter } from './races.ts'
import { killRandomly } from './random-kills.ts'
import type { Reference } from './reference.ts'
import { killAt, smallSettings } from './systematic-kills.ts'
import { killSettings } from './task.ts'
import { killWhileWriting, textPoints } from './text-kills.ts'
import { openTorn, type Harm } from './torn-storage.ts'

const help = `npx tsx tests/kill/main.ts [options]
  --builds LIST   of ${buildNames.join(', ')} (all). Only the first must pass; the others must fail.
  --kills N       SIGKILLs at random moments, among other faults (30)
  --points LIST   fail points, or all (all), each at its 1st, 2nd, … occurrence until none is left
  --torn N        openings of a database whose log was cut (20)
  --flipped N     openings of a database with flipped bits (8)
  --seed N        gives the same faults again`

interface Extent {
  readonly kills: number
  readonly points: readonly FailPoint[]
  readonly torn: number
  readonly flipped: number
  readonly seed: number
}

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      builds: { type: 'string', default: buildNames.join(',') },
      kills: { type: 'string', default: '30' },
      points: { type: 'string', default: 'all' },
      torn: { type: 'string', default: '20' },
      flipped: { type: 'string', default: '8' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) {
    say(help)
    return 0
  }
  const points = values.points === 'all' ? failPoints : failPoints.filter((point) => values.points.split(',').includes(point))
  const extent = {
    points,
    kills: Number(values.kills),
    torn: Number(values.torn),
    flipped: Number(values.flipped),
    seed: Number(values.seed),
  }
  say(`seed ${extent.seed}`)
  let failures = 0
  for (const name of values.builds.split(',')) {
    const build = buildNames.find((known) => known === name)
    if (build === undefined) throw new Error(`--builds ${name}: known are ${buildNames.join(', ')}`)
    const startMs = performance.now()
    const breaches = await withKit(build, (kit) => (build === 'good' ? testWhole(kit, extent) : testBroken(kit)))
    const isAsWanted = (breaches.length === 0) === (build === 'good')
    if (!isAsWanted) failures += 1
    const verdict = breaches.length === 0 ? 'keeps every promise' : `breaks ${breaches.length} promises`
    say(`${isAsWanted ? 'ok' : 'FAILED'}: build '${build}' ${verdict} (${seconds(startMs)})`)
    for (const breach of breaches.slice(0, build === 'good' ? 30 : 4)) say(`    ${breach}`)
  }
  return failures === 0 ? 0 : 1
}

async function withKit(build: BuildName, use: (kit: Kit) => Promise<string[]>): Promise<string[]> {
  const kit = await openKit(await buildForKillTest(build))
  try {
    return await use(kit)
  } finally {
    await kit.close()
  }
}

async function testWhole(kit: Kit, { kills, points, torn, flipped, seed }: Extent): Promise<string[]> {
  const breaches: string[] = []
  const whole = await runUndisturbed(kit, killSettings(kit.witness.address, null))
  const small = await runUndisturbed(kit, smallSettings(kit))
  say(`  references: ${whole.items} items in ${whole.batches.size} batches, ${small.items} in ${small.batches.size}`)
  if (kills > 0) append(breaches, await testRandomly(kit, whole, kills, seed))
  append(breaches, await testRaces(kit, whole))
  append(
    breaches,
    await testPoints(
      kit,
      small,
      points.filter((point) => !textPoints.includes(point)),
    ),
  )
  append(breaches, await testTexts(kit, kills, seed))
  if (torn > 0) append(breaches, await testTorn(kit, whole, 'cut', torn, seed))
  if (flipped > 0) append(breaches, await testTorn(kit, whole, 'flip', flipped, seed))
  return breaches
}

/** What a broken build must not survive; a test that throws in the middle has found it, too. */
async function testBroken(kit: Kit): Promise<string[]> {
  const whole = await runUndisturbed(kit, killSettings(kit.witness.address, null))
  const small = await runUndisturbed(kit, smallSettings(kit))
  return [...(await testRaces(kit, whole)), ...(await testPoints(kit, small, ['before-tx', 'after-complete-before-ack']))]
}

async function testRandomly(kit: Kit, whole: Reference, kills: number, seed: number): Promise<readonly string[]> {
  const startMs = performance.now()
  const { breaches, runs, faults, resumeMs } = await killRandomly(kit, whole, { kills, seed, say })
  const times = [...resumeMs].sort((a, b) => a - b)
  const counts = [...faults].map(([kind, count]) => `${count} ${kind}`).join(', ')
  const median = Math.round(times[times.length >> 1] ?? 0)
  say(`  random: ${counts} in ${runs} runs (${seconds(startMs)})`)
  say(
    `  from asking to reopen until the run goes on, browser start included: ${median} ms median, ${Math.round(times.at(-1) ?? 0)} ms at most`,
  )
  return breaches
}

async function testRaces(kit: Kit, whole: Reference): Promise<string[]> {
  const races: readonly (readonly [string, () => Promise<string[]>])[] = [
    ['two runs at once', () => raceTwoRuns(kit)],
    ['a late writer', () => wakeLateWriter(kit, whole)],
    ['a run over kept answers, killed twice', () => killAfterOverlap(kit, whole)],
  ]
  const breaches: string[] = []
  for (const [name, race] of races) {
    const startMs = performance.now()
    const found = await race().catch((error: unknown) => [`${name}: ${String(error)}`])
    append(breaches, found)
    say(`  ${name}: ${found[0] ?? 'nothing broken'} (${seconds(startMs)})`)
  }
  return breaches
}

async function testPoints(kit: Kit, small: Reference, points: readonly FailPoint[]): Promise<string[]> {
  const startMs = performance.now()
  const breaches: string[] = []
  let kills = 0
  for (const point of points) {
    const outcome = await killAt(kit, small, point, 99)
    kills += outcome.occurrences
    append(breaches, outcome.breaches)
    say(`  ${point}: ${outcome.occurrences} occurrences, ${outcome.breaches[0] ?? 'nothing broken'}`)
  }
  say(`  fail points: ${points.length} with ${kills} occurrences (${seconds(startMs)})`)
  return breaches
}

async function testTexts(kit: Kit, kills: number, seed: number): Promise<readonly string[]> {
  const startMs = performance.now()
  // A run of sixteen texts is over before it has been killed more often.
  const outcome = await killWhileWriting(kit, { kills: Math.min(kills, 8), seed })
  say(
    `  texts: ${outcome.kills} kills with ${outcome.atRisk} tokens of unfinished texts written, ${outcome.unkept} of them in no draft, ${outcome.again} written again; ${outcome.breaches[0] ?? 'nothing broken'} (${seconds(startMs)})`,
  )
  return outcome.breaches
}

async function testTorn(kit: Kit, whole: Reference, harm: Harm, openings: number, seed: number): Promise<readonly string[]> {
  const startMs = performance.now()
  const { breaches, mostLost, wiped, resumed } = await openTorn(kit, whole, harm, openings, seed)
  const what = harm === 'cut' ? 'a cut log' : 'flipped bits'
  say(
    `  ${what}: ${openings} openings, at most ${mostLost} acknowledged answers lost, ${wiped} databases given up by the browser, ${resumed} runs brought to the same files (${seconds(startMs)})`,
  )
  return breaches
}

function seconds(startMs: number): string {
  return `${((performance.now() - startMs) / 1000).toFixed(0)} s`
}

// Node's own answer to a signal is to end without the farewells that take the browsers along.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(name, () => process.exit(130))

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    process.exitCode = 1
  },
)
