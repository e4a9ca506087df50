/** `npm run bench -- --gpu --quick` on the software adapter: every part of what runs on a machine with a GPU, on models that are next to nothing. */
import { expect, test } from '@playwright/test'
import type { BenchRow } from '../../tools/bench/rows.ts'
import type { GpuReport } from '../../tools/bench/gpu/report.ts'
import { isLong } from '../support/long.ts'
import { bench } from './bench-command.ts'

test('the bench of a GPU goes through all its parts on a software adapter, and its arms agree', async () => {
  // About 36 s of processor time.
  test.setTimeout(600_000)
  // hellaswag_10shot has all that hellaswag_0shot has, and a prefix.
  const works = ['mmlu_5shot', ...(isLong ? ['hellaswag_0shot'] : []), 'hellaswag_10shot', 'generate_200']
  const { code, stdout, stderr } = await bench('--gpu', '--quick', '--json', '--work', works.join())
  expect({ code, stderr }).toMatchObject({ code: 0 })
  const { machine, gpu, arms } = JSON.parse(stdout) as {
    readonly machine: object
    readonly gpu: GpuReport
    readonly arms: readonly BenchRow[]
  }
  expect(machine).toMatchObject({ cores: expect.any(Number) })

  expect(gpu.adapter).toMatchObject({ isFallback: true, features: expect.arrayContaining(['subgroups']) })
  expect(gpu.browser).toMatch(/^\d+\./)
  expect(gpu.switches).toContain('--use-webgpu-adapter=swiftshader')
  expect(gpu.faults).toEqual([])
  // No part is left out without a word.
  expect(gpu.skipped.map(({ part }) => part)).toEqual(['real shapes, other dtypes', "lm_eval on torch's CUDA"])
  expect(gpu.skipped.every(({ reason }) => reason.startsWith('--quick:'))).toBe(true)

  // The embedded model, then the made one of the other family with our own graph beside it. SwiftShader's GroupQueryAttention is wrong from 32 tokens on.
  expect(gpu.checks.map((row) => [row.model, row.form, row.dtype, row.self_check, row.longest_exact, row.scoring])).toEqual([
    ['yardstick/pico-gqa', 'gqa', 'q4', 'limited', 31, 'fast'],
    ['random/tiny', 'decomposed', 'fp32', 'passed', 32, 'fast'],
    ['random/tiny', 'own', 'fp32', 'limited', 31, 'fast'],
  ])
  for (const row of gpu.checks) {
    expect(row.self_check_diff).toBeLessThan(1e-3)
    expect(row.composition_diff).toBeLessThan(1e-3)
  }
  expect(gpu.goldens.map(({ model, requests }) => [model, requests])).toEqual([['yardstick/pico-gqa', 9]])
  for (const { max_abs_diff: diff } of gpu.goldens) expect(diff).toBeLessThan(1e-2)

  const named = (model: string, ...names: readonly string[]) => works.flatMap((work) => names.map((arm) => [model, work, arm, 'webgpu']))
  expect(arms.map(({ model, work, arm, device }) => [model, work, arm, device])).toEqual([
    ...named('random/tiny decomposed', 'naive', 'fast', 'own'),
    ...named('random/tiny gqa', 'naive'),
  ])
  for (const row of arms) {
    expect(row.docs_that_differ).toBe(0)
    if (row.work !== 'generate_200') expect(row.max_abs_diff).toBeLessThan(1e-4)
    if (row.arm !== 'naive') expect(row.tokens).toBeLessThanOrEqual(1.05 * row.trie_tokens)
  }
  expect(gpu.mmlu.map(({ form, docs }) => [form, docs])).toEqual([
    ['decomposed', 57],
    ['own', 57],
  ])
  for (const row of gpu.mmlu) {
    expect(row.tokens).toBeLessThanOrEqual(1.05 * row.least_tokens)
    expect(row.engine_ms).toBeLessThanOrEqual(row.ms)
  }
  expect(gpu.made).toMatchObject([{ model: 'random/tiny', dtype: 'fp32', parameters: 94_528 }])
})
