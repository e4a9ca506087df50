import { expect, test } from 'vitest'
import type { EngineFacts } from '../../../../src/contracts/engine.ts'
import type { AdapterFacts } from '../../../../src/contracts/model-session.ts'
import type { MmluUsage } from '../../../../tools/bench/page/arm-api.ts'
import { ArmError } from '../../../../tools/bench/gpu/arms.ts'
import { checkRowOf, faultsOfCheck } from '../../../../tools/bench/gpu/check-row.ts'
import { Collected } from '../../../../tools/bench/gpu/collected.ts'
import { parseCard } from '../../../../tools/bench/gpu/machine.ts'
import { mmluRowOf } from '../../../../tools/bench/gpu/mmlu-row.ts'
import type { GpuModel } from '../../../../tools/bench/gpu/models/gpu-model.ts'
import { arithmeticFloorMs, peakOf } from '../../../../tools/bench/gpu/peaks.ts'
import { isMet, type GpuReport } from '../../../../tools/bench/gpu/report.ts'
import { gpuTable } from '../../../../tools/bench/gpu/table.ts'
import { targetsOf } from '../../../../tools/bench/gpu/targets.ts'
import type { BenchRow } from '../../../../tools/bench/rows.ts'

const model: GpuModel = {
  key: 'k',
  id: 'random/135M',
  form: 'gqa',
  dtype: 'q4',
  folder: '/f',
  file: 'model_q4.onnx',
  externalFiles: [],
  vocabularySize: 49_152,
  device: 'webgpu',
  windowTokens: 512,
}

const adapter = { vendor: 'v', architecture: 'a', description: '', isFallback: false }
const facts: EngineFacts = {
  device: 'webgpu',
  deviceReason: '',
  dtype: 'q4',
  scoring: 'fast',
  family: 'gqa',
  engine: 'ort',
  threads: 1,
  adapter,
  selfCheck: {
    status: 'passed',
    maxAbsDiff: 1e-5,
    tolerance: 1e-3,
    maxRunTokens: null,
    reference: 'wasm',
    trials: [
      { runTokens: 64, maxAbsDiff: 1e-5 },
      { runTokens: 128, maxAbsDiff: 1e-5 },
    ],
    message: '',
  },
  fast: {
    layout: { tokens: 1024, rows: 64, packs: true, shares: true, inPlace: true },
    cut: 'hidden',
    check: { sequences: 4, tokens: 9, maxAbsDiff: 2e-6, maxSumDiff: 3e-6 },
    costs: { runMs: 5, tokenMs: 0.01 },
  },
  chunkTokens: 1024,
  isDynamicallyQuantised: false,
  numericClass: '',
}

test('a check’s longest exact pass is what was compared: on hardware also the length that calibration took', () => {
  expect(checkRowOf(model, facts, 10)).toMatchObject({ longest_exact: 1024, pass_tokens: 1024, composition_diff: 2e-6, in_place: true })
  const software = { ...facts, adapter: { ...adapter, isFallback: true } }
  expect(checkRowOf(model, software, 10).longest_exact).toBe(128)
  const limited = { ...facts, selfCheck: { ...facts.selfCheck, status: 'limited', maxRunTokens: 31 } } as const
  expect(checkRowOf(model, limited, 10).longest_exact).toBe(31)
  expect(checkRowOf(model, { ...facts, selfCheck: { ...facts.selfCheck, status: 'skipped' } }, 10).longest_exact).toBe(null)
})

test('a model that is not on the fast path is a fault, with the reason', () => {
  const row = checkRowOf(model, facts, 10)
  expect(faultsOfCheck(row, undefined)).toEqual([])
  expect(faultsOfCheck({ ...row, scoring: 'reference' }, 'it differs')).toEqual(['random/135M, gqa, q4: not on the fast path: it differs'])
})

