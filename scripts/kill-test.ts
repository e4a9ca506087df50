/** `npx tsx scripts/kill-test.ts`: kills the browser under a run, again and again, and holds what is left against what it had promised. */
import { parseArgs } from 'node:util'
import { failPoints, type FailPoint } from '../src/core/fail-point.ts'
import { buildForKillTest } from '../tests/kill/build.ts'
import { buildNames, type BuildName } from '../tests/kill/broken-builds.ts'
import { openKit } from '../tests/kill/kit.ts'
import { runUndisturbed } from '../tests/kill/lives.ts'
import { killRandomly } from '../tests/kill/random-kills.ts'
import { killAt, systematicDocs } from '../tests/kill/systematic-kills.ts'
import { killSettings } from '../tests/kill/task.ts'

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '30' },
      seed: { type: 'string', default: String(Date.now() % 1_000_000) },
      points: { type: 'string', default: 'all' },
      occurrences: { type: 'string', default: '99' },
      builds: { type: 'string', default: 'good' },
    },
  })
  const seed = Number(values.seed)
  say(`seed ${seed}`)
  let failures = 0
  for (const name of values.builds.split(',')) {
    const build = buildNames.find((known) => known === name)
    if (build === undefined) throw new Error(`--builds ${name}: known are ${buildNames.join(', ')}`)
    const breaches = await testBuild(build, { kills: Number(values.kills), seed, points: values.points, most: Number(values.occurrences) })
    const isAsWanted = (breaches.length === 0) === (build === 'good')
    if (!isAsWanted) failures += 1
    say(`${isAsWanted ? 'ok' : 'FAILED'}: build '${build}' ${breaches.length === 0 ? 'keeps its promises' : 'breaks them:'}`)
    for (const breach of breaches.slice(0, 10)) say(`  ${breach}`)
  }
  return failures === 0 ? 0 : 1
}

interface Extent {
  readonly kills: number
  readonly seed: number
  readonly points: string
  readonly most: number
}

async function testBuild(build: BuildName, { kills, seed, points, most }: Extent): Promise<string[]> {
  const kit = await openKit(await buildForKillTest(build))
  const breaches: string[] = []
  try {
    let startMs = performance.now()
    const whole = await runUndisturbed(kit, killSettings(kit.witness.address, null))
    const small = await runUndisturbed(kit, killSettings(kit.witness.address, systematicDocs))
    say(
      `references: ${whole.items} items in ${whole.batches.size} batches (${whole.digest.slice(0, 12)}), ${small.items} in ${small.batches.size}`,
    )
    if (kills > 0) {
      const random = await killRandomly(kit, whole, { kills, seed, say })
      const times = [...random.resumeMs].sort((a, b) => a - b)
      breaches.push(...random.breaches)
      say(
        `random: ${random.kills} SIGKILLs and ${[...random.faults]
          .filter(([kind]) => kind !== 'sigkill')
          .map(([kind, count]) => `${count} ${kind}`)
          .join(
            ', ',
          )} in ${random.runs} runs, ${seconds(startMs)}; reopened and resumed in ${Math.round(times[times.length >> 1] ?? 0)} ms (median), ${Math.round(times.at(-1) ?? 0)} ms (most)`,
      )
    }
    startMs = performance.now()
    let killed = 0
    for (const point of wantedPoints(points)) {
      const outcome = await killAt(kit, small, point, most)
      killed += outcome.occurrences
      breaches.push(...outcome.breaches)
      say(`  ${point}: ${outcome.occurrences} occurrences; ${outcome.breaches.length === 0 ? 'files equal' : outcome.breaches.join('; ')}`)
    }
    say(`fail points: ${killed} kills, ${seconds(startMs)}`)
  } finally {
    await kit.close()
  }
  return breaches
}

function wantedPoints(points: string): readonly FailPoint[] {
  if (points === 'all') return failPoints
  return failPoints.filter((point) => points.split(',').includes(point))
}

function seconds(startMs: number): string {
  return `${((performance.now() - startMs) / 1000).toFixed(0)} s`
}

main().then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
    process.exitCode = 1
  },
)
