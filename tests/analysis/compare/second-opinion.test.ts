import { describe, expect, it } from 'vitest'
import { opinionOf, opinionToJson } from '../../../src/analysis/compare/second-opinion-json.ts'
import { compareOpinions, opinionLines, type RequestPair } from '../../../src/analysis/compare/second-opinion.ts'
import type { SecondOpinion } from '../../../src/contracts/second-opinion.ts'

const pair = (docId: number, idx: number, ours: readonly number[], theirs: readonly number[] = ours): RequestPair => ({
  task: 'made',
  docId,
  idx,
  ours,
  theirs,
})
const opinionOn = (pairs: readonly RequestPair[]): SecondOpinion => ({
  stack: 'another',
  device: 'wasm',
  dtype: 'fp32',
  tolerance: 1e-3,
  passTokens: null,
  seconds: 1,
  timesFaster: 3,
  ...compareOpinions(pairs, 1e-3),
})

describe('a second opinion', () => {
  it('counts docs, requests and tokens, and finds the largest differences', () => {
    const pairs = [pair(0, 0, [-1, -2], [-1.25, -1.75]), pair(0, 1, [-4], [-4]), pair(1, 0, [-3], [-3.125])]
    expect(compareOpinions(pairs, 0.5)).toEqual({
      docs: 2,
      requests: 3,
      tokens: 4,
      maxAbsDiff: 0.25,
      // The first request's differences cancel.
      maxSumDiff: 0.125,
      worst: { task: 'made', docId: 1, idx: 0, ours: -3, theirs: -3.125 },
      picks: 1,
      picksDiffering: [],
      agrees: true,
    })
  })

  it('names docs whose best choice is another, the first of equal ones being the pick', () => {
    const pairs = [pair(7, 0, [-1], [-1]), pair(7, 1, [-1], [-0.5]), pair(8, 0, [-2]), pair(8, 1, [-1])]
    expect(compareOpinions(pairs, 1e-3)).toMatchObject({ picks: 2, picksDiffering: [{ task: 'made', docId: 7, ours: 0, theirs: 1 }] })
  })

  it('disagrees beyond the tolerance, for what is no number, for lists of unequal length, and where nothing was compared', () => {
    for (const pairs of [[pair(0, 0, [-1], [-1.002])], [pair(0, 0, [-1], [NaN])], [pair(0, 0, [-1, -1], [-1])], []])
      expect(compareOpinions(pairs, 1e-3).agrees).toBe(false)
    expect(compareOpinions([pair(0, 0, [-1], [-1.0009])], 1e-3).agrees).toBe(true)
  })

  it('is read back from a results file, and from none that lacks it', () => {
    const opinion = opinionOn([pair(0, 0, [-1], [-1.5]), pair(0, 1, [-1.2])])
    const file = { yardstick: { second_opinion: opinionToJson(opinion) } }
    const { stack, agrees, picksDiffering, timesFaster, maxAbsDiff } = opinion
    expect(opinionOf(file)).toMatchObject({ stack, agrees, picksDiffering, timesFaster, maxAbsDiff })
    for (const other of [{}, { yardstick: {} }, { yardstick: { second_opinion: 3 } }]) expect(opinionOf(other)).toBeNull()
  })

  it('is said loudly where it differs', () => {
    expect(opinionLines(opinionOn([pair(0, 0, [-1])]))[0]).toContain('the stacks agree within 0.001 nats')
    const [first, second] = opinionLines(opinionOn([pair(3, 0, [-1], [-1.5])]))
    expect(first).toContain('the stacks DISAGREE')
    expect(second).toContain('made, doc 3, request 0: -1, there -1.5')
  })
})
