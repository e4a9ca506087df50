/** Section E of docs/requirements.md: nested data, result files and checkpoints: each test carries its item. */
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readResultFile, type ResultFile } from '../../src/analysis/compare/result-file.ts'
import { checkpointSeries, stepOf } from '../../src/analysis/compare/series/checkpoints.ts'
import { errorBarPlot } from '../../src/analysis/compare/series/error-bar-plot.ts'
import { EvalError, type Json } from '../../src/base/errors.ts'
import { parseCommandLine } from '../../src/cli/flags/args.ts'
import type { ForwardItem } from '../../src/contracts/items.ts'
import { decodeFiles } from '../../src/data/dataset/formats.ts'
import { resolveDtype } from '../../src/engines/graph/dtypes.ts'
import { recoveringModel } from '../../src/evaluation/model/recovery.ts'
import type { OpenModel } from '../../src/evaluation/ports.ts'
import { facts } from '../evaluation/fakes.ts'

const dfir = new URL('../../../shared/hub/datasets/DFIR-Metric/DFIR-Metric/', import.meta.url)
const isHere = existsSync(dfir)
if (!isHere) console.log('skipped: the DFIR files are not beside this repository')

describe('E: JSON with nested questions → jsonl', () => {
  it.skipIf(!isHere)('the file as published, with the path questions[], gives the rows of its jsonl', async () => {
    const read = (name: string) => new Uint8Array(readFileSync(new URL(name, dfir)))
    // Its first keys are plain values of the whole file; they come along as columns.
    const nested = await decodeFiles('json', [{ name: 'raw.json', bytes: read('DFIR-Metric-MCQ.json') }], { field: 'questions[]' })
    const flat = await decodeFiles('json', [{ name: 'rows.jsonl', bytes: read('validation.jsonl') }], {})
    expect(nested.rows.length).toBe(flat.rows.length)
    expect(nested.rows.length).toBeGreaterThanOrEqual(100)
    const own = flat.columns.map(({ name }) => nested.columns.findIndex((column) => column.name === name))
    expect(own.map((at) => nested.columns[at])).toEqual(flat.columns)
    expect(nested.rows.map((row) => own.map((at) => row[at]))).toEqual(flat.rows)
  })
})

/** A result file as the harness names its keys; values in its order. */
function resultFile(revision: string, acc: number, accNorm: number, change: { readonly [key: string]: Json } = {}): ResultFile {
  const json = {
    results: {
      dfir_mcq_mod: {
        alias: 'dfir_mcq_mod',
        'acc,none': acc,
        'acc_stderr,none': 0.01,
        'acc_norm,none': accNorm,
        'acc_norm_stderr,none': 0.02,
      },
    },
    configs: { dfir_mcq_mod: { metadata: { version: 1, revision } } },
    config: { model_args: 'pretrained=a/b,revision=other' },
    ...change,
  }
  return readResultFile(json, `${revision}.json`)
}
/** By name, as a folder lists them: 1000000 before 125000. */
const files = ['step-1000000', 'step-125000', 'step-2000000', 'step-250000'].map((revision, i) =>
  resultFile(revision, (30 + i) / 100, (40 + 2 * i) / 100),
)

