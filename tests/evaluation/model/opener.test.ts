/** Deadlines of the model worker: opening by the model's size, batches by their tokens. */
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EvalError } from '../../../src/base/errors.ts'
import { bytesOf, openDeadlineMs } from '../../../src/evaluation/model/open-deadline.ts'
import { workerOpener } from '../../../src/evaluation/model/opener.ts'
import type { ResolvedModel } from '../../../src/evaluation/ports.ts'
import { connectWorker } from '../../../src/rpc/handle.ts'
import type { ModelPayload, ModelWorkerApi } from '../../../src/rpc/model-worker-api.ts'
import { makeFakeWorker, type FakeWorker } from '../../rpc/fake-worker.ts'
import { makeRun } from '../../storage/builders.ts'
import { defaultSettings } from '../../support/default-settings.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const never = () => new Promise<never>(() => undefined)
const minute = 60_000
const payload: ModelPayload = {
  graph: new Uint8Array(1_000_000),
  externalData: [{ path: 'model.onnx_data', bytes: new Uint8Array(99_000_000) }],
  config: '{}',
}
const settings = { ...defaultSettings, model: 'org/model', device: 'wasm' as const }

/** Messages between the two sides go through the event loop, whose timers are the test's. */
async function settleMessages(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function openWith(api: Partial<ModelWorkerApi>) {
  const workers: FakeWorker[] = []
  const opener = workerOpener({
    startModelWorker: () => {
      const fake = makeFakeWorker()
      workers.push(fake)
      const handle = connectWorker<ModelWorkerApi>(fake.worker, 'model')
      fake.listen(api)
      return handle
    },
    appBuild: 'b',
    emit: () => undefined,
    acquireLock: () => Promise.resolve({ release: () => undefined }),
  })
  // Only `fetch` is asked of the model here.
  const model = { fetch: () => Promise.resolve(payload) } as unknown as ResolvedModel
  const opened = opener.open(model, 'q4', settings, {
    checkItems: [],
    asBefore: null,
    onBytes: () => undefined,
    onPhase: () => undefined,
    signal: new AbortController().signal,
  })
  return { workers, opened, opener }
}

describe('opening a model', () => {
  it('has ten minutes, and six seconds for each megabyte of all its files', () => {
    expect(bytesOf(payload)).toBe(100_000_000)
    expect([0, 1, 100_000_000, 2_000_000_000].map(openDeadlineMs)).toEqual([10 * minute, 10 * minute + 6_000, 20 * minute, 210 * minute])
  })

  it('that never ends is stopped with what was tried, and its worker with it', async () => {
    const { workers, opened } = openWith({ open: never })
    const outcome = opened.catch((error: unknown) => error)
    await settleMessages()
    workers[0]?.say({ yardstick: 'doing', what: 'making its session on WASM' })
    await settleMessages()
    await vi.advanceTimersByTimeAsync(20 * minute - 1_000)
    expect(workers[0]?.isTerminated()).toBe(false)
    await vi.advanceTimersByTimeAsync(1_000)
    const error = await outcome
    expect(error).toBeInstanceOf(EvalError)
    expect(error).toMatchObject({
      code: 'engine/timeout',
      message:
        'Opening org/model as q4 (100.0 MB) on wasm was not done after 20 minutes and was stopped, while making its session on WASM.',
      details: { model: 'org/model', dtype: 'q4', bytes: 100_000_000, device: 'wasm', minutes: 20, doing: 'making its session on WASM' },
    })
    expect(workers.map((worker) => worker.isTerminated())).toEqual([true])
  })

  it('has no deadline once it is done', async () => {
    const { workers, opened } = openWith({ open: () => Promise.resolve(makeRun('r').manifest.engine) })
    await settleMessages()
    await expect(opened).resolves.toBeDefined()
    await vi.advanceTimersByTimeAsync(600 * minute)
    expect(workers[0]?.isTerminated()).toBe(false)
  })

  it('again after a fault has the same deadline, and is not tried a third time', async () => {
    let opens = 0
    const { workers, opened } = openWith({
      open: () => (opens++ === 0 ? Promise.resolve(makeRun('r').manifest.engine) : never()),
      score: never,
    })
    await settleMessages()
    const model = await opened
    const outcome = model.score([{ input: Int32Array.of(1, 2), targets: [] }]).catch((error: unknown) => error)
    await settleMessages()
    await vi.advanceTimersByTimeAsync(minute + 2_000)
    await settleMessages()
    expect([opens, workers.length]).toEqual([2, 2])
    await vi.advanceTimersByTimeAsync(20 * minute)
    expect(await outcome).toMatchObject({ code: 'engine/timeout', message: expect.stringContaining('Opening org/model') as string })
    expect(workers.map((worker) => worker.isTerminated())).toEqual([true, true])
    expect(opens).toBe(2)
  })
})

it('a batch that never ends is stopped by its tokens, twice, and then ends the run with what was asked', async () => {
  const { workers, opened } = openWith({ open: () => Promise.resolve(makeRun('r').manifest.engine), score: never })
  await settleMessages()
  const model = await opened
  const outcome = model.score([{ input: new Int32Array(40), targets: [] }]).catch((error: unknown) => error)
  for (let fault = 0; fault < 2; fault++) {
    await settleMessages()
    await vi.advanceTimersByTimeAsync(100_000)
  }
  expect(await outcome).toMatchObject({
    code: 'engine/timeout',
    message: 'org/model as q4 gave no answer to a batch of 40 tokens within 100 s and was stopped.',
  })
  expect(workers).toHaveLength(2)
})
