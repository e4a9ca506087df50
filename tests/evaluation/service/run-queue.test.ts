/** An entry's way through the queue, over any number of cut-off tabs. */
import { afterEach, describe, expect, it, vi } from 'vitest'
import { EvalError, toWire } from '../../../src/base/errors.ts'
import type { RunSettings } from '../../../src/contracts/run-settings.ts'
import type { RunRow } from '../../../src/contracts/runs.ts'
import { RunQueue } from '../../../src/evaluation/service/run-queue.ts'
import { memoryStore } from '../../../src/storage/memory-store.ts'
import type { Store } from '../../../src/storage/store.ts'
import { makeRun } from '../../storage/builders.ts'
import { defaultSettings } from '../../support/default-settings.ts'

afterEach(() => vi.unstubAllGlobals())

const settings = (limit: number): RunSettings => ({ ...defaultSettings, limit })

/** A worker over the store; `end` decides what becomes of each run that it begins. */
function openWorker(store: Store, end: (runId: string) => EvalError | null = () => null, runIds: string[] = ['r1', 'r2', 'r3']) {
  const begun: string[] = []
  const queue = new RunQueue({
    openStore: async () => store,
    newRunId: () => runIds.shift() ?? 'more',
    start: async ({ limit }, runId) => {
      begun.push(`start ${runId} with ${String(limit)}`)
      await store.createRun(makeRun(runId))
      const error = end(runId)
      return { runId, error: error === null ? null : toWire(error) }
    },
    resume: async ({ runId }: RunRow) => {
      begun.push(`resume ${runId}`)
      const error = end(runId)
      if (error !== null) throw error
      return { runId, error: null }
    },
  })
  return { queue, begun }
}

describe('an entry of the queue', () => {
  it('is done when its run is complete, and names it', async () => {
    const store = memoryStore()
    const { queue, begun } = openWorker(store)
    const [place = 0] = await queue.add([settings(1)])
    expect(await queue.take()).toBe(true)
    await queue.run(place, () => undefined)
    expect(begun).toEqual(['start r1 with 1'])
    expect(await store.readQueue()).toMatchObject([{ state: 'done', runId: 'r1', error: null }])
  })

  it('has the id of its run before the run begins, so that a tab that dies before the first answer makes no second one', async () => {
    const store = memoryStore()
    const dead = openWorker(store, () => {
      throw new Error('the tab is gone')
    })
    const [place = 0] = await dead.queue.add([settings(1)])
    await store.changeQueued(place, { state: 'running', runId: 'r1' })
    const { queue, begun } = openWorker(store, () => null, ['other'])
    await queue.take()
    await queue.run(place, () => undefined)
    expect(begun).toEqual(['start r1 with 1'])
  })

  it('is resumed where its run was cut off', async () => {
    const store = memoryStore()
    const { queue, begun } = openWorker(store)
    const [place = 0] = await queue.add([settings(1)])
    await store.createRun(makeRun('cut'))
    await store.changeQueued(place, { state: 'running', runId: 'cut' })
    await queue.take()
    await queue.run(place, () => undefined)
    expect(begun).toEqual(['resume cut'])
    expect(await store.readQueue()).toMatchObject([{ state: 'done', runId: 'cut' }])
  })

  it('is done without another word when the tab died between the run’s end and its own', async () => {
    const store = memoryStore()
    const { queue, begun } = openWorker(store)
    const [place = 0] = await queue.add([settings(1)])
    await store.createRun(makeRun('whole'))
    await store.finishRun('whole', await store.takeRun('whole'), { status: 'complete', error: null })
    await store.changeQueued(place, { state: 'running', runId: 'whole' })
    await queue.take()
    const events: unknown[] = []
    await queue.run(place, (event) => events.push(event))
    expect(begun).toEqual([])
    expect(events).toEqual([{ type: 'done', runId: 'whole', status: 'complete', error: null }])
    expect(await store.readQueue()).toMatchObject([{ state: 'done', runId: 'whole' }])
  })

  it('stays when its run was stopped or the network went, and fails for anything that would come again', async () => {
    for (const [code, state] of [
      ['run/stopped', 'running'],
      ['hub/unreachable', 'running'],
      ['storage/quota', 'running'],
      ['task/unknown', 'failed'],
      // It would never end the next time either, and those behind it would never come to their turn.
      ['engine/timeout', 'failed'],
      ['worker/timeout', 'failed'],
    ] as const) {
      const store = memoryStore()
      const { queue } = openWorker(store, () => new EvalError(code, 'said so'))
      const [place = 0] = await queue.add([settings(1)])
      await queue.take()
      await queue.run(place, () => undefined)
      expect(await store.readQueue()).toMatchObject([{ state, error: { code } }])
      // Gone on with, the run rejects; the entry says the same.
      await queue.run(place, () => undefined).catch(() => undefined)
      expect(await store.readQueue()).toMatchObject([{ state, error: { code } }])
    }
  })

  it('names the run that began in its place on another device', async () => {
    const store = memoryStore()
    const queue = new RunQueue({
      openStore: async () => store,
      newRunId: () => 'gpu',
      start: async (_, runId, onEvent) => {
        for (const id of [runId, 'wasm'])
          onEvent({ type: 'started', runId: id, manifest: makeRun(id).manifest, docsTotal: 1, requestsTotal: 1 })
        return { runId: 'wasm', error: null }
      },
      resume: async () => Promise.reject(new Error('nothing to resume')),
    })
    const [place = 0] = await queue.add([settings(1)])
    await queue.take()
    await queue.run(place, () => undefined)
    expect(await store.readQueue()).toMatchObject([{ state: 'done', runId: 'wasm' }])
  })

  it('is not run by a worker that doesn’t hold the queue', async () => {
    const { queue, begun } = openWorker(memoryStore())
    const [place = 0] = await queue.add([settings(1)])
    await expect(queue.run(place, () => undefined)).rejects.toMatchObject({ code: 'run/busy' })
    expect(begun).toEqual([])
  })
})

it('the queue is held by one worker at a time, and free when that one leaves or ends', async () => {
  const held = new Set<string>()
  vi.stubGlobal('navigator', {
    locks: {
      query: async () => ({ held: [...held].map((name) => ({ name })) }),
      request: async (name: string, _options: unknown, body: (lock: object | null) => Promise<unknown>) => {
        if (held.has(name)) return body(null)
        held.add(name)
        return body({}).finally(() => held.delete(name))
      },
    },
  })
  const store = memoryStore()
  const [first, second] = [openWorker(store).queue, openWorker(store).queue]
  expect([await first.take(), await second.take()]).toEqual([true, false])
  expect([(await first.read()).holder, (await second.read()).holder]).toEqual(['here', 'elsewhere'])
  first.leave()
  await vi.waitFor(async () => expect((await second.read()).holder).toBe('nobody'))
  expect(await second.take()).toBe(true)
})
