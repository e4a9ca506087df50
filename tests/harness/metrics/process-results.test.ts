import { describe, expect, test } from 'vitest'
import { resolveMetrics } from '../../../src/harness/metrics/metric-list.ts'
import { processResults, responseValue } from '../../../src/harness/metrics/process-results.ts'
import { type PyValue, toJson } from '../../../src/python/value.ts'
import { makeTask } from '../../support/make-task.ts'

const noFunctions = { aggregation: () => null, metric: () => null }

function score(
  metrics: readonly string[],
  choices: readonly string[],
  logprobs: readonly number[],
  tokenCounts: readonly number[] | null = null,
) {
  const doc = new Map<string, PyValue>([
    ['choices', choices],
    ['gold', 1],
  ])
  const config = new Map<string, PyValue>([
    ['output_type', 'multiple_choice'],
    ['doc_to_text', 'q'],
    ['doc_to_target', 'gold'],
    ['doc_to_choice', 'choices'],
    ['metric_list', metrics.map((metric) => new Map([['metric', metric]]))],
  ])
  const task = makeTask(config, [doc])
  const results = logprobs.map((logprob) => responseValue({ type: 'loglikelihood', logprob, isGreedy: false }))
  return toJson(processResults(task, resolveMetrics(task.config, noFunctions), { doc, results, tokenCounts }))
}

describe('multiple choice', () => {
  test('lengths are code points and bytes, not UTF-16 units', () => {
    // By code points -4/2 loses to -6/4; by bytes -4/8 wins over -6/4.
    expect(score(['acc', 'acc_norm', 'acc_bytes'], ['😀😀', 'abcd'], [-4, -6])).toEqual({ acc: 0, acc_norm: 1, acc_bytes: 0 })
  })

  test('acc_tok divides by tokens, and only when it is asked for', () => {
    expect(score(['acc', 'acc_tok'], ['a', 'b'], [-4, -6], [1, 3])).toEqual({ acc: 0, acc_tok: 1 })
    expect(score(['acc'], ['a', 'b'], [-4, -6], [1, 3])).toEqual({ acc: 0 })
    expect(() => score(['acc_tok'], ['a', 'b'], [-4, -6])).toThrow('token counts')
  })

  test('ties go to the first choice and NaN wins', () => {
    expect(score(['acc'], ['a', 'b'], [-1, -1])).toEqual({ acc: 0 })
    expect(score(['acc'], ['a', 'b'], [-1, NaN])).toEqual({ acc: 1 })
  })

  test('as many answers as choices are wanted', () => {
    expect(() => score(['acc'], ['a', 'b', 'c'], [-1, -2])).toThrow(expect.objectContaining({ code: 'metric/failed' }))
  })
})
