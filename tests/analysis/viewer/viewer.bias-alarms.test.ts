import { describe, expect, it } from 'vitest'
import { addTallies, alarmsOf, massOf, noTally, tallyDoc } from '../../../src/analysis/viewer/alarms.ts'
import { addBias, biasOfDoc, noBias } from '../../../src/analysis/viewer/choice-bias.ts'
import { isInvalid } from '../../../src/analysis/viewer/verdict.ts'
import type { SampleView } from '../../../src/contracts/samples.ts'
import { choice, draws, madeChoiceSample, madeReplySample } from './made-samples.ts'

const biasOf = (samples: readonly SampleView[]) => samples.map(biasOfDoc).reduce(addBias, noBias)
const tallyOf = (samples: readonly SampleView[]) => samples.map((one) => tallyDoc(one, isInvalid(one))).reduce(addTallies, noTally)
const alarms = (samples: readonly SampleView[]) => alarmsOf(biasOf(samples), tallyOf(samples))

/** A doc of lettered choices with these log-probabilities. */
function lettered(logprobs: readonly number[], gold: number, ids = logprobs.map((_, at) => at)): SampleView {
  const choices = logprobs.map((logprob, at) =>
    choice(String.fromCharCode(65 + at), logprob, { tokens: { ids: [ids[at] ?? 0], texts: ['x'], logprobs: [logprob] } }),
  )
  const pick = logprobs.indexOf(Math.max(...logprobs))
  return madeChoiceSample(0, draws(1), { choices, gold: [gold], picks: { acc: pick, acc_norm: pick, acc_bytes: pick } })
}
const fair = Array.from({ length: 40 }, (_, at) =>
  lettered(
    [0, 1, 2, 3].map((place) => (place === at % 4 ? -0.5 : -2)),
    (at + 1) % 4,
  ),
)

describe('the tally of what is picked', () => {
  it('counts places and lengths as looking at every doc does', () => {
    const draw = draws(7)
    const samples = Array.from({ length: 300 }, (_, at) => madeChoiceSample(at, draw))
    const bias = biasOf(samples)
    const count = (test: (sample: SampleView) => boolean) => samples.filter(test).length
    expect(bias.docs).toBe(300)
    for (const [place, share] of bias.positions.entries()) {
      expect(share.picked).toEqual({
        acc: count(({ picks }) => picks?.acc === place),
        acc_norm: count(({ picks }) => picks?.acc_norm === place),
      })
      expect(share.gold).toBe(count(({ gold }) => gold[0] === place))
      expect(share.chance).toBeCloseTo(
        samples.reduce((sum, { choices }) => sum + (choices.length > place ? 1 / choices.length : 0), 0),
        9,
      )
    }
    const length = (sample: SampleView, at: number) => [...(sample.choices[at]?.text ?? '')].length
    const all = (sample: SampleView) => sample.choices.map((_, at) => length(sample, at))
    const differ = samples.filter((sample) => new Set(all(sample)).size > 1)
    expect(bias.docsOfLengths).toBe(differ.length)
    expect(bias.longest.picked.acc).toBe(differ.filter((one) => length(one, one.picks?.acc ?? -1) === Math.max(...all(one))).length)
    expect(bias.shortest.picked.acc_norm).toBe(
      differ.filter((one) => length(one, one.picks?.acc_norm ?? -1) === Math.min(...all(one))).length,
    )
    expect(bias.shortest.gold).toBe(differ.filter((one) => length(one, one.gold[0] ?? -1) === Math.min(...all(one))).length)
  })

  it('divides a doc with two right choices between them, and leaves replies out', () => {
    const two = madeChoiceSample(0, draws(1), {
      choices: [choice('a', -1), choice('b', -2)],
      gold: [0, 1],
      picks: { acc: 0, acc_norm: 0, acc_bytes: 0 },
    })
    expect(biasOfDoc(two).positions.map(({ gold }) => gold)).toEqual([0.5, 0.5])
    expect(biasOfDoc(madeReplySample(0, 'x', 'x'))).toEqual(noBias)
    expect(biasOfDoc(two).docsOfLengths).toBe(0)
  })
})