test('the floor of arithmetic is two operations a parameter and token at the card’s peak', () => {
  expect(arithmeticFloorMs(135e6, 1.6e6, 67)).toBeCloseTo(6447.76, 1)
  expect(arithmeticFloorMs(135e6, 1.6e6, null)).toBe(null)
})

test('peaks are found by the card’s whole name', () => {
  expect(['NVIDIA H100 80GB HBM3', 'NVIDIA H100 PCIe', 'NVIDIA L40S', 'NVIDIA L4', 'NVIDIA A100-SXM4-80GB'].map(peakOf)).toEqual([
    67, 51, 91.6, 30.3, 19.5,
  ])
  expect([peakOf('SwiftShader'), peakOf(null), peakOf('NVIDIA GeForce RTX 4070 Ti')]).toEqual([null, null, 29.1])
})

test('a card is the first that nvidia-smi names', () => {
  expect(parseCard('NVIDIA H100 80GB HBM3, 550.54.15\nNVIDIA H100 80GB HBM3, 550.54.15\n')).toEqual({
    name: 'NVIDIA H100 80GB HBM3',
    driver: '550.54.15',
  })
  expect([parseCard(''), parseCard('No devices were found\n')]).toEqual([null, null])
})

const usage: MmluUsage = {
  ms: 20_000,
  engineMs: 19_000,
  planMs: 400,
  runs: 1900,
  tokens: 1_600_000,
  rows: 14_042,
  bytesReadBack: 1,
  docs: 14_042,
  leastTokens: 1_590_000,
}

test('a whole MMLU tells its floor and an estimate of what dispatching cost', () => {
  const row = mmluRowOf(model, usage, { facts, parameters: 135e6, tflops: 67 })
  expect(row.floor_ms).toBeCloseTo(6447.76, 1)
  expect(row).toMatchObject({ dispatch_share: 0.5, form: 'gqa' })
  expect(mmluRowOf(model, { ...usage, runs: 1e6 }, { facts, parameters: 1, tflops: null })).toMatchObject({
    floor_ms: null,
    dispatch_share: 1,
  })
  expect(mmluRowOf(model, usage, { facts: null, parameters: 1, tflops: null }).dispatch_share).toBe(null)
})

const bench: BenchRow = {
  ...{ work: 'mmlu_5shot', arm: 'fast', model: 'random/135M gqa', device: 'webgpu', dtype: 'q4', threads: 2, docs: 20, ms: 400 },
  ...{ engine_ms: 380, cpu_ms: null, runs: 3, tokens: 2400, trie_tokens: 2400, rows: 20, bytes_read_back: 400 },
  ...{ peak_bytes: null, opening_peak_bytes: null, max_abs_diff: 1e-6, docs_that_differ: 0 },
}

test('targets are of 135M: the best graph and dtype, each against the loop on the same one', () => {
  const rows: BenchRow[] = [
    bench,
    { ...bench, arm: 'naive', ms: 14_000 },
    // Another dtype's loop is no measure for it, nor another shape.
    { ...bench, arm: 'naive', dtype: 'fp32', ms: 90_000 },
    { ...bench, model: 'random/360M gqa', ms: 1 },
    { ...bench, arm: 'harness', device: 'cuda', dtype: 'bf16', model: 'random/135M decomposed', ms: 1000 },
  ]
  const whole = mmluRowOf(model, usage, { facts, parameters: 135e6, tflops: 67 })
  const targets = targetsOf(rows, [whole, { ...whole, docs: 57, ms: 1, engine_ms: 1 }])
  expect(targets.map((row) => [row.value, isMet(row)])).toEqual([
    [35, true],
    [2.5, false],
    [95, true],
    [20, true],
  ])
  expect(targetsOf([], []).map((row) => [row.value, isMet(row)])).toEqual(Array.from({ length: 4 }, () => [null, null]))
})

