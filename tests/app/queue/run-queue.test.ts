/** The queue of runs as the page goes on with it: never by itself after a reload, one run after the other, in one tab. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { AppState } from '../../../src/app/app-state.svelte.ts'
import { queueOf } from '../../../src/app/queue/run-queue.svelte.ts'
import { EvalError, toWire } from '../../../src/base/errors.ts'
import type { QueuedRun } from '../../../src/contracts/run-settings.ts'
import { runRow, runSettings } from '../builders.ts'
import { createFakeClient, type FakeOptions } from '../fake-client.ts'

beforeEach(() => vi.stubGlobal('location', { hash: '#/runs' }))
afterEach(() => vi.unstubAllGlobals())

function makeQueue(options: FakeOptions = {}) {
  const client = createFakeClient(options)
  const app = new AppState(client, () => 0)
  return { client, app, queue: queueOf(app) }
}

const entry = (place: number, change: Partial<QueuedRun> = {}): QueuedRun => ({
  ...{ place, settings: runSettings({ limit: place }), state: 'waiting', runId: null, error: null },
  ...change,
})

describe('a queue that a crash has left', () => {
  const left = [entry(1, { state: 'done', runId: 'a' }), entry(2, { state: 'running', runId: 'b' }), entry(3)]

  test('is shown, and nothing goes on before it is asked for', async () => {
    const { queue, client } = makeQueue({ queue: left })
    await queue.load()
    expect(queue.left.map(({ place }) => place)).toEqual([2, 3])
    expect(client.calls.filter((call) => call === 'start' || call === 'resume')).toEqual([])
  })

  test('goes on with the run that was cut off, then begins the rest', async () => {
    const { queue, client } = makeQueue({ queue: left, rows: [runRow('b', 'interrupted')] })
    await queue.goOn()
    expect(client.calls.filter((call) => call === 'start' || call === 'resume')).toEqual(['resume', 'start'])
    expect(client.started.map(({ limit }) => limit)).toEqual([3])
    expect(queue.runs.map(({ state }) => state)).toEqual(['done', 'done', 'done'])
    expect([queue.isGoing, queue.holder]).toEqual([false, 'nobody'])
  })

  test('is dropped at a word, without what has ended', async () => {
    const { queue } = makeQueue({ queue: left })
    await queue.load()
    await queue.drop()
    expect(queue.runs.map(({ place }) => place)).toEqual([1])
    await queue.drop()
    expect(queue.runs).toEqual([])
  })

  test('goes on in one tab only', async () => {
    const { queue, client } = makeQueue({ queue: left, queueHolder: 'elsewhere' })
    await expect(queue.goOn()).rejects.toMatchObject({ code: 'run/busy' })
    expect(client.started).toEqual([])
    expect([queue.isGoing, queue.holder]).toEqual([false, 'elsewhere'])
  })
})

test('a run that is added while another goes on follows it; one that is added in peace waits', async () => {
  const { queue, app, client } = makeQueue({ stepMs: 1 })
  await queue.add([runSettings({ limit: 5 })])
  expect([queue.isGoing, client.started.length]).toEqual([false, 0])
  await app.start(runSettings({ limit: 1 }))
  await queue.add([runSettings({ limit: 6 })])
  expect([queue.isGoing, client.started.length]).toEqual([true, 1])
  await queue.goOn()
  expect(client.started.map(({ limit }) => limit)).toEqual([1, 5, 6])
})

test('a failed run is passed over, and its reason is kept', async () => {
  const { queue, client, app } = makeQueue()
  const startError = new EvalError('task/unknown', 'no such task')
  const broken = { ...client, start: async () => Promise.reject(startError) }
  Object.assign(app, { client: broken })
  await queue.add([runSettings(), runSettings()])
  await queue.goOn()
  expect(queue.runs.map(({ state, error }) => [state, error])).toEqual([
    ['failed', toWire(startError)],
    ['failed', toWire(startError)],
  ])
  expect(queue.error).toBeNull()
})

test('stopping ends the run of the queue and begins no other; what is left can be resumed', async () => {
  const { queue, client, app } = makeQueue({ stepMs: 1 })
  await queue.add([runSettings({ limit: 1 }), runSettings({ limit: 2 })])
  const going = queue.goOn()
  await vi.waitFor(() => {
    expect(app.live?.runId).not.toBeNull()
    expect(queue.current).toBe(1)
    expect(queue.runs.map(({ state }) => state)).toEqual(['running', 'waiting'])
  })
  await queue.stop()
  await going
  expect(client.started).toHaveLength(1)
  expect(queue.left).toHaveLength(2)
  expect([queue.error, queue.isGoing]).toEqual([null, false])
})

test('stopping while the queue waits for another run leaves that one alone', async () => {
  const { queue, client, app } = makeQueue({ stepMs: 1 })
  await app.start(runSettings({ limit: 1 }))
  await queue.add([runSettings({ limit: 2 })])
  await queue.stop()
  expect([queue.isGoing, app.isBusy]).toEqual([false, true])
  await app.live?.ended
  await queue.load()
  expect([app.live?.status, client.started.length, queue.left.length]).toEqual(['complete', 1, 1])
})