describe('alarms', () => {
  it('stay silent for a fair run', () => {
    expect(alarms(fair)).toEqual([])
    expect(alarms([])).toEqual([])
  })

  it('name choices that all score the same', () => {
    const broken = fair.map((_, at) => lettered([0, 0, 0, 0], at % 4))
    expect(alarms(broken).map(({ kind }) => kind)).toContain('equal-choices')
    expect(alarms(broken)).toContainEqual({ kind: 'equal-choices', docs: 40, of: 40 })
  })

  it('name a letter above 60%, unless the answers are there too', () => {
    const mostly = (share: number, gold: (at: number) => number) =>
      Array.from({ length: 100 }, (_, at) =>
        lettered(
          [0, 1, 2, 3].map((place) => (place === (at < share ? 2 : at % 2) ? -0.5 : -2)),
          gold(at),
        ),
      )
    expect(alarms(mostly(60, (at) => at % 4))).toEqual([])
    expect(alarms(mostly(61, (at) => at % 4))).toEqual([{ kind: 'one-position', norm: 'acc', position: 2, picked: 61, gold: 25, of: 100 }])
    expect(alarms(mostly(61, () => 2))).toEqual([])
    expect(alarms(mostly(61, (at) => at % 4).slice(0, 19))).toEqual([])
  })

  it('want more than 80% of one of two choices', () => {
    const yes = (share: number) => Array.from({ length: 100 }, (_, at) => lettered(at < share ? [-0.3, -2] : [-2, -0.3], at % 2))
    expect(alarms(yes(80))).toEqual([])
    expect(alarms(yes(81)).map(({ kind }) => kind)).toEqual(['one-position'])
  })

  it('name letters that hardly get any probability, and no whole texts', () => {
    const low = fair.map(({ choices, gold }) =>
      lettered(
        choices.map(({ logprob }) => logprob - 6),
        gold[0] ?? 0,
      ),
    )
    const [alarm] = alarms(low)
    expect(alarm).toMatchObject({ kind: 'low-mass', docs: 40, of: 40 })
    const mass = Math.exp(-6.5) + 3 * Math.exp(-8)
    expect(alarm?.kind === 'low-mass' ? alarm.meanMass : NaN).toBeCloseTo(mass, 12)
    const texts = low.map((one) => ({
      ...one,
      choices: one.choices.map((each) => ({ ...each, tokens: { ids: [1, 2], texts: ['', ''], logprobs: [each.logprob, 0] } })),
    }))
    expect(alarms(texts)).toEqual([])
  })

  it('let words that go on a sentence be unlikely, each of them one token or not', () => {
    const words = [' Paris', ' Rome', ' 12', ' نعم']
    const unlikely = fair.map((_, at) => {
      const { choices, ...rest } = lettered(
        [0, 1, 2, 3].map((place) => (place === at % 4 ? -7 : -9)),
        (at + 1) % 4,
      )
      return { ...rest, choices: choices.map((each, place) => ({ ...each, text: words[place] ?? '' })) }
    })
    expect(unlikely.map(massOf)).toEqual(unlikely.map(() => null))
    expect(alarms(unlikely)).toEqual([])
    const labels = unlikely.map((one) => ({
      ...one,
      choices: one.choices.map((each, place) => ({ ...each, text: [' (A)', ' B.', ' ג', ' 4'][place] ?? '' })),
    }))
    expect(alarms(labels).map(({ kind }) => kind)).toEqual(['low-mass'])
  })

  it('count a token that two choices share once', () => {
    expect(massOf(lettered([-1, -1, -2], 0, [5, 5, 6]))).toBeCloseTo(Math.exp(-1) + Math.exp(-2), 12)
    expect(massOf(madeChoiceSample(0, draws(1), { choices: [choice('a', -1)] }))).toBeNull()
  })

  it('name lost numbers, and replies without an answer', () => {
    expect(alarms([...fair, lettered([NaN, -1, -1, -2], 0)])).toEqual([{ kind: 'not-finite', docs: 1, of: 41 }])
    const replies = Array.from({ length: 20 }, (_, at) => madeReplySample(at, 'x', at < 11 ? '[invalid]' : '42'))
    expect(alarms(replies)).toEqual([{ kind: 'no-answer', docs: 11, of: 20 }])
    expect(alarms(replies.slice(1).concat(madeReplySample(20, 'x', '42')))).toEqual([])
  })
})
