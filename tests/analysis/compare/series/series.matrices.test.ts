/** The dtype matrix and the prompt fan, beside scipy's numbers from `tests/make-goldens/make_fan_goldens.py` and beside counts made by hand. */
import { readFileSync } from 'node:fs'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import { verdictAgreements } from '../../../../src/analysis/compare/agreement/verdict-agreement.ts'
import { compareRuns } from '../../../../src/analysis/compare/compare-runs.ts'
import { choiceDivergence, dtypeMatrix } from '../../../../src/analysis/compare/series/dtype-matrix.ts'
import { cochranP, promptFans } from '../../../../src/analysis/compare/series/prompt-fan.ts'
import { chiSquaredUpper } from '../../../../src/analysis/compare/significance.ts'
import { madeRun } from '../made-runs.ts'

const list = v.array(v.number())
const goldens = v.parse(
  v.object({
    divergences: v.array(v.object({ before: list, now: list, kl: v.number() })),
    tails: v.array(v.tuple([v.number(), v.number(), v.number()])),
    cochran: v.array(v.object({ values: v.array(list), p: v.number() })),
  }),
  JSON.parse(readFileSync(new URL('../../../goldens/compare/fans.json', import.meta.url), 'utf8')),
)

describe('statistics equal scipy’s', () => {
  test('the divergence of one softmax from another', () => {
    expect(goldens.divergences.length).toBeGreaterThan(10)
    for (const { before, now, kl } of goldens.divergences)
      expect(Math.abs(choiceDivergence(before, now) - kl)).toBeLessThan(1e-12 + 1e-9 * kl)
    expect(choiceDivergence([-1, -2], [-3, -4])).toBe(0)
    expect(choiceDivergence([-1, -2], [-1])).toBeNaN()
    expect(choiceDivergence([0, -Infinity], [0, -Infinity])).toBe(0)
    expect(choiceDivergence([0, 0], [0, -Infinity])).toBe(Infinity)
  })

  test('the tail of chi-squared, and Cochran’s Q', () => {
    for (const [x, k, p] of goldens.tails) expect(Math.abs(chiSquaredUpper(x, k) - p)).toBeLessThan(1e-15 + 1e-10 * p)
    for (const { values, p } of goldens.cochran) expect(cochranP(values)).toBeCloseTo(p, 10)
    expect(
      cochranP([
        [1, 0, 1],
        [1, 0, 1],
      ]),
    ).toBe(1)
  })
})

describe('the dtype matrix', () => {
  const sure = [
    [-1, -5],
    [-5, -1],
    [-1, -5],
  ]
  const q4 = {
    a: { acc: [1, 0, 0], logprobs: [sure[0] ?? [], [-1, -5], [-5, -1]] },
    b: { acc: [1, 1], logprobs: [sure[0] ?? [], sure[1] ?? []] },
  }
  const fp32 = { a: { acc: [1, 1, 1], logprobs: sure }, b: { acc: [1, 0], logprobs: [sure[0] ?? [], sure[0] ?? []] } }

  test('holds each dtype against the most precise one, the task that suffers most first', () => {
    const matrix = dtypeMatrix([
      madeRun('A', q4, { dtype: 'q4' }),
      madeRun('B', fp32, { dtype: 'fp32' }),
      madeRun('C', fp32, { dtype: 'q8' }),
    ])
    expect(matrix?.reference).toEqual({ dtype: 'fp32', run: 1 })
    expect(matrix?.arms.map(({ dtype, run }) => [dtype, run])).toEqual([
      ['q8', 2],
      ['q4', 0],
    ])
    const [same, other] = matrix?.arms ?? []
    expect(same?.all).toMatchObject({ docs: 5, scored: 5, otherPick: 0, meanKl: 0, gained: 0, lost: 0, difference: 0, p: 1 })
    expect(other?.all).toMatchObject({ docs: 5, scored: 5, otherPick: 3, judged: 5, gained: 1, lost: 2, difference: -0.2 })
    expect(other?.tasks.map(({ task, gained, lost, difference }) => ({ task, gained, lost, difference }))).toEqual([
      { task: 'a', gained: 0, lost: 2, difference: -2 / 3 },
      { task: 'b', gained: 1, lost: 0, difference: 0.5 },
    ])
    // Three docs of five turned round: each diverges by (p - q) · 4 nats, with p and q the softmax of a gap of 4.
    const p = 1 / (1 + Math.exp(-4))
    expect(other?.all.meanKl).toBeCloseTo((3 * (2 * p - 1) * 4) / 5, 12)
  })

  test('is none where anything but the dtype differs', () => {
    const run = (dtype: string, commit: string) => madeRun(dtype, fp32, { dtype, commit })
    expect(dtypeMatrix([run('fp32', 'c1'), run('q4', 'c2')])).toBeNull()
    expect(dtypeMatrix([run('q4', 'c1'), run('q4', 'c1')])).toBeNull()
    expect(dtypeMatrix([run('q4', 'c1')])).toBeNull()
  })
})

