/** Small, complete values of the types that the page shows. */
import type { EmbeddedModel } from '../../src/app/setup/embedded.ts'
import type { SuggestedModel } from '../../src/app/setup/suggested-models.ts'
import { EvalError, toWire } from '../../src/base/errors.ts'
import type { EngineFacts } from '../../src/contracts/engine.ts'
import type { TaskListing } from '../../src/contracts/listings.ts'
import type { ModelDescription, ModelHit } from '../../src/contracts/models.ts'
import type { ResultsRow, RunSummary } from '../../src/contracts/results.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import type { RunManifest, RunRow, RunStatus } from '../../src/contracts/runs.ts'
import type { SampleView } from '../../src/contracts/samples.ts'
import { defaultSettings } from '../support/default-settings.ts'

export function embeddedModel(change: Partial<EmbeddedModel> = {}): EmbeddedModel {
  return {
    id: 'yardstick/pocket',
    revisions: ['main', 'step-1000', 'step-3000'],
    dtypes: ['fp32', 'q8', 'q4'],
    family: 'decomposed',
    title: 'Pocket',
    description: 'A Llama trained for this page.',
    parameters: 984_192,
    license: 'apache-2.0',
    defaultDtype: 'q4',
    defaultTasks: ['bench'],
    isDefault: true,
    ...change,
  }
}

export function taskListing(name: string, change: Partial<TaskListing> = {}): TaskListing {
  return {
    name,
    root: 'bundled',
    kind: 'task',
    outputType: 'multiple_choice',
    file: `tasks/${name}.yaml`,
    members: [],
    dataFiles: [],
    ...change,
  }
}

export function suggestedModel(change: Partial<SuggestedModel> = {}): SuggestedModel {
  return {
    id: 'made-up/small-135M',
    title: 'Small 135M',
    family: 'Small',
    parameters: '135M',
    license: 'apache-2.0',
    dtype: 'q4',
    bytes: 200_000_000,
    note: 'A good first download.',
    shape: 'small-135m',
    ...change,
  }
}

export function modelHit(id: string, change: Partial<ModelHit> = {}): ModelHit {
  const facts = { downloads: 1200, likes: 3, license: 'apache-2.0', isGated: false, updatedAt: '2026-03-02T10:00:00.000Z' }
  return { id, ...facts, formats: ['onnx'], dtypes: ['fp32', 'q4', 'q4f16'], ...change }
}

export function modelDescription(change: Partial<ModelDescription> = {}): ModelDescription {
  const option = (dtype: string, bytes: number, refusal: string | null = null) => ({
    dtype,
    file: `onnx/model_${dtype}.onnx`,
    externalFiles: [],
    bytes,
    refusal,
  })
  const dtypes = change.dtypes ?? [
    option('fp32', 5_900_000),
    option('fp16', 2_960_000, 'Needs 16-bit floats in shaders (shader-f16), which this GPU doesn’t have.'),
    option('q8', 1_700_000),
    option('q4', 1_300_000),
  ]
  return {
    id: 'yardstick/pocket',
    revision: 'main',
    commit: '4f1c2ab90d7e5a3368c1f0b2d94e77a6b1c8d2e3',
    license: 'apache-2.0',
    architecture: 'LlamaForCausalLM',
    maxLength: 1024,
    format: 'onnx',
    forms: [{ format: 'onnx', dtypes, defaultDtype: 'q4', refusal: null }],
    dtypes,
    defaultDtype: 'q4',
    ...change,
  }
}

export function engineFacts(change: Partial<EngineFacts> = {}): EngineFacts {
  return {
    device: 'webgpu',
    deviceReason: '',
    dtype: 'q4',
    scoring: 'fast',
    family: 'decomposed',
    engine: 'onnxruntime-web 1.30.0',
    threads: 4,
    adapter: { vendor: 'nvidia', architecture: 'ampere', description: 'NVIDIA GeForce RTX 3070', isFallback: false },
    selfCheck: {
      status: 'passed',
      maxAbsDiff: 2.1e-5,
      tolerance: 0.001,
      maxRunTokens: null,
      reference: 'wasm',
      trials: [
        { runTokens: 1, maxAbsDiff: 3.8e-6 },
        { runTokens: 16, maxAbsDiff: 9.1e-6 },
        { runTokens: 64, maxAbsDiff: 1.4e-5 },
        { runTokens: 256, maxAbsDiff: 2.1e-5 },
      ],
      message: '',
    },
    chunkTokens: null,
    isDynamicallyQuantised: false,
    numericClass: 'webgpu/q4/reference',
    ...change,
  }
}

