import type { ForwardAnswer } from '../../src/contracts/items.ts'
import type { RunResults } from '../../src/contracts/results.ts'
import type { RunManifest, RunRow } from '../../src/contracts/runs.ts'
import type { SampleView } from '../../src/contracts/samples.ts'
import { defaultSettings } from '../support/default-settings.ts'

export function makeManifest(runId: string, change: Partial<RunManifest> = {}): RunManifest {
  return {
    schemaVersion: 1,
    runId,
    createdAt: '2026-11-21T10:00:00.000Z',
    app: { version: '0.1.0', build: 'test' },
    settings: { ...defaultSettings, model: 'made/up', tasks: ['t'] },
    model: { id: 'made/up', revision: 'main', commit: 'a'.repeat(40), license: null, files: [] },
    tokenizer: { sha256: 'b'.repeat(64), bos: null, eos: ['</s>', 2], pad: null, chatTemplate: null, maxLength: 2048 },
    engine: {
      device: 'wasm',
      deviceReason: 'asked for',
      dtype: 'fp32',
      scoring: 'reference',
      family: 'decomposed',
      engine: 'ort 1.30.0',
      threads: 1,
      adapter: null,
      selfCheck: { status: 'skipped', maxAbsDiff: null, tolerance: 0, maxRunTokens: null, reference: 'none', trials: [], message: '' },
      chunkTokens: null,
      isDynamicallyQuantised: false,
      numericClass: 'wasm',
    },
    datasets: {},
    tasks: { t: { config: { task: 't' }, sha256: 'c'.repeat(64) } },
    plan: { hash: 'd'.repeat(64), requests: 2, batches: 1 },
    ...change,
  }
}

export function makeRun(runId: string, change: Partial<RunManifest> = {}): RunRow {
  const manifest = makeManifest(runId, change)
  return { runId, manifest, status: 'running', epoch: 0, updatedAt: manifest.createdAt, docsDone: 0, docsTotal: 2, error: null }
}

export function makeAnswer(logprob: number): ForwardAnswer {
  return {
    answers: [
      { logprob, isGreedy: true },
      { logprob: logprob - 1, isGreedy: false },
    ],
    tokenLogprobs: [Float32Array.from([logprob / 2, logprob / 2]), Float32Array.from([logprob - 1])],
  }
}

export function makeSample(task: string, docId: number, filter = 'none'): SampleView {
  return {
    task,
    docId,
    filter,
    prompt: `Q${docId}`,
    target: 'a',
    choices: [{ text: ' a', logprob: -1.5, isGreedy: true, unconditional: null }],
    gold: [0],
    picks: { acc: 0, acc_norm: 0, acc_bytes: 0 },
    generated: [],
    metrics: { acc: 1 },
    line: `{"doc_id":${docId}}`,
  }
}

export function makeResults(runId: string, samples: RunResults['samples']): RunResults {
  return {
    runId,
    resultsFile: { results: { t: { 'acc,none': 0.5 } } },
    samples,
    table: { tasks: [], groups: [] },
    warnings: ['w'],
    resultsText: '{}',
    tableText: '|Tasks|',
  }
}
