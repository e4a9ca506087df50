/**
 * Random faults: whatever a Hub does on the way, the bytes have the listed hash or an error says why not. The seed is printed when a
 * round fails. `YARDSTICK_ROUNDS=5000 YARDSTICK_SEED=7 npx vitest run tests/data/download/download.random-faults.test.ts` for a long look.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { isEvalError } from '../../../src/base/errors.ts'
import type { Fault } from '../../mock-hub/mock-hub.ts'
import { isLong } from '../../support/long.ts'
import { chunk, large, serveFiles, setUp, small, type Served } from './bench.ts'
import { seeded, sha256Of, testClock } from './doubles.ts'
import { survived, survivedDirectly } from './survived.ts'

const rounds = Number(process.env['YARDSTICK_ROUNDS'] ?? (isLong ? 200 : 50))
const firstSeed = Number(process.env['YARDSTICK_SEED'] ?? '1')

let served: Served
beforeAll(async () => {
  served = await serveFiles()
})
afterAll(() => served.close())
afterEach(() => {
  served.hub.heal()
})

/** One of the faults that a download survives, or none, or a cut at a place of its own. */
function drawFault(next: (below: number) => number, faults: typeof survived): Fault | null {
  const kind = next(4)
  if (kind === 0) return null
  if (kind === 1) return { kind: 'cut', afterBytes: next(chunk) }
  return faults[next(faults.length)]?.[1] ?? null
}

describe('a download among random faults', () => {
  it(
    `ends in the right bytes or in an error that says why not, ${rounds} times`,
    async () => {
      let failures = 0
      for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
        const next = seeded(seed)
        const { hub } = served
        hub.heal()
        const bench = await setUp(hub, testClock({ random: () => next(1000) / 1000 }))
        const faults = Array.from({ length: next(14) }, () => drawFault(next, survived))
        hub.script('model.onnx', faults)
        hub.script(
          'tokenizer.bin',
          Array.from({ length: next(4) }, () => drawFault(next, survivedDirectly)),
        )
        if (next(5) === 0) bench.bytes.room = [...bench.bytes.entries.values()].reduce((sum, { length }) => sum + length, next(150_000))
        const about = `seed ${seed}: ${JSON.stringify(faults)}`
        const seen: number[] = []
        const clients = next(3) === 0 ? [bench.client, bench.newClient()] : [bench.client]
        const loads = clients.flatMap((client, index) => [
          bench.fetchLarge(index === 0 ? (loaded) => seen.push(loaded) : undefined, client),
          bench.fetchSmall(client),
        ])
        for (const [index, end] of (await Promise.allSettled(loads)).entries()) {
          if (end.status === 'fulfilled') {
            expect(sha256Of(end.value), about).toBe(sha256Of(index % 2 === 0 ? large : small))
            continue
          }
          failures += 1
          // Two wrong contents in a row, or too many wrong answers: the Hub's fault, and said so.
          expect(isEvalError(end.reason) && end.reason.code, `${about} ${String(end.reason)}`).toMatch(/^hub\/(corrupt|unreachable)$/)
        }
        expect(seen, about).toEqual([...seen].sort((a, b) => a - b))
        // Whatever counts as whole is whole.
        hub.heal()
        bench.bytes.room = Infinity
        expect(sha256Of(await bench.fetchLarge(undefined, bench.newClient())), about).toBe(bench.largeFile.sha256)
        expect(sha256Of(await bench.fetchSmall(bench.newClient())), about).toBe(sha256Of(small))
        expect(
          (await bench.store.list()).map(({ isComplete }) => isComplete),
          about,
        ).toEqual([true, true])
      }
      // Most rounds must end well, or the faults are too many to say anything.
      expect(failures).toBeLessThan(rounds / 2)
    },
    600_000 + rounds * 2000,
  )
})

describe('cuts alone', () => {
  it(`cost at most a chunk each, ${Math.ceil(rounds / 4)} times`, async () => {
    for (let seed = firstSeed; seed < firstSeed + rounds / 4; seed++) {
      const next = seeded(seed)
      const { hub } = served
      const bench = await setUp(hub)
      const cuts = Array.from({ length: 1 + next(6) }, () => ({ kind: 'cut', afterBytes: next(chunk) }) as const)
      hub.script('model.onnx', cuts)
      expect(sha256Of(await bench.fetchLarge()), `seed ${seed}`).toBe(bench.largeFile.sha256)
      expect(hub.bytesOf('model.onnx'), `seed ${seed}`).toBeLessThanOrEqual(large.length + cuts.length * chunk)
    }
  }, 300_000)
})
