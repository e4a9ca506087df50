import { describe, expect, it } from 'vitest'
import { tieBand } from '../../../src/analysis/scores/tie-band.ts'
import type { SampleView } from '../../../src/contracts/samples.ts'

const sample = (docId: number, logprobs: readonly number[], gold: number): SampleView => {
  const best = logprobs.indexOf(Math.max(...logprobs))
  return {
    task: 't',
    docId,
    filter: 'none',
    prompt: '',
    target: '',
    choices: logprobs.map((logprob) => ({ text: 'abcd', logprob, isGreedy: false, unconditional: null })),
    gold: [gold],
    picks: { acc: best, acc_norm: best, acc_bytes: best },
    generated: [],
    metrics: { acc: best === gold ? 1 : 0, acc_norm: best === gold ? 1 : 0 },
    line: '',
  }
}

describe('tieBand', () => {
  // Doc 1 is right by .001, doc 2 wrong by .001, docs 0 and 3 are clear.
  const samples = [sample(0, [-1, -5], 0), sample(1, [-2, -2.001], 0), sample(2, [-3, -3.001], 1), sample(3, [-9, -4], 0)]

  it('lists docs with a margin below the given one, and says what they leave open', () => {
    expect(tieBand('t', samples, 0.01)).toEqual({
      task: 't',
      nats: 0.01,
      docs: [1, 2],
      bands: [
        { metric: 'acc', low: 1 / 4, high: 3 / 4 },
        { metric: 'acc_norm', low: 1 / 4, high: 3 / 4 },
      ],
    })
  })

  it('is nothing where every margin is larger, and counts a doc of two filters once', () => {
    expect(tieBand('t', samples, 0.0005)).toBeNull()
    expect(tieBand('t', [...samples, ...samples.map((one) => ({ ...one, filter: 'other' }))], 0.01)?.docs).toEqual([1, 2])
    expect(tieBand('t', [], 0.01)).toBeNull()
  })
})
