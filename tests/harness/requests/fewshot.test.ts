/** Few-shot draws. Numbers are CPython's for seed 1234 over a pool of 30. */
import { describe, expect, it } from 'vitest'
import { canLeak, makeSampler } from '../../../src/harness/requests/fewshot.ts'
import { readTaskConfig } from '../../../src/harness/tasks/task-config.ts'
import { readYamlMapping } from '../../../src/python/yaml/parse.ts'
import { rowsOf } from '../../support/tables.ts'

const config = (text: string) => readTaskConfig(readYamlMapping(`task: t\ndataset_path: d\n${text}`, 't.yaml'), 't.yaml')
const pool = rowsOf(Array.from({ length: 30 }, (_, index) => ({ i: index })))
const otherDoc = new Map([['i', 99]])
const positions = (docs: readonly ReadonlyMap<string, unknown>[]) => docs.map((doc) => doc.get('i'))

describe('the default sampler', () => {
  it('draws on from doc to doc', () => {
    const sampler = makeSampler({ name: 't', config: config('test_split: test\nfewshot_split: train'), fewshotPool: pool }, 1234)
    expect([0, 1, 2].map(() => positions(sampler.sample(2, otherDoc)))).toEqual([
      [24, 14],
      [3, 0],
      [2, 29],
    ])
  })

  it('draws one more and drops it when neither split is set', () => {
    const sampler = makeSampler({ name: 't', config: config('validation_split: val\ntraining_split: train'), fewshotPool: pool }, 1234)
    expect([0, 1, 2].map(() => positions(sampler.sample(2, otherDoc)))).toEqual([
      [24, 14],
      [0, 2],
      [25, 18],
    ])
  })

  it('keeps the asked doc out, drawing again when copies of it leave too few', () => {
    const copies = rowsOf([{ i: 1 }, { i: 1 }, { i: 1 }, { i: 2 }])
    const sampler = makeSampler({ name: 't', config: config('test_split: test\nfewshot_split: test'), fewshotPool: copies }, 1234)
    expect(positions(sampler.sample(1, new Map([['i', 1]])))).toEqual([2])
  })

  it.each(['default', 'first_n'])('says how many there are when too many are wanted (%s)', (name) => {
    const text = `test_split: test\nfewshot_config: {sampler: ${name}, split: train}`
    const sampler = makeSampler({ name: 't', config: config(text), fewshotPool: pool.slice(0, 2) }, 1234)
    expect(() => sampler.sample(3, otherDoc)).toThrow("task 't': wanted 3 few-shot examples, but the split 'train' can give only 2")
  })
})

it('first_n takes the first docs, the asked one left out where splits are equal', () => {
  const text = 'test_split: test\nfewshot_config: {sampler: first_n, split: test}'
  const sampler = makeSampler({ name: 't', config: config(text), fewshotPool: pool }, 1234)
  expect(positions(sampler.sample(2, new Map([['i', 0]])))).toEqual([1, 2])
})

it('a task with a test split alone can show the answer of the doc it asks', () => {
  expect(canLeak(config('test_split: test'))).toBe(true)
  expect(canLeak(config('test_split: test\nfewshot_split: test'))).toBe(false)
  expect(canLeak(config('test_split: test\ntraining_split: train'))).toBe(false)
  expect(canLeak(config('validation_split: val\nfewshot_split: val'))).toBe(true)
})
