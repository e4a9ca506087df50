import { describe, expect, it } from 'vitest'
import type { EngineFacts } from '../../src/contracts/engine.ts'
import { evaluate } from '../../src/evaluation/evaluate.ts'
import { differencesOf } from '../../src/planning/engine-differences.ts'
import { facts, madeEvaluation, madeTask, memoryRunStore, settings } from '../evaluation/fakes.ts'

const gpu: EngineFacts = {
  ...facts,
  device: 'webgpu',
  adapter: { vendor: 'a', architecture: 'b', description: 'First', isFallback: false },
  numericClass: 'first',
}

describe('the differences of two engines', () => {
  it('are none for the same', () => {
    expect(differencesOf(gpu, gpu)).toEqual([])
  })

  it.each<[string, Partial<EngineFacts>, string]>([
    ['another GPU', { adapter: { vendor: 'c', architecture: 'd', description: '', isFallback: false } }, 'the GPU (a b First, now c d)'],
    ['no GPU', { device: 'wasm', adapter: null }, 'the device (WebGPU, now WebAssembly)'],
    ['another engine', { engine: 'made 2.0' }, 'the engine (made 1.0, now made 2.0)'],
    ['shorter runs', { chunkTokens: 64 }, 'the length of a run (whole prompts, now 64 tokens)'],
    ['what only the numeric class knows', {}, 'its numeric class (first, now second)'],
  ])('name %s', (_, change, text) => {
    expect(differencesOf(gpu, { ...gpu, ...change, numericClass: 'second' })).toEqual([text])
  })

  it('count threads on WebAssembly alone', () => {
    const wasm = { ...facts, numericClass: 'second', threads: 4 }
    expect(differencesOf(facts, wasm)).toEqual(['the threads (1, now 4)'])
    expect(differencesOf(gpu, { ...gpu, threads: 4 })).toEqual([])
  })

  it('are told when a run can’t be gone on with, which stays interrupted', async () => {
    const store = memoryRunStore()
    const first = madeEvaluation(madeTask(20), store, () => {
      if (first.asked.length === 9) first.controller.abort()
    })
    await expect(evaluate(settings, first)).rejects.toMatchObject({ code: 'run/stopped' })
    const row = store.row('run-1')
    const other = madeEvaluation(madeTask(20), store)
    const elsewhere = {
      ...other,
      opener: { ...other.opener, knownFacts: async () => ({ ...facts, threads: 4, numericClass: 'other' }) },
    }
    await expect(evaluate(settings, elsewhere, row)).rejects.toMatchObject({
      code: 'run/plan-changed',
      message: expect.stringMatching(/the threads \(1, now 4\).*must not be mixed.*new run/) as string,
    })
    expect(store.row('run-1').status).toBe('interrupted')
  })
})
