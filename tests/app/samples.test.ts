import { describe, expect, test } from 'vitest'
import { choiceName, mainRow, matches, perCharacter, picksDiffer } from '../../src/app/samples.ts'
import { isRight } from '../../src/core/viewer/verdict.ts'
import { resultsRow, sample } from './builders.ts'

describe('isRight', () => {
  test.each([
    [{ acc: 1, acc_norm: 0 }, true],
    [{ acc: 0, acc_norm: 1 }, false],
    [{ acc: 1.0 }, true],
    [{ exact_match: 0 }, false],
    [{ word_perplexity: [-47.2, 6] }, null],
    [{ f1: 0.4 }, null],
  ])('%j is %j', (metrics, expected) => {
    expect(isRight(sample(0, { metrics }))).toBe(expected)
  })
})

test('docs without choices never differ in their picks', () => {
  expect(picksDiffer(sample(0, { picks: null }))).toBe(false)
  expect(matches(sample(0, { picks: null }), 'differ')).toBe(false)
})

test('docs without a verdict are neither right nor wrong', () => {
  const one = sample(0, { metrics: { f1: 0.4 } })
  expect([matches(one, 'right'), matches(one, 'wrong'), matches(one, 'all')]).toEqual([false, false, true])
})

test('the length of a choice counts code points', () => {
  expect(perCharacter({ text: '🙂🙂', logprob: -3, isGreedy: false, unconditional: null })).toBe(-1.5)
  expect(perCharacter({ text: '', logprob: -3, isGreedy: false, unconditional: null })).toBeNull()
})

test('a group stands for the run before its tasks do', () => {
  const task = resultsRow('a', 'acc', 0.5)
  const group = resultsRow('g', 'acc', 0.6)
  expect(mainRow({ tasks: [task], groups: [group] })).toBe(group)
  expect(mainRow({ tasks: [task], groups: [] })).toBe(task)
  expect(mainRow({ tasks: [], groups: [] })).toBeNull()
})

test('choices go on with numbers after Z', () => {
  expect([choiceName(0), choiceName(25), choiceName(26)]).toEqual(['A', 'Z', '27'])
})
