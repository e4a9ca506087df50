import { describe, expect, test } from 'vitest'
import { calibrate, fitCosts, millisecondsPerToken, runLengths } from '../../../src/engines/scoring/calibration.ts'

/** A device whose runs cost what is said, and whose runs of some lengths are wrong. Counts what it ran. */
function device(costs: { readonly runMs: number; readonly tokenMs: number }, wrongFrom = Infinity) {
  const ran: number[] = []
  const measure = (tokens: number) => {
    ran.push(tokens)
    return Promise.resolve({ maxAbsDiff: tokens >= wrongFrom ? 0.5 : 1e-6, milliseconds: costs.runMs + costs.tokenMs * tokens })
  }
  return { measure, ran }
}

const known = { lengths: runLengths, believed: 128, tolerance: 1e-3 }

describe('costs of runs', () => {
  test('are the line through what was timed', () => {
    const runs = [10, 20, 40, 80].map((tokens) => ({ tokens, milliseconds: 7 + 0.5 * tokens }))
    const costs = fitCosts(runs)
    expect(costs?.runMs).toBeCloseTo(7, 9)
    expect(costs?.tokenMs).toBeCloseTo(0.5, 9)
    expect(millisecondsPerToken({ runMs: 7, tokenMs: 0.5 }, 14)).toBe(1)
  })

  test('are never below zero, whatever the noise', () => {
    expect(fitCosts([])).toBeNull()
    expect(fitCosts([{ tokens: 8, milliseconds: 4 }])).toEqual({ runMs: 0, tokenMs: 0.5 })
    expect(
      fitCosts([
        { tokens: 10, milliseconds: 9 },
        { tokens: 20, milliseconds: 3 },
      ]),
    ).toEqual({ runMs: 6, tokenMs: 0 })
    expect(
      fitCosts([
        { tokens: 10, milliseconds: 1 },
        { tokens: 20, milliseconds: 5 },
      ]),
    ).toEqual({ runMs: 0, tokenMs: 0.2 })
  })
})

describe('the length of runs', () => {
  test('is the longest there is on a device whose passes cost much and whose tokens cost nothing', async () => {
    const { measure, ran } = device({ runMs: 20, tokenMs: 0.001 })
    expect((await calibrate(measure, known)).tokens).toBe(4096)
    expect(ran).toEqual(runLengths.flatMap((length) => [length, length]))
  })

  test('is the shortest with which a token costs hardly more than with the best', async () => {
    // A token costs 0.110 ms in passes of 512, 0.105 in 1,024, 0.1024 in 2,048 and 0.1012 in 4,096: the last two are 1.2% apart.
    expect((await calibrate(device({ runMs: 5, tokenMs: 0.1 }).measure, known)).tokens).toBe(2048)
    // Attention grows with the square: longer passes cost more a token.
    const measure = (tokens: number) => Promise.resolve({ maxAbsDiff: 0, milliseconds: 5 + 0.02 * tokens + 1e-4 * tokens ** 2 })
    expect((await calibrate(measure, known)).tokens).toBe(256)
  })

  test('ends where the device goes wrong, beyond what was believed and within it', async () => {
    expect((await calibrate(device({ runMs: 5, tokenMs: 0.1 }, 256).measure, known)).tokens).toBe(128)
    expect((await calibrate(device({ runMs: 5, tokenMs: 0.1 }, 64).measure, known)).tokens).toBe(32)
  })

  test('ends before a run takes more than a second', async () => {
    // 128 tokens: 0.9 s; 256 would take 1.7 s.
    const { measure } = device({ runMs: 100, tokenMs: 6.3 })
    expect((await calibrate(measure, known)).tokens).toBe(128)
    expect((await calibrate(device({ runMs: 900, tokenMs: 4 }).measure, known)).tokens).toBe(32)
  })

  test('goes by the fitted costs where there was no time to try what is believed', async () => {
    // 32 and 64 tokens, twice each, take two seconds and more.
    const { measure, ran } = device({ runMs: 450, tokenMs: 1.6 })
    expect((await calibrate(measure, known)).tokens).toBe(128)
    expect(ran).toEqual([32, 32, 64, 64])
  })

  test('is never more than what is believed when even the first length is wrong', async () => {
    expect((await calibrate(device({ runMs: 1, tokenMs: 1 }, 1).measure, { ...known, lengths: [512] })).tokens).toBe(128)
  })
})
