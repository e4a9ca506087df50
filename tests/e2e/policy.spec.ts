import type { Page, Worker } from '@playwright/test'
import { setTimeout as sleep } from 'node:timers/promises'
import { longSettings } from './faults.ts'
import { callDriver, expect, intervals, isText, openDriver, test } from './fixtures.ts'

/** What a place may do. Runs in a task of its own: a debugger's evaluation is exempt from the rules about `eval`. */
const probe = () =>
  new Promise<{ name: string; fetched: string; evaluated: string; compiled: string; missing: string[] }>((done) => {
    setTimeout(() => {
      const attempt = (action: () => unknown): string => {
        try {
          action()
          return 'allowed'
        } catch (error) {
          return error instanceof Error ? error.name : 'blocked'
        }
      }
      const missing = ['fetch', 'indexedDB', 'caches', 'XMLHttpRequest', 'WebSocket', 'EventSource', 'Worker', 'BroadcastChannel'].filter(
        (name) => Reflect.get(globalThis, name) === undefined,
      )
      const evaluated = attempt(() => Reflect.get(globalThis, 'eval')('1'))
      const compiled = attempt(() => Reflect.construct(Reflect.get(globalThis, 'Function'), ['return 1']))
      const fetched =
        typeof fetch === 'function'
          ? fetch('https://foreign.example/').then(
              () => 'allowed',
              () => 'blocked',
            )
          : Promise.resolve('no fetch')
      fetched
        .then((outcome) => done({ name: String(Reflect.get(globalThis, 'name') ?? ''), fetched: outcome, evaluated, compiled, missing }))
        .catch(() => undefined)
    }, 0)
  })

/** Empty for one that is gone. The threads of WASM are workers too, which sleep and never answer. */
function nameOf(worker: Worker): Promise<string> {
  return worker.evaluate(() => String(Reflect.get(globalThis, 'name'))).catch(() => '')
}

/** All three workers of a run that goes on, by name; helpers that lived only before it are gone from the page's list. */
async function workersByName(page: Page): Promise<ReadonlyMap<string, Worker>> {
  let named = new Map<string, Worker>()
  const look = async (): Promise<string[]> => {
    named = new Map()
    await Promise.all(
      page.workers().map(async (worker) => {
        const name = await Promise.race([nameOf(worker), sleep(1000, '')])
        if (name !== '') named.set(name, worker)
      }),
    )
    return [...named.keys()].sort()
  }
  await expect.poll(look, { timeout: 60_000, intervals }).toEqual(['model', 'run', 'text'])
  return named
}

for (const host of ['app', 'plainHost'] as const) {
  test(`${host === 'app' ? 'with' : 'without'} headers, the policy holds in the page and in every worker`, async ({
    page,
    app,
    plainHost,
  }) => {
    const server = host === 'app' ? app : plainHost
    const events = await openDriver(page, server.address)
    const inPage = await page.evaluate(probe)
    expect(inPage).toMatchObject({ fetched: 'blocked', evaluated: 'EvalError', compiled: 'EvalError' })

    // Hundreds of forward passes, and it is stopped: long enough to look into every worker, each of which answers between two of them.
    const runId = await callDriver(page, 'start', [longSettings({ tasks: ['yardstick', 'yardstick_letters'], limit: null })], isText)
    await expect.poll(() => events.some(({ type }) => type === 'progress'), { timeout: 60_000, intervals }).toBe(true)
    const workers = await workersByName(page)
    for (const [name, worker] of workers) {
      const found = await worker.evaluate(probe)
      expect({ ...found, name }).toMatchObject({
        name,
        fetched: name === 'text' ? 'no fetch' : 'blocked',
        evaluated: 'EvalError',
        compiled: 'EvalError',
      })
      if (name === 'text')
        expect(found.missing).toEqual([
          'fetch',
          'indexedDB',
          'caches',
          'XMLHttpRequest',
          'WebSocket',
          'EventSource',
          'Worker',
          'BroadcastChannel',
        ])
    }
    await callDriver(page, 'stop', [runId], (value): value is null => value === null)
  })
}