test('parts that lack something are named with the reason, and those that break are faults; both leave the next part to run', async () => {
  const said: string[] = []
  const found = new Collected(null, (line) => said.push(line))
  expect(await found.part('one', () => Promise.reject(new ArmError('no room', 'engine/out-of-memory')))).toBe(null)
  expect(await found.part('two', () => Promise.reject(new ArmError('wrong', 'engine/self-check-failed')))).toBe(null)
  expect(await found.part('disk', () => Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' })))).toBe(null)
  expect(await found.part('loop', () => Promise.reject(new Error('Array buffer allocation failed')))).toBe(null)
  expect(await found.part('three', () => Promise.resolve(3))).toBe(3)
  expect(found.skipped.map(({ part }) => part)).toEqual(['one', 'disk', 'loop'])
  expect([found.skipped[0]?.reason, found.faults]).toEqual(['does not fit: no room', ['two: wrong']])
  expect(said.slice(0, 4)).toEqual(['one', 'Left out: one: does not fit: no room', 'two', 'Failed: two: wrong'])
  const late = new Collected(0, () => undefined)
  await new Promise((done) => setTimeout(done, 2))
  expect(await late.part('four', () => Promise.resolve(4))).toBe(null)
  expect(late.skipped).toEqual([{ part: 'four', reason: 'the minutes are over' }])
})

const adapterFacts: AdapterFacts = {
  ...{ vendor: 'nvidia', architecture: 'hopper', device: '', description: 'NVIDIA H100', isFallback: false, hasShaderF16: true },
  ...{ features: ['shader-f16', 'subgroups'], maxBufferBytes: 2 ** 31, maxStorageBufferBindingBytes: 2 ** 31 },
  ...{ maxWorkgroupStorageBytes: 32_768, maxWorkgroupThreads: 1024, subgroupSizes: [32, 32] },
}

const report: GpuReport = {
  ...{ adapter: adapterFacts, card: { name: 'NVIDIA H100 PCIe', driver: '550.1' }, browser: '156.0', switches: ['--a', '--b'], note: null },
  ...{ peak_tflops: 51, made: [], goldens: [], faults: [] },
  checks: [checkRowOf(model, facts, 10)],
  mmlu: [mmluRowOf(model, usage, { facts, parameters: 135e6, tflops: 51 })],
  targets: targetsOf([bench], []),
  skipped: [{ part: 'random/1B fp16', reason: 'this adapter has no shader-f16' }],
}

test('the report is headed by adapter, driver, browser and switches, names what was left out, and leaves out empty sections', () => {
  const text = gpuTable(report, [bench])
  expect(text).toContain(
    '- adapter: nvidia hopper NVIDIA H100\n- card and driver: NVIDIA H100 PCIe, driver 550.1\n- browser: Chromium 156.0\n- switches: --a --b',
  )
  expect(text.match(/^## .*$/gm)).toEqual([
    '## Checks on the adapter',
    '## Works, against transformers.js (max diff and docs that differ are to it)',
    '## A whole MMLU by the clock',
    '## Targets',
    '## Left out',
  ])
  expect(text).toContain('- random/1B fp16: this adapter has no shader-f16')
  expect(text).toContain('- whole MMLU: not measured (below 60 s)')
  expect(text).toContain('| random/135M | gqa | q4 | 14042 | 20.0 | 95.0 % | 50 % | 0.40 | 1900 | 1600000 | 1.006 | 80000 | 2.4 |')
})

test('a software adapter is called one and held to no target; a missing driver or peak is said', () => {
  const software = { ...report, adapter: { ...adapterFacts, isFallback: true }, card: null, peak_tflops: null, note: 'started again' }
  const text = gpuTable({ ...software, faults: ['one is wrong'] }, [])
  expect(text).toContain('NVIDIA H100 (software)\n- card and driver: unknown (no nvidia-smi)')
  expect(text).toContain('- how it was started: started again')
  expect(text).toContain('name it with --peak_tflops')
  expect(text).toContain('## Failed\n\n- one is wrong')
  expect(text).not.toContain('## Targets')
  expect(gpuTable({ ...report, adapter: null }, [])).toContain('- adapter: none')
})