describe('result files of several checkpoints', () => {
  it('E: import results JSON (results/*/acc,none, acc_stderr,none, configs/*/metadata/revision): every value is read as it stands', () => {
    const series = checkpointSeries(files, 'dfir_mcq_mod')
    expect(series.map(({ metric, filter }) => [metric, filter])).toEqual([
      ['acc', 'none'],
      ['acc_norm', 'none'],
    ])
    expect(series[0]?.points.map(({ revision, value, stderr }) => [revision, value, stderr])).toEqual([
      ['step-125000', 0.31, 0.01],
      ['step-250000', 0.33, 0.01],
      ['step-1000000', 0.3, 0.01],
      ['step-2000000', 0.32, 0.01],
    ])
  })

  it('E: import results JSON (results/*/acc,none, acc_stderr,none, configs/*/metadata/revision): the revision is found in older files too', () => {
    const config = { model_args: 'pretrained=a/b,dtype=bfloat16,revision=step-5' }
    const read = (change: { readonly [key: string]: Json }) =>
      checkpointSeries([resultFile('x', 0.5, 0.5, change)], 'dfir_mcq_mod')[0]?.points[0]?.revision
    expect(read({ configs: {}, config })).toBe('step-5')
    // Not every version renders the template.
    expect(read({ configs: { dfir_mcq_mod: { metadata: { revision: "{{model_args['revision']}}" } } }, config })).toBe('step-5')
    expect(read({ configs: {}, config: { model_args: { revision: 'step-6' } } })).toBe('step-6')
    expect(read({ configs: {}, config: { model_revision: 'main' } })).toBe('main')
    expect(read({ configs: {}, config: {} })).toBe('x.json')
  })

  it('E: import results JSON (results/*/acc,none, acc_stderr,none, configs/*/metadata/revision): contradicting files are refused', () => {
    expect(() => checkpointSeries([...files, resultFile('step-125000', 0.9, 0.9)], 'dfir_mcq_mod')).toThrow(/step-125000/)
    expect(checkpointSeries([...files, ...files], 'dfir_mcq_mod')[0]?.points).toHaveLength(4)
    expect(() => checkpointSeries(files, 'other')).toThrow(expect.objectContaining({ code: 'settings/invalid' }))
  })

  const goldens = new URL('../../../shared/goldens/smollm2-135m-instruct/dfir_mcq/results.json', import.meta.url)
  it.skipIf(!existsSync(goldens))(
    'E: import results JSON (results/*/acc,none, acc_stderr,none, configs/*/metadata/revision): a file of the harness itself',
    () => {
      const json = JSON.parse(readFileSync(goldens, 'utf8')) as { results: { [task: string]: { [key: string]: number } } } // The harness wrote it.
      const [task = ''] = Object.keys(json.results)
      const series = checkpointSeries([readResultFile(json, 'golden')], task)
      expect(series.find(({ metric }) => metric === 'acc')?.points[0]).toMatchObject({
        value: json.results[task]?.['acc,none'],
        stderr: json.results[task]?.['acc_stderr,none'],
      })
    },
  )

  it('E: plot acc & acc_norm with error bars vs step: by number, with 95% bars, on common axes', () => {
    const { lines, domain } = errorBarPlot(checkpointSeries(files, 'dfir_mcq_mod'), { width: 620, height: 340, margin: 20 })
    expect(domain.steps).toEqual([125000, 2000000])
    // acc .30 - 1.96 * .01 to acc_norm .46 + 1.96 * .02.
    expect(domain.scores[0]).toBeCloseTo(0.2804, 4)
    expect(domain.scores[1]).toBeCloseTo(0.4992, 4)
    expect(lines.map(({ label }) => label)).toEqual(['acc', 'acc_norm'])
    // x = 20 + 580 * (step - 125000) / 1875000; y = 320 - 300 * (score - .280400) / .218799.
    expect(lines[0]?.polyline).toBe('20,279.42 58.67,251.99 290.67,293.13 600,265.7')
    expect(lines[0]?.marks[0]).toEqual({ revision: 'step-125000', x: 20, y: 279.42, barTop: 252.54, barBottom: 306.29 })
    expect(lines[1]?.marks.map(({ revision }) => revision)).toEqual(['step-125000', 'step-250000', 'step-1000000', 'step-2000000'])
  })

  it('E: plot acc & acc_norm with error bars vs step: a revision without a step is listed last and not drawn', () => {
    expect(['step-125000', 'global_step1000', 'step3000-tokens12B', 'ckpt_20', 'main', 'a'.repeat(40)].map(stepOf)).toEqual([
      125000,
      1000,
      3000,
      20,
      null,
      null,
    ])
    const [series] = checkpointSeries([resultFile('main', 0.5, 0.5), ...files], 'dfir_mcq_mod')
    expect(series?.points.at(-1)?.revision).toBe('main')
    expect(errorBarPlot(series === undefined ? [] : [series], { width: 100, height: 100, margin: 0 }).lines[0]?.marks).toHaveLength(4)
  })
})

describe('E: batch_size auto, dtype bfloat16', () => {
  it('a harness command keeps its flags: batch_size is named as ignored, bfloat16 is mapped', () => {
    const line = ['--model', 'hf', '--model_args', 'pretrained=a/b,dtype=bfloat16', '--tasks', 'sciq', '--batch_size', 'auto']
    const parsed = parseCommandLine(line)
    if (parsed.command !== 'run') throw new Error('not a run')
    expect(parsed.notes.join(' ')).toMatch(/batch_size/)
    expect(parsed.dtypes).toEqual(['fp32', 'fp16'])
  })

  it('bfloat16 is taken as what the repository has, and the mapping is told', () => {
    const option = (dtype: string) => ({ dtype, file: `onnx/${dtype}`, externalFiles: [], bytes: 1, refusal: null })
    expect(resolveDtype('bfloat16', [option('fp16'), option('fp32')], 'fp16')).toMatchObject({
      option: { dtype: 'fp32' },
      note: expect.stringMatching(/torch dtype bfloat16 was taken as fp32, which holds every bfloat16 value exactly/) as string,
    })
  })

  it('an engine that has no memory for a batch answers it in smaller ones, and asks for no answer twice', async () => {
    const asked: number[] = []
    const model = (most: number): OpenModel => ({
      facts,
      score: async (items) => {
        asked.push(items.length)
        if (items.length > most) throw new EvalError('engine/out-of-memory', 'no room')
        return items.map(() => ({ answers: [{ logprob: -1, isGreedy: false }], tokenLogprobs: [new Float32Array(1)] }))
      },
      generate: () => Promise.reject(new Error('no text is asked for')),
      stats: async () => ({ runs: 0, tokens: 0 }),
    })
    const recovering = recoveringModel({
      opened: model(4),
      reopen: async () => model(4),
      describeAdapter: async () => null,
      discard: () => undefined,
      emit: () => undefined,
      signal: new AbortController().signal,
      now: () => 0,
      sleep: async () => undefined,
    })
    const items = Array.from({ length: 8 }, (_, i): ForwardItem => ({ input: Int32Array.of(i), targets: [Int32Array.of(1)] }))
    expect(await recovering.score(items)).toHaveLength(8)
    // Each item is a run of its own on the reference path, so the ladder has one step: alone.
    expect(asked).toEqual([8, 1, 1, 1, 1, 1, 1, 1, 1])
  })
})