export function runSettings(change: Partial<RunSettings> = {}): RunSettings {
  return { ...defaultSettings, model: 'yardstick/pocket', dtype: 'q4', tasks: ['bench'], ...change }
}

export function runManifest(runId: string, change: Partial<RunManifest> = {}): RunManifest {
  const sha256 = 'a3f5d1c09b7e4f2288d6c1e0f9ab34577c6d2e1f0a9b8c7d6e5f4a3b2c1d0e9f'
  return {
    schemaVersion: 1,
    runId,
    createdAt: '2026-11-20T14:03:11.482Z',
    app: { version: '0.1.0', build: '0719564c2d1e' },
    settings: runSettings(),
    model: {
      id: 'yardstick/pocket',
      revision: 'main',
      commit: '4f1c2ab90d7e5a3368c1f0b2d94e77a6b1c8d2e3',
      license: 'apache-2.0',
      files: [
        { path: 'onnx/model_q4.onnx', bytes: 1_300_000, sha256 },
        { path: 'tokenizer.json', bytes: 96_000, sha256 },
        { path: 'config.json', bytes: 811, sha256 },
      ],
    },
    tokenizer: { sha256, bos: ['<s>', 1], eos: ['</s>', 2], pad: null, chatTemplate: null, maxLength: 1024 },
    engine: engineFacts(),
    datasets: {
      bench_facts: { path: 'yardstick/bench', name: 'facts', commit: 'b7d2c0ffee1234567890abcdef1234567890abcd', files: [] },
      bench_words: { path: 'yardstick/bench', name: 'words', commit: 'b7d2c0ffee1234567890abcdef1234567890abcd', files: [] },
    },
    tasks: {},
    plan: { hash: 'c0ffee12aa34bb56', requests: 1600, batches: 200 },
    ...change,
  }
}

export function runRow(runId: string, status: RunStatus, change: Partial<RunRow> = {}): RunRow {
  const docsDone = status === 'complete' ? 400 : 137
  return {
    runId,
    manifest: runManifest(runId),
    status,
    epoch: 1,
    updatedAt: '2026-11-20T14:05:02.000Z',
    docsDone,
    docsTotal: 400,
    error: null,
    ...change,
  }
}

export function failedRow(runId: string): RunRow {
  const error = toWire(
    new EvalError('dataset/malformed', 'wanted a JSON object a line, found "{\\"question\\": " in facts/test.jsonl, line 14, column 15'),
  )
  return runRow(runId, 'failed', { error, docsDone: 0, docsTotal: 0 })
}

export function resultsRow(task: string, metric: string, value: number, change: Partial<ResultsRow> = {}): ResultsRow {
  return {
    task,
    alias: task,
    version: '1',
    filter: 'none',
    nShot: '0',
    metric,
    direction: '↑',
    value,
    stderr: Math.sqrt((value * (1 - value)) / 100),
    n: 100,
    ...change,
  }
}

export function sample(docId: number, change: Partial<SampleView> = {}): SampleView {
  return {
    task: 'bench_facts',
    docId,
    filter: 'none',
    prompt: 'Question: What is the capital of Mali?\nAnswer:',
    target: '1',
    choices: [
      { text: 'Dakar', logprob: -3.27, isGreedy: false, unconditional: null },
      { text: 'Bamako', logprob: -2.81, isGreedy: true, unconditional: null },
      { text: 'Ouagadougou', logprob: -4.9, isGreedy: false, unconditional: null },
      { text: 'Niamey', logprob: -6.02, isGreedy: false, unconditional: null },
    ],
    gold: [1],
    picks: { acc: 1, acc_norm: 2, acc_bytes: 2 },
    generated: [],
    metrics: { acc: 1, acc_norm: 0 },
    line: JSON.stringify({ doc_id: docId, target: '1' }),
    ...change,
  }
}

export function runSummary(runId: string, change: Partial<RunSummary> = {}): RunSummary {
  return {
    runId,
    resultsFile: {
      results: {},
      'n-samples': { bench_facts: { original: 100, effective: 100 } },
      total_evaluation_time_seconds: '62.41',
    },
    resultsText: '{"results": {"bench_facts": {"acc,none": 1.0}}}',
    tableText: '|   Tasks   |Version|Filter|n-shot|Metric|   |Value |   |Stderr|',
    table: { tasks: [resultsRow('bench_facts', 'acc', 0.61), resultsRow('bench_facts', 'acc_norm', 0.55)], groups: [] },
    warnings: [],
    ...change,
  }
}
