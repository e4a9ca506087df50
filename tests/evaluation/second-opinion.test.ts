import { expect, it } from 'vitest'
import type { SecondOpinion } from '../../src/contracts/second-opinion.ts'
import { withSecondOpinion } from '../../src/evaluation/second-opinion.ts'

const opinion: SecondOpinion = {
  stack: 'another',
  device: 'wasm',
  dtype: 'fp32',
  docs: 1,
  requests: 1,
  tokens: 1,
  maxAbsDiff: 1e-7,
  maxSumDiff: Infinity,
  worst: null,
  tolerance: 1e-3,
  agrees: true,
  picks: 0,
  picksDiffering: [],
  passTokens: 31,
  seconds: 2,
  timesFaster: null,
}
const text = '{\n  "results": {\n    "acc": 1.0\n  },\n  "yardstick": {\n    "schema_version": 1\n  },\n  "end": 1e-05\n}'
const results = { resultsText: text, resultsFile: { results: { acc: 1 }, yardstick: { schema_version: 1 }, end: 1e-5 } }

it('stands in the results file under yardstick, and changes nothing else of its text', () => {
  const told = withSecondOpinion(results, opinion)
  const { yardstick, ...rest } = JSON.parse(told.resultsText) as { readonly yardstick: Record<string, unknown> }
  expect(yardstick['second_opinion']).toMatchObject({ stack: 'another', max_abs_diff: 1e-7, max_sum_diff: null, pass_tokens: 31 })
  expect(told.resultsFile.yardstick).toEqual(yardstick)
  expect(rest).toEqual({ results: { acc: 1 }, end: 1e-5 })
  expect(told.resultsText.replace(/^ {4}"second_opinion": .*\n/m, '')).toBe(text)
})

it('takes the place of an earlier one', () => {
  const second = withSecondOpinion(withSecondOpinion(results, opinion), { ...opinion, docs: 2 })
  expect(second.resultsText.match(/second_opinion/g)).toHaveLength(1)
  expect(second.resultsText).toContain('"docs":2')
})
