import { expect, test } from 'vitest'
import type { RunFacts } from '../../../src/analysis/compare/run-facts.ts'
import { namesByDifference } from '../../../src/app/compare/run-names.ts'

const facts = (change: Partial<RunFacts>): RunFacts => ({
  ...{ model: 'org/model', revision: 'main', commit: 'c', dtype: 'fp32', format: 'onnx', device: 'wasm', scoring: 'fast' },
  ...{ hasChatTemplate: false, shots: [0], limit: '24', seed: '1234', version: '0.4.13' },
  ...change,
})

test('runs are called by what differs', () => {
  expect(namesByDifference([facts({}), facts({ dtype: 'q4' })])).toEqual(['fp32', 'q4'])
  expect(namesByDifference([facts({}), facts({ format: 'gguf' })])).toEqual(['onnx', 'gguf'])
  expect(namesByDifference([facts({ revision: 'step-1' }), facts({ revision: 'step-2', limit: '' })])).toEqual([
    'step-1 · limit 24',
    'step-2',
  ])
  expect(namesByDifference([facts({}), facts({ hasChatTemplate: true })])).toEqual(['org/model', 'chat template'])
})

test('runs that are told apart by nothing have the model’s name', () => {
  expect(namesByDifference([facts({}), facts({})])).toEqual(['org/model', 'org/model'])
})