describe('the prompt fan', () => {
  const letters = { acc: [1, 1, 0, 1], prompt: 'l', docs: 'd' }
  const texts = { acc: [0, 1, 0, 0], prompt: 't', docs: 'd' }

  test('knows prompts over the same docs by their hashes, in one run or in several', () => {
    const other = { acc: [1, 0, 1, 1], prompt: 'x', docs: 'others' }
    const [fan, ...more] = promptFans([madeRun('A', { letters, other }), madeRun('B', { texts })])
    expect(more).toEqual([])
    expect(fan).toMatchObject({
      metric: 'acc',
      docs: 4,
      arms: [
        { run: 0, task: 'letters', value: 0.75 },
        { run: 1, task: 'texts', value: 0.25 },
      ],
    })
    expect(fan?.spread).toBe(0.5)
    expect(fan?.sd).toBeCloseTo(Math.sqrt(0.125), 12)
    // Two docs are gained, none is lost: the paired error is smaller than that of two scores beside each other.
    expect(fan?.pairs).toMatchObject([{ better: 0, worse: 1, difference: 0.5, p: 0.5, pAdjusted: 0.5 }])
    expect(fan?.pairs[0]?.stderr).toBeCloseTo(Math.sqrt(1 / 3) / 2, 12)
    expect(fan?.samplingError).toBeCloseTo(0.25, 12)
  })

  test('is none for the same prompt twice, for another dtype, and for other docs', () => {
    expect(promptFans([madeRun('A', { t: letters }), madeRun('B', { t: letters })])).toEqual([])
    expect(promptFans([madeRun('A', { letters }), madeRun('B', { texts }, { dtype: 'q4' })])).toEqual([])
    expect(promptFans([madeRun('A', { letters }), madeRun('B', { texts: { ...texts, docs: 'e' } })])).toEqual([])
  })

  test('takes the chat template on and off as two prompts of one task', () => {
    const fans = promptFans([madeRun('A', { t: letters }), madeRun('B', { t: { ...letters, prompt: 'chat' } })])
    expect(fans).toMatchObject([{ spread: 0, p: 1, arms: [{ run: 0 }, { run: 1 }] }])
  })
})

describe('agreement on single docs', () => {
  const run = (task: string, metric: string, values: readonly number[], hash: string | null) => {
    const made = madeRun(task, { [task]: { acc: values } })
    const samples = [...(made.samples.get(task) ?? [])].map((sample, at) => ({
      ...sample,
      docHash: hash === null ? null : `${hash} ${values.length - at}`,
      promptHash: hash === null ? null : sample.promptHash,
      metrics: { [metric]: values[at] ?? 0 },
    }))
    return { ...made, samples: new Map([[task, samples]]) }
  }

  test('is told where task and metric have other names, by the docs’ hashes or by their places', () => {
    const left = run('facts', 'acc', [1, 1, 0, 0], null)
    expect(verdictAgreements(left, run('set', 'exact_match', [1, 0, 1, 0], null))).toMatchObject([
      {
        left: { task: 'facts', metric: 'acc' },
        right: { task: 'set', metric: 'exact_match' },
        pairedBy: 'place',
        agreement: { n: 4, agree: 2, gained: [1], lost: [2], kappa: 0, p: 1 },
      },
    ])
    const [byHash] = verdictAgreements(run('facts', 'acc', [1, 1, 0], 'h'), run('set', 'exact_match', [1, 0], 'h'))
    // Hashes count from the end: the right run's two docs are the left one's last two.
    expect(byHash).toMatchObject({ pairedBy: 'hash', agreement: { n: 2, agree: 2 } })
  })

  test('is none for what the table of differences has, and for other numbers of docs', () => {
    expect(verdictAgreements(run('t', 'acc', [1, 0], null), run('t', 'acc', [0, 0], null))).toEqual([])
    expect(verdictAgreements(run('t', 'acc', [1, 0], null), run('s', 'em', [0], null))).toEqual([])
  })
})

test('a group whose score is the mean over its docs is paired doc by doc, one that counts tasks the same is not', () => {
  const tasks = (a: readonly number[], b: readonly number[]) => ({ a: { acc: a }, b: { acc: b } })
  const withGroup = (run: ReturnType<typeof madeRun>, value: number) => ({
    ...run,
    file: {
      ...run.file,
      results: { ...run.file.results, g: { 'acc,none': value, 'acc_stderr,none': 0.1 } },
      whole: { ...run.file.whole, group_subtasks: { g: ['a', 'inner'], inner: ['b'] } },
    },
  })
  const [left, right] = [madeRun('A', tasks([1, 1, 1], [1])), madeRun('B', tasks([0, 0, 1], [0]))]
  const groupOf = (one: number, other: number) =>
    compareRuns(withGroup(left, one), [withGroup(right, other)])[0]?.scores.find(({ task }) => task === 'g')?.difference
  expect(groupOf(1, 0.25)).toMatchObject({
    test: 'mcnemar',
    docs: 4,
    changed: { leftOnly: 3, rightOnly: 0 },
    flips: null,
    p: 0.25,
    value: 0.75,
  })
  expect(groupOf(1, 1 / 6)).toMatchObject({ test: 'unpaired', docs: null })
})
