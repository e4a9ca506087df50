/** The compare page's state: what is read of runs, what belongs together, and the queue over checkpoints. */
import { afterEach, describe, expect, test, vi } from 'vitest'
import { AppState } from '../../../src/app/app-state.svelte.ts'
import { CheckpointQueue } from '../../../src/app/compare/checkpoint-queue.svelte.ts'
import { Comparison } from '../../../src/app/compare/comparison.svelte.ts'
import { compareHash, entryHash, readIds } from '../../../src/app/compare/entries.ts'
import { queueOf } from '../../../src/app/queue/run-queue.svelte.ts'
import type { RunClient } from '../../../src/app/run-client.ts'
import type { RunSummary } from '../../../src/contracts/results.ts'
import type { RunSettings } from '../../../src/contracts/run-settings.ts'
import type { SampleView } from '../../../src/contracts/samples.ts'
import { embeddedModel, runSummary, sample } from '../builders.ts'
import { createFakeClient } from '../fake-client.ts'

afterEach(() => vi.unstubAllGlobals())

/** Three docs of task `t`: right or wrong, with the choices' log-likelihoods. */
function samplesOf(acc: readonly number[]): readonly SampleView[] {
  return acc.map((value, docId) => ({ ...sample(docId), task: 't', docId, filter: 'none', metrics: { acc: value } }))
}

interface MadeRun {
  readonly acc: readonly number[]
  readonly dtype?: string
  readonly revision?: string
  readonly form?: string
}

function summaryOf(runId: string, acc: readonly number[], change: MadeRun): RunSummary {
  const mean = acc.reduce((sum, value) => sum + value, 0) / acc.length
  const { dtype = 'fp32', revision = 'main', form } = change
  const resultsFile = {
    results: { t: { alias: 't', 'acc,none': mean, 'acc_stderr,none': 0.1 } },
    configs: { t: {} },
    'n-samples': { t: { effective: acc.length } },
    config: { model_dtype: dtype, model_sha: change.revision ?? 'c', model_args: { revision } },
    model_name: 'made/model',
    chat_template_sha: null,
    ...(form === undefined ? {} : { yardstick: { dtype, model_format: form } }),
  }
  return { ...runSummary(runId), runId, resultsFile }
}

/** A client that keeps these runs. */
function clientOf(runs: { readonly [id: string]: MadeRun }): RunClient {
  const known = (id: string) => runs[id]
  const client = createFakeClient()
  return {
    ...client,
    loadResults: async (id) => {
      const run = known(id)
      return run === undefined ? null : summaryOf(id, run.acc, run)
    },
    comparedSamplesOf: async (id, task, { offset, count }) => {
      const { comparedSample } = await import('../../../src/analysis/compare/compared-run.ts')
      const all = task === 't' ? samplesOf(known(id)?.acc ?? []).map(comparedSample) : []
      return { total: all.length, samples: all.slice(offset, offset + count) }
    },
  }
}

describe('a comparison', () => {
  test('reads the runs, holds them against the first, and says which aren’t here', async () => {
    const comparison = new Comparison(clientOf({ a: { acc: [1, 1, 1, 0] }, b: { acc: [0, 0, 1, 0], dtype: 'q4' } }))
    await comparison.load(['a', 'gone', 'b'])
    expect(comparison.state).toBe('ready')
    expect(comparison.found?.entries.map(({ id, label, facts }) => [id, label, facts.dtype])).toEqual([
      ['a', 'A', 'fp32'],
      ['b', 'B', 'q4'],
    ])
    expect(comparison.found?.missing).toEqual(['gone'])
    expect(comparison.found?.comparisons).toMatchObject([
      { scores: [{ task: 't', difference: { test: 'mcnemar', flips: { leftOnly: [0, 1], rightOnly: [] } } }] },
    ])
    expect(comparison.found?.matrix).toMatchObject({
      reference: { dtype: 'fp32', run: 0 },
      arms: [{ dtype: 'q4', all: { lost: 2, gained: 0 } }],
    })
    expect(comparison.found?.curves).toEqual([])
  })

  test('says of another form of the weights whether it computes the same, and nothing of the same form', async () => {
    const acc = [1, 0]
    const comparison = new Comparison(
      clientOf({ a: { acc, form: 'safetensors' }, b: { acc, form: 'onnx' }, c: { acc, form: 'safetensors' } }),
    )
    await comparison.load(['a', 'b', 'c'])
    expect(comparison.found?.conversions).toMatchObject([{ verdict: 'faithful', docs: 2, maxAbsDiff: 0, picksDiffering: 0 }, null])
  })

  test('draws curves of checkpoints by step, not by name or order', async () => {
    const comparison = new Comparison(
      clientOf({
        x: { acc: [1, 1], revision: 'step-1000' },
        y: { acc: [0, 1], revision: 'step-900' },
        z: { acc: [0, 0], revision: 'step-20' },
      }),
    )
    await comparison.load(['x', 'y', 'z'])
    expect(comparison.found?.curves).toMatchObject([
      {
        task: 't',
        series: [
          {
            metric: 'acc',
            points: [
              { step: 20, value: 0 },
              { step: 900, value: 0.5 },
              { step: 1000, value: 1 },
            ],
          },
        ],
      },
    ])
    expect(comparison.found?.matrix).toBeNull()
  })

  test('a later question gives the one before up, and none is no comparison', async () => {
    const comparison = new Comparison(clientOf({ a: { acc: [1, 1] }, b: { acc: [0, 1] } }))
    const first = comparison.load(['a', 'b'])
    await comparison.load([])
    await first
    expect([comparison.state, comparison.found]).toEqual(['idle', null])
  })

  test('has addresses for itself and for each doc of its runs', () => {
    expect(compareHash(['a', 'b'])).toBe('#/compare?runs=a,b')
    expect(readIds({ runs: 'a,,b,a' })).toEqual(['a', 'b'])
    expect(entryHash({ id: 'r', isOpened: false }, { doc: '3' })).toBe('#/run/r?doc=3')
    expect(entryHash({ id: 'opened-1', isOpened: true }, { doc: '3' })).toBe('#/open?doc=3&run=opened-1')
  })
})

