import { describe, expect, it } from 'vitest'
import { norms } from '../../../src/analysis/lab/norms.ts'
import { marginOf, picksUnder, scoreUnder } from '../../../src/analysis/viewer/choice-scores.ts'
import {
  countShows,
  docShows,
  matchesQuery,
  searchTexts,
  matchingEntries,
  type DocQuery,
} from '../../../src/analysis/viewer/doc-filters.ts'
import { excerptAt, indexDocs } from '../../../src/analysis/viewer/doc-index.ts'
import { ownTextStart, sharedStart } from '../../../src/analysis/viewer/own-text.ts'
import { isInvalid } from '../../../src/analysis/viewer/verdict.ts'
import type { SampleView } from '../../../src/contracts/samples.ts'
import { choice, draws, madeChoiceSample, madeReplySample } from './made-samples.ts'

const seed = 20261121
const draw = draws(seed)
const samples = Array.from({ length: 400 }, (_, docId) => madeChoiceSample(docId, draw))
const query = (change: Partial<DocQuery>): DocQuery => ({ show: 'all', against: 'acc_norm', nearNats: 0.2, ...change })

/** How far one sum must move before the pick changes, found by moving it. */
function marginByMoving({ choices, picks }: SampleView): number {
  const margins = (['acc', 'acc_norm'] as const).map((norm) => {
    const lengths = choices.map(({ text }) => (norm === 'acc' ? 1 : [...text].length))
    const pick = picks?.[norm] ?? -1
    const loses = (by: number): boolean =>
      choices.some(
        ({ logprob }, at) => at !== pick && logprob / (lengths[at] ?? 1) > ((choices[pick]?.logprob ?? 0) - by) / (lengths[pick] ?? 1),
      )
    let [low, high] = [0, 1000]
    for (let step = 0; step < 60; step++) {
      const middle = (low + high) / 2
      if (loses(middle)) high = middle
      else low = middle
    }
    return high
  })
  return Math.min(...margins)
}

describe(`an index of made docs (seed ${seed})`, () => {
  const { index, search } = indexDocs('made', samples)

  it('filters as looking at every sample does', () => {
    const byHand: { readonly [show: string]: (sample: SampleView) => boolean } = {
      all: () => true,
      wrong: ({ metrics }) => metrics['acc'] === 0,
      right: ({ metrics }) => metrics['acc'] === 1,
      flipped: ({ picks }) => picks?.acc !== picks?.acc_norm,
      'near-tie': (sample) => marginByMoving(sample) <= 0.2,
      invalid: () => false,
    }
    const counts = countShows(index, 'none', query({}))
    for (const show of docShows) {
      const wanted = samples.flatMap((sample, at) => (byHand[show]?.(sample) === true ? [at] : []))
      expect([show, [...matchingEntries(index, 'none', query({ show }), null)]]).toEqual([show, wanted])
      expect([show, counts[show]]).toEqual([show, wanted.length])
    }
    expect(counts.flipped).toBeGreaterThan(0)
    expect(counts['near-tie']).toBeGreaterThan(0)
  })

  it('holds every norm’s pick, also where the sample was kept without it', () => {
    for (const norm of norms) {
      const wanted = samples.map((sample) => {
        const scores = sample.choices.map((one) => scoreUnder(one, norm) ?? NaN)
        return scores.indexOf(Math.max(...scores))
      })
      expect([norm, [...index.picks[norm]]]).toEqual([norm, wanted])
      expect(
        matchingEntries(index, 'none', query({ show: 'flipped', against: norm === 'acc' ? 'acc_norm' : norm }), null).length,
      ).toBeGreaterThan(0)
    }
  })

  it('finds a text in questions and choices, in either case, and never across two docs', () => {
    for (const searched of ['éCLAIR', '水', 'zebra', 'question: stone', 'nowhere at all', 'answer:', '17']) {
      const wanted = samples.map(({ prompt, choices, target }) =>
        Number(
          [prompt.slice(sharedStart(samples.map((one) => one.prompt))), ...choices.map(({ text }) => text), target]
            .join('\n')
            .toLowerCase()
            .includes(searched.toLowerCase()),
        ),
      )
      expect([searched, [...searchTexts(search, searched)]]).toEqual([searched, wanted])
    }
    expect([...searchTexts(search, '')].every((hit) => hit === 1)).toBe(true)
    // What every prompt begins with tells no doc from another.
    expect([...searchTexts(search, 'read and answer')].some((hit) => hit === 1)).toBe(false)
    const two = indexDocs('made', [madeReplySample(0, 'ab', ''), madeReplySample(1, 'cd', '')])
    expect([...searchTexts(two.search, 'ab\ncd')]).toEqual([0, 0])
  })

  it('keeps to the searched hits and to one filter', () => {
    const two = indexDocs(
      'made',
      [0, 1, 2, 3].map((at) => madeReplySample(at % 2, 'x', at === 3 ? '42' : '', { filter: at < 2 ? 'a' : 'b' })),
    )
    expect(two.index.filters).toEqual(['a', 'b'])
    expect([...matchingEntries(two.index, 'b', query({}), null)]).toEqual([2, 3])
    expect([...matchingEntries(two.index, 'b', query({ show: 'right' }), null)]).toEqual([3])
    expect([...matchingEntries(two.index, 'unknown', query({}), null)]).toEqual([0, 1])
    expect([...matchingEntries(two.index, 'b', query({}), Uint8Array.of(1, 1, 1, 0))]).toEqual([2])
    expect(matchesQuery(two.index, 0, query({ show: 'near-tie' }))).toBe(false)
  })

  it('shows of each prompt what is the doc’s own', () => {
    expect(excerptAt(index, 0)).toBe(samples[0]?.prompt.split('\n\n')[1]?.replace('\n', ' '))
    expect(excerptAt(index, 399)).toBe(samples[399]?.prompt.split('\n\n')[1]?.replace('\n', ' '))
    const bare = indexDocs('made', [madeChoiceSample(0, draw, { prompt: '', choices: [choice('only this', -1)] })])
    expect(excerptAt(bare.index, 0)).toBe('only this')
  })
})

