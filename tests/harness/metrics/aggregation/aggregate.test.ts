import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aggregate, estimateStderr } from '../../../../src/harness/metrics/aggregation/aggregate.ts'
import { bootstrapStderr } from '../../../../src/harness/metrics/aggregation/bootstrap.ts'
import { Resampler } from '../../../../src/harness/metrics/resampler.ts'
import { PyRandom } from '../../../../src/python/random.ts'
import { pyTuple } from '../../../../src/python/value.ts'

describe('vectors of the harness', () => {
  const lls = [-1, -2, -3.5, -0.5]

  test('perplexity and its bootstrap, which runs whole chunks only', () => {
    expect(aggregate(lls, 'perplexity')).toBe(5.754602676005731)
    const stderr = (bootstrapIters: number) => estimateStderr(lls, { metric: 'perplexity', aggregation: 'perplexity', bootstrapIters })
    expect(stderr(100)).toBe(4.735327124688466)
    expect(stderr(2500)).toBe(4.32598930145323)
  })

  test('text metrics', () => {
    const items = [
      pyTuple(['Paris is the capital of France.', 'Paris is the capital of France']),
      pyTuple(['Nairobi, Kenya', 'Nairobi Kenya']),
    ]
    expect(aggregate(items, 'bleu')).toBeCloseTo(74.40995947486907, 12)
    expect(aggregate(items, 'chrf')).toBeCloseTo(87.1436197545538, 12)
    expect(aggregate(items, 'chrf++')).toBeCloseTo(84.08030043758214, 12)
    expect(aggregate(items, 'ter')).toMatchObject({ value: 25 })
  })

  test('the mean of 0 and 1', () => {
    expect(estimateStderr([1, 0, 1, 1], { metric: 'acc', aggregation: 'mean', bootstrapIters: 1 })).toBe(0.25)
  })
})

describe('no standard error', () => {
  test.each([
    ['without iterations', [1, 0], 'mean', 0],
    ['for one item', [1], 'mean', 100],
    [
      'for an aggregation that the harness does not resample',
      [
        [1, 2],
        [3, 4],
      ],
      'weighted_perplexity',
      100,
    ],
  ] as const)('%s', (_name, items, aggregation, bootstrapIters) => {
    expect(estimateStderr(items, { metric: 'm', aggregation, bootstrapIters })).toBe('N/A')
  })

  test("for a task's own function, even one that averages", () => {
    expect(estimateStderr([1, 0], { metric: 'm', aggregation: () => 0.5, bootstrapIters: 100 })).toBe('N/A')
  })
})

test('a bootstrap reports its progress and stops when told', () => {
  const seen: number[] = []
  const run = () => bootstrapStderr(() => 1, 3, 5000, { onProgress: (done) => seen.push(done), shouldStop: () => seen.length === 2 })
  expect(run).toThrow(expect.objectContaining({ code: 'run/stopped' }))
  expect(seen).toEqual([1000, 2000])
})

test('resamples are drawn as Python draws choices', () => {
  fc.assert(
    fc.property(fc.nat(200), fc.integer({ min: 1, max: 500 }), (seed, count) => {
      const drawn = new Int32Array(700)
      new Resampler(seed).fill(drawn, count)
      const population = Array.from({ length: count }, (_, i) => i)
      return new PyRandom(seed).choices(population, 700).every((value, i) => value === drawn[i])
    }),
    { numRuns: 30 },
  )
})