describe('the queue over checkpoints', () => {
  function queueOver(status: 'complete' | 'failed') {
    vi.stubGlobal('location', { hash: '#/compare' })
    const started: RunSettings[] = []
    const base = createFakeClient()
    const client: RunClient = {
      ...base,
      listModels: async () => [embeddedModel()],
      start: async (settings, onEvent) => {
        started.push(settings)
        const runId = `run-${started.length}`
        onEvent({ type: 'done', runId, status, error: null })
        return runId
      },
    }
    const app = new AppState(client)
    return { started, app, queue: new CheckpointQueue(app), runs: queueOf(app) }
  }

  test('runs the built-in model’s checkpoints and the finished model, over as many docs as were asked for', async () => {
    const { queue, started, runs } = queueOver('complete')
    queue.fields.limit = '6'
    await queue.startBuiltIn()
    expect(started.map(({ model, revision, tasks, dtype, limit }) => ({ model, revision, tasks, dtype, limit }))).toEqual(
      ['step-1000', 'step-3000', 'main'].map((revision) => ({
        model: 'yardstick/pocket',
        revision,
        tasks: ['bench'],
        dtype: null,
        limit: 6,
      })),
    )
    expect(runs.runs.map(({ state }) => state)).toEqual(['done', 'done', 'done'])
    expect(runs.isGoing).toBe(false)
    expect(location.hash).toBe(compareHash(['run-1', 'run-2', 'run-3']))
  })

  test('compares nothing when a run has failed', async () => {
    const { queue, runs } = queueOver('failed')
    await queue.startBuiltIn()
    expect(runs.runs.map(({ state }) => state)).toEqual(['failed', 'failed', 'failed'])
    expect(location.hash).toBe('#/compare')
  })

  test('asks every checkpoint for the form of weights that was chosen', async () => {
    const { queue, started } = queueOver('complete')
    queue.fields = { model: 'm', revisions: 'a, b', tasks: 't', dtype: 'fp32', format: 'safetensors', limit: '1' }
    await queue.start()
    expect(started.map(({ revision, modelFormat }) => ({ revision, modelFormat }))).toEqual(
      ['a', 'b'].map((revision) => ({ revision, modelFormat: 'safetensors' })),
    )
    queue.fields.format = ''
    await queue.start()
    expect(started.slice(2).map((settings) => 'modelFormat' in settings)).toEqual([false, false])
  })

  test('says what is wrong with what was typed, and starts nothing', async () => {
    const { queue, started } = queueOver('complete')
    const good = { model: 'm', revisions: 'a, b', tasks: 't', dtype: '', format: '', limit: '' } as const
    for (const [change, problem] of [
      [{ model: ' ' }, 'model'],
      [{ tasks: ',' }, 'tasks'],
      [{ revisions: 'a' }, 'revisions'],
      [{ revisions: 'a a' }, 'revisions'],
      [{ revisions: 'a-{1..x}' }, 'pattern'],
      [{ limit: 'few' }, 'limit'],
    ] as const) {
      queue.fields = { ...good, ...change }
      await queue.start()
      expect(queue.problem).toBe(problem)
    }
    expect(started).toEqual([])
  })
})
