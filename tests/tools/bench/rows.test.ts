import { expect, test } from 'vitest'
import { faultsOfRows } from '../../../tools/bench/limits.ts'
import { benchTable, type BenchRow } from '../../../tools/bench/rows.ts'

const row: BenchRow = {
  work: 'mmlu_5shot',
  arm: 'fast',
  model: 'm',
  device: 'wasm',
  dtype: 'q4',
  threads: 2,
  docs: 20,
  ms: 1000,
  engine_ms: 960,
  cpu_ms: 1900,
  runs: 21,
  tokens: 2400,
  trie_tokens: 2400,
  rows: 20,
  bytes_read_back: 1000,
  peak_bytes: 1e9,
  opening_peak_bytes: 8e8,
  max_abs_diff: 1e-6,
  docs_that_differ: 0,
}

test('the table says how many times faster an arm is than the naive one of the same work, model and device', () => {
  const naive: BenchRow = { ...row, arm: 'naive', ms: 21_000 }
  const lines = benchTable([naive, row, { ...row, device: 'webgpu' }, { ...row, arm: 'harness', device: 'cpu', docs: 10 }]).split('\n')
  const factors = lines.slice(2).map((line) => line.split(' | ')[6])
  expect(factors).toEqual(['1.00', '21.00', '', '10.50'])
  expect(new Set(lines.map((line) => line.split(' | ').length))).toEqual(new Set([18, 1]))
})

test('a row within its limits has no fault', () => {
  expect(faultsOfRows([row])).toEqual([])
})

test('counts and differences beyond their limits are faults, each with what was allowed', () => {
  const faults = (changes: Partial<BenchRow>) => faultsOfRows([{ ...row, ...changes }])
  expect(faults({ tokens: 2521 })).toEqual(['mmlu_5shot, fast, m on wasm: 2521 tokens computed, 2520 are allowed'])
  expect(faults({ bytes_read_back: 20 * 1024 })).toEqual([
    'mmlu_5shot, fast, m on wasm: 1024 bytes read back a question, below 1024 are allowed',
  ])
  expect(faults({ max_abs_diff: 0.006 })).toEqual([
    'mmlu_5shot, fast, m on wasm: differs from the reference path by 0.006 nats, 0.005 are allowed',
  ])
  expect(faults({ max_abs_diff: NaN })).toHaveLength(1)
  expect(faults({ work: 'wikitext', max_abs_diff: 0.03, bytes_read_back: 1e6 })).toEqual([])
})

test('only the fast arm is held to the trie, and the harness to no difference, for its weights are others', () => {
  expect(faultsOfRows([{ ...row, arm: 'naive', tokens: 1e6, bytes_read_back: 1e9 }])).toEqual([])
  expect(faultsOfRows([{ ...row, arm: 'harness', max_abs_diff: 2 }])).toEqual([])
  expect(faultsOfRows([{ ...row, work: 'gsm8k', max_abs_diff: null, tokens: 1e6 }])).toEqual([])
})
