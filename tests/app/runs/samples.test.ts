import { describe, expect, test } from 'vitest'
import { isRight } from '../../../src/analysis/viewer/verdict.ts'
import { choiceName, mainRow } from '../../../src/app/runs/samples.ts'
import { resultsRow, sample } from '../builders.ts'

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
