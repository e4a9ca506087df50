/** Kills and disturbances at random moments, by seed. */
import { faultKinds, inflict, type FaultKind } from './faults.ts'
import type { Kit } from './kit.ts'
import { live } from './lives.ts'
import type { Reference } from './reference.ts'
import { killSettings } from './task.ts'

/** A random number generator (mulberry32) in [0, 1), so that a seed gives the same kills again. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export interface Outcome {
  readonly breaches: readonly string[]
  readonly runs: number
  readonly kills: number
  readonly faults: ReadonlyMap<FaultKind, number>
  readonly resumeMs: readonly number[]
}

/** Runs again and again until `kills` SIGKILLs have happened; every second fault or so is of another kind. */
export async function killRandomly(
  kit: Kit,
  reference: Reference,
  { kills, seed, say }: { readonly kills: number; readonly seed: number; readonly say: (line: string) => void },
): Promise<Outcome> {
  const random = seeded(seed)
  const faults = new Map<FaultKind, number>()
  const breaches: string[] = []
  const resumeMs: number[] = []
  const done = () => faults.get('sigkill') ?? 0
  kit.witness.habits = { msPerBatch: 15, isNoisy: false }
  let runs = 0
  while (done() < kills && breaches.length === 0) {
    runs += 1
    const inRun: string[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const story = await live(kit, killSettings(kit.witness.address, null), reference, {
      prepare: (tab) => {
        const armNext = (): void => {
          const kind: FaultKind = random() < 0.7 ? 'sigkill' : (faultKinds[Math.floor(random() * faultKinds.length)] ?? 'sigkill')
          const delayMs = random() * 50
          const strike = (): Promise<string | void> => {
            faults.set(kind, (faults.get(kind) ?? 0) + 1)
            inRun.push(kind)
            // The run goes on by itself after these: the next fault comes in the same life.
            if (kind === 'freeze' || kind === 'network-cut' || kind === 'close-model-worker') armNext()
            return inflict(kind, kit, tab)
          }
          const strikeLater = (afterMs: number): void => {
            timer = setTimeout(() => {
              strike().catch(() => undefined)
            }, afterMs)
          }
          // Some fall at any time, preparation included; most while answers come, before a quarter of them is there, so that a run has several.
          if (random() < 0.25) strikeLater(random() * 2_000)
          else {
            kit.witness.armAfterBatches(Math.floor(random() * 6), () => {
              if (kind === 'close-model-worker') return strike()
              strikeLater(delayMs)
            })
          }
        }
        armNext()
      },
      faults: () => inRun.length,
      after: () => clearTimeout(timer),
    })
    breaches.push(...story.breaches.map((breach) => `random run ${runs} (${inRun.join(', ')}): ${breach}`))
    resumeMs.push(...story.resumeMs)
    say(`  run ${runs}: ${inRun.join(', ')}; ${story.breaches.length === 0 ? 'files equal' : story.breaches.join('; ')}`)
  }
  return { breaches, runs, kills: done(), faults, resumeMs }
}