describe('the start that prompts share', () => {
  it.each([
    [['x\nab', 'x\nac'], 2],
    [['x\ny\nab', 'x\nzc'], 2],
    [['ab', 'ac'], 0],
    [['same\n', 'same\n'], 0],
    [['one\ntwo'], 0],
    [[], 0],
    [[`${'x'.repeat(9000)}\na`, `${'x'.repeat(9000)}\nb`], 9001],
    [['x\n', 'x\nmore'], 2],
  ])('%#', (prompts, wanted) => {
    expect(sharedStart(prompts)).toBe(wanted)
  })

  it('is not all of it where examples differ: the last paragraph counts', () => {
    const prompt = 'Q: one\nA: x\n\nQ: two\nA:'
    expect(prompt.slice(ownTextStart(prompt, 0))).toBe('Q: two\nA:')
    expect(ownTextStart('short', 99)).toBe(5)
  })
})

describe('a doc without an answer', () => {
  it.each([
    [madeReplySample(0, 'The answer is 42', '42'), false],
    [madeReplySample(0, 'Well', '[invalid]'), true],
    [madeReplySample(0, '', ''), true],
    [madeReplySample(0, 'x', '', { filterSteps: [{ name: 'majority', outputs: ['[invalid]', '42'] }] }), false],
    [madeChoiceSample(0, draws(1), { choices: [choice('a', -1), choice('b', NaN)] }), true],
    [madeChoiceSample(0, draws(1)), false],
  ])('%#', (sample, wanted) => {
    expect(isInvalid(sample)).toBe(wanted)
  })

  it('has no margin, and a doc with two equal choices has none to lose', () => {
    expect(marginOf(madeReplySample(0, 'x', 'x'))).toBeNaN()
    expect(
      marginOf(
        madeChoiceSample(0, draws(1), { choices: [choice('a', -2), choice('b', -2)], picks: { acc: 0, acc_norm: 0, acc_bytes: 0 } }),
      ),
    ).toBe(0)
    expect(picksUnder(madeReplySample(0, 'x', 'x')).acc).toBe(-1)
  })
})
