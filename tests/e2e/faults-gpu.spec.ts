/** A GPU that goes away in the middle of a run; its process is killed from outside, as a driver's crash would. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isLong } from '../support/long.ts'
import { writeTinyRepository } from '../support/tiny-repository.ts'
import { endOf, killGpuProcess, longSettings, startScoring, waitingMessages } from './faults.ts'
import { expect, intervals, openDriver, runToEnd, test } from './fixtures.ts'
import { hubHost, standInForHub, type StandIn } from './hub-stand-in.ts'

// Of a browser's own, as these kill parts of it.
test.use({ launchOptions: async ({ launchOptions }, use) => use({ ...launchOptions }) })

// A tiny model, whose kernels a software GPU compiles in a fifth of the time.
const model = 'local-lab/tiny-llama'
const folder = mkdtempSync(join(tmpdir(), 'yardstick-lost-gpu-'))
const onGpu = longSettings({ model, device: 'webgpu', tasks: ['yardstick_facts'], limit: 16 })

let hub: StandIn
test.use({ allowedHosts: [hubHost] })
test.beforeAll(() => writeTinyRepository(folder, 'llama-wide', 'seed'))
test.afterAll(() => rmSync(folder, { recursive: true, force: true }))
test.beforeEach(async ({ context }) => {
  hub = await standInForHub(context, { [model]: folder })
})
test.afterEach(() => hub.close())

test('a run on WebGPU outlives the GPU process: same adapter, checked again, no answer lost', async ({ browser, page, app }) => {
  test.setTimeout(240_000)
  const events = await openDriver(page, app.address)
  const shared = { ...onGpu, useCache: true }
  const runId = await startScoring(page, events, shared, 4)
  await killGpuProcess(browser)
  const end = await endOf(events)
  expect(end).toMatchObject({ runId, status: 'complete', error: null })
  expect(waitingMessages(events)).toContain('The GPU was lost. The model is being opened and checked again.')
  const last = events.findLast((event) => event.type === 'progress')
  expect(last?.requestsDone).toBe(last?.requestsTotal)

  // Taken from the store: whatever was computed after the loss lies under the same keys.
  const again = await runToEnd(page, events, shared)
  expect(again.progress).toMatchObject({ runs: 0 })
})

test('a run waits while the browser gives no adapter after a second crash, and goes on when it does', async ({ browser, page, app }) => {
  test.skip(!isLong, 'Chromium withholds the adapter for two minutes: the long form has it')
  test.setTimeout(600_000)
  const events = await openDriver(page, app.address)
  const runId = await startScoring(page, events, { ...onGpu, limit: 40 }, 8)
  await killGpuProcess(browser)
  const done = () => events.findLast((event) => event.type === 'progress')?.requestsDone ?? 0
  const before = done()
  await expect.poll(done, { timeout: 120_000, intervals }).toBeGreaterThan(before + 8)
  await killGpuProcess(browser)
  await expect.poll(() => waitingMessages(events).join(), { timeout: 60_000, intervals }).toContain('Your browser has paused GPU access.')
  await expect.poll(() => events.some((event) => event.type === 'done'), { timeout: 400_000, intervals }).toBe(true)
  expect(events.findLast((event) => event.type === 'done')).toMatchObject({ runId, status: 'complete' })
})
