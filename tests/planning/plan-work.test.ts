import { describe, expect, it } from 'vitest'
import { workOfBatches } from '../../src/planning/plan-work.ts'
import { makePlan } from '../../src/planning/plan.ts'
import { madeText } from '../evaluation/fakes.ts'

const scored = (input: readonly number[]) => ({ input: Int32Array.from(input), targets: [Int32Array.of(1)] })

describe('the work of a plan', () => {
  it('counts tokens and runs, and a kept prefix where it changes', () => {
    const items = [scored([1, 2, 3, 4]), scored([1, 2, 5]), scored([1, 2, 6]), scored([9, 2, 6])]
    const batches = [
      { items: [0, 1], prefixes: [2] },
      { items: [2], prefixes: [2] },
      { items: [3], prefixes: [2] },
    ]
    expect(workOfBatches({ items, batches })).toEqual([20 + 2 + 2 + 1, 20 + 1, 20 + 2 + 1])
  })

  it('counts a text as long as it may become, and texts that are written together once a run', () => {
    const items = [madeText([1, 2, 3], { maxNewTokens: 10 }), madeText([1, 2, 4, 5], { maxNewTokens: 4 })]
    expect(workOfBatches({ items, batches: [{ items: [0, 1], prefixes: [2] }] })).toEqual([20 + 2 + 1 + 2 + 10 * 22])
  })

  it('counts a run as many tokens as it was measured to cost', () => {
    const items = [scored([1, 2, 3])]
    const batches = [{ items: [0], prefixes: [] }]
    expect(workOfBatches({ items, batches }, { runMs: 30, tokenMs: 2 })).toEqual([15 + 3])
    // A measurement without a slope tells nothing.
    expect(workOfBatches({ items, batches }, { runMs: 30, tokenMs: 0 })).toEqual([20 + 3])
    expect(workOfBatches({ items, batches }, { runMs: 1e6, tokenMs: 1 })).toEqual([500 + 3])
  })

  it('is nothing for an empty plan', () => {
    expect(workOfBatches(makePlan([]))).toEqual([])
  })
})
