import { describe, expect, it } from 'vitest'
import { EvalError } from '../../../src/base/errors.ts'
import {
  checkAdapter,
  notANumber,
  planSelfCheck,
  referenceFor,
  selfReference,
  type CheckPlan,
  type RowScorer,
} from '../../../src/engines/scoring/self-check.ts'

const setup = { vocabularySize: 1000, windowTokens: 2048, longestRun: 128, canContinue: true, isDynamicallyQuantised: false }

/** A right engine's log-probability at each position. */
const truth = (position: number): number => Math.fround(-3 - Math.sin(position))

interface Double extends RowScorer {
  readonly ran: number[]
}

/** An engine whose run of `length` tokens from `start` is off by `error(length, start)`; a wrong run spoils what continues it. */
function engine(error: (length: number, start: number) => number = () => 0): Double {
  const ran: number[] = []
  return {
    ran,
    async *rows(_tokens, runs) {
      let start = 0
      let spoilt = 0
      for (const length of runs) {
        ran.push(length)
        const off = error(length, start) + spoilt
        spoilt = off
        const from = start
        yield Float32Array.from({ length }, (_, i) => truth(from + i) + off)
        start += length
      }
    },
  }
}

async function check(adapter: Double, plan: CheckPlan = planSelfCheck(setup), tolerance = 1e-3) {
  return checkAdapter(plan, adapter, await referenceFor(plan, engine()), tolerance)
}

describe('planSelfCheck', () => {
  it('draws the same tokens every time, within the vocabulary', () => {
    const { tokens } = planSelfCheck(setup)
    expect(tokens).toEqual(planSelfCheck(setup).tokens)
    expect(new Set(tokens).size).toBeGreaterThan(250)
    expect([Math.min(...tokens) >= 0, Math.max(...tokens) < 1000]).toEqual([true, true])
  })

  it.each([5, 20, 64, 128, 256, 400])('stays within a window of %i tokens', (windowTokens) => {
    const plan = planSelfCheck({ ...setup, windowTokens })
    expect(plan.tokens.length).toBeLessThanOrEqual(windowTokens)
    for (const trial of plan.growing) expect(trial.reduce((a, b) => a + b)).toBeLessThan(windowTokens)
  })
})

describe('checkAdapter', () => {
  it('passes an engine that agrees, within 15 runs, the longest run included', async () => {
    const adapter = engine(() => 2e-5)
    const result = await check(adapter)
    expect(result).toMatchObject({ status: 'passed', maxRunTokens: null, reference: 'wasm' })
    expect(result.maxAbsDiff).toBeLessThan(1e-3)
    expect(adapter.ran.length).toBeLessThanOrEqual(15)
    expect(adapter.ran).toContain(128)
  })

  it('finds 31 for an engine that is wrong from 32 tokens a run, within 15 runs', async () => {
    const adapter = engine((length) => (length >= 32 ? 2 : 0))
    const result = await check(adapter)
    expect(result).toMatchObject({ status: 'limited', maxRunTokens: 31, maxAbsDiff: 0 })
    expect(result.message).toContain('passes of 32 tokens differ by 2.0e+0')
    expect(adapter.ran.length).toBeLessThanOrEqual(15)
  })

  it('finds the limit of first runs when only those are wrong', async () => {
    expect(await check(engine((length, start) => (start === 0 && length >= 64 ? 2 : 0)))).toMatchObject({
      status: 'limited',
      maxRunTokens: 63,
    })
  })

  it('fails an engine with a bias at every length', async () => {
    expect(await check(engine(() => 0.1))).toMatchObject({ status: 'failed', maxRunTokens: 0 })
  })

  it('fails an engine that gets worse with position, which shorter passes cannot cure', async () => {
    const result = await check(engine((_, start) => start * 1e-4))
    expect(result.status).toBe('failed')
    expect(result.message).toContain('shorter passes do not cure it')
  })

  it('fails, rather than limits, a graph that must run whole sequences', async () => {
    const plan = planSelfCheck({ ...setup, canContinue: false })
    expect((await check(engine(), plan)).status).toBe('passed')
    expect(
      (
        await check(
          engine((length) => (length > 100 ? 2 : 0)),
          plan,
        )
      ).status,
    ).toBe('failed')
  })

  it('counts rows that are not numbers, and missing rows, as wrong', async () => {
    expect(await check(engine((length) => (length >= 8 ? NaN : 0)))).toMatchObject({ status: 'limited', maxRunTokens: 4 })
    const throwing: Double = {
      ran: [],
      // oxlint-disable-next-line require-yield
      async *rows() {
        throw new EvalError('engine/nonfinite', 'NaN')
      },
    }
    expect(await check(throwing)).toMatchObject({ status: 'failed', maxAbsDiff: notANumber })
    const silent: Double = {
      ran: [],
      async *rows() {
        yield new Float32Array(0)
      },
    }
    expect((await check(silent)).status).toBe('failed')
  })

  it('passes other errors on', async () => {
    const lost: Double = {
      ran: [],
      // oxlint-disable-next-line require-yield
      async *rows() {
        throw new EvalError('engine/device-lost', 'gone')
      },
    }
    await expect(check(lost)).rejects.toMatchObject({ code: 'engine/device-lost' })
  })

  it('compares with runs of one token where there is no WASM, and says so', async () => {
    const plan = planSelfCheck({ ...setup, windowTokens: 64 })
    const adapter = engine((length) => (length >= 32 ? 1 : 0))
    const reference = await selfReference(plan, adapter)
    expect(reference).not.toBeNull()
    if (reference === null) return
    const result = await checkAdapter(plan, adapter, reference, 1e-3)
    expect(result).toMatchObject({ status: 'limited', maxRunTokens: 31, reference: 'self' })
    expect(result.message).toContain('self-consistent only')
  })

  it('asks a dynamically quantised graph for a reference of each length', async () => {
    const wasm = engine()
    await referenceFor(planSelfCheck({ ...setup, canContinue: false, isDynamicallyQuantised: true }), wasm)
    expect(wasm.ran).toEqual([1, 2, 8, 16, 31, 32, 64, 128, 256])
  })
})
