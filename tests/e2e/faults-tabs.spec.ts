/** Two tabs of one browser: on the same run, and on the same GPU. */
import type { Page } from '@playwright/test'
import type { RunEvent } from '../../src/contracts/progress.ts'
import { isLong } from '../support/long.ts'
import { endOf, longSettings, slowModel, startScoring, stopModel, waitingMessages } from './faults.ts'
import { callDriver, expect, intervals, isText, openDriver, runToEnd, test, waitForEnd } from './fixtures.ts'

// Generous: a run lasts seconds, but the machine may be busy.
test.describe.configure({ timeout: 300_000 })

const anything = (value: unknown): value is unknown => value !== undefined

test('a second tab follows a run live, takes it over, and the first one stops cleanly', async ({ page, context, app }) => {
  slowModel(page, 500)
  const events = await openDriver(page, app.address)
  const runId = await startScoring(page, events, longSettings({ limit: 12 }), 8)

  const second = await context.newPage()
  await second.goto(`${app.address}#/run/${runId}`)
  const main = second.locator('main')
  await expect(main).toHaveAttribute('data-run-status', 'running')
  await expect(second.getByText(/going on in another tab/)).toBeVisible()
  // News come by themselves: the count moves on without a reload.
  const docs = second.locator('.figures strong')
  await expect(docs).toBeVisible({ timeout: 60_000 })
  const seen = await docs.innerText()
  await expect.poll(() => docs.innerText(), { timeout: 60_000, intervals }).not.toBe(seen)

  await second.getByRole('button', { name: 'Take over' }).click()
  expect(await endOf(events)).toMatchObject({ runId, status: 'interrupted', error: { code: 'storage/fenced' } })
  await waitForEnd(second, 'complete')
})

test('of two tabs that begin the same run at once, one writes', async ({ page, context, app }) => {
  const races = isLong ? 200 : 4
  test.setTimeout(isLong ? 1_800_000 : 300_000)
  const pages: readonly [Page, Page] = [page, await context.newPage()]
  const events: RunEvent[][] = []
  for (const one of pages) events.push(await openDriver(one, app.address))
  const { runId } = await runToEnd(pages[0], events[0] ?? [], longSettings({ tasks: ['yardstick_facts'], limit: 2 }))
  for (let race = 0; race < races; race += 1) {
    const from = events.map((list) => list.length)
    const outcomes = await Promise.all(
      pages.map((one) =>
        callDriver(one, 'resume', [runId], anything).then(
          () => 'began',
          (error: unknown) => String(error),
        ),
      ),
    )
    // Either one found the other at work, or it came when that one had ended already and ran after it; never both at a time.
    const began = outcomes.filter((outcome) => outcome === 'began').length
    expect(began).toBeGreaterThan(0)
    for (const outcome of outcomes) expect(outcome).toMatch(/^began$|run\/busy/)
    await expect
      .poll(() => events.flatMap((list, index) => list.slice(from[index])).filter((event) => event.type === 'done').length, {
        timeout: 60_000,
        intervals,
      })
      .toBe(began)
    for (const [index, list] of events.entries())
      for (const event of list.slice(from[index])) if (event.type === 'done') expect(event).toMatchObject({ status: 'complete' })
  }
})

test('a second run on WebGPU waits for the first until that one’s tab is closed, one on WASM doesn’t', async ({ page, context, app }) => {
  const [first, second] = [page, await context.newPage()]
  const events = [await openDriver(first, app.address), await openDriver(second, app.address)] as const
  // It holds the GPU from here on. How its runs go and end is told by other tests: opening a model takes a software GPU half a minute.
  const isOpening = (some: readonly RunEvent[]) => some.some((event) => event.type === 'phase' && event.phase === 'self-check')
  const onGpu = longSettings({ device: 'webgpu', tasks: ['yardstick_facts'] })
  callDriver(first, 'start', [onGpu], isText).catch(() => undefined)
  await expect.poll(() => isOpening(events[0]), { timeout: 60_000, intervals }).toBe(true)
  await stopModel(first)
  const onWasm = await runToEnd(second, events[1], longSettings({ tasks: ['yardstick_facts'], limit: 2 }))
  expect(onWasm.status).toBe('complete')

  const from = events[1].length
  const sinceThen = () => events[1].slice(from)
  callDriver(second, 'start', [onGpu], isText).catch(() => undefined)
  await expect.poll(() => waitingMessages(sinceThen()).join(), { timeout: 60_000, intervals }).toMatch(/Another tab.*using the GPU/)
  expect(isOpening(sinceThen())).toBe(false)
  await first.close()
  await expect.poll(() => isOpening(sinceThen()), { timeout: 60_000, intervals }).toBe(true)
})
