/** Tabs and machines that stop in the middle of a run. */
import { chromium } from '@playwright/test'
import { findBrowser, playwrightOptions } from '../../src/cli/browser/browser.ts'
import { quickCompiler } from './compiler.ts'
import { endOf, longSettings, processesOf, slowModel, startScoring, waitingMessages } from './faults.ts'
import { expect, intervals, openDriver, test, waitForEnd } from './fixtures.ts'

// Generous: a run lasts seconds, but the machine may be busy.
test.describe.configure({ timeout: 300_000 })

test('a crashed page is found again as interrupted, and one click goes on with its run', async ({ page, context, app }) => {
  slowModel(page)
  const events = await openDriver(page, app.address)
  const runId = await startScoring(page, events, longSettings())
  const session = await context.newCDPSession(page)
  const crashed = page.waitForEvent('crash')
  // It never answers.
  session.send('Page.crash').catch(() => undefined)
  await crashed

  const second = await context.newPage()
  await second.goto(`${app.address}#/run/${runId}`)
  await expect(second.locator('main')).toHaveAttribute('data-run-status', 'interrupted', { timeout: 60_000 })
  await expect(second.getByText(/interrupted at \d+ of \d+ docs/)).toBeVisible()
  await second.getByRole('button', { name: 'Resume' }).click()
  await waitForEnd(second, 'complete')
  await page.close()
})

test('a frozen page goes on where it was, and a machine that sleeps is no fault of the model', async ({ app }) => {
  const { path } = findBrowser(() => undefined)
  const browser = await chromium.launch(playwrightOptions(path, 'hardware', quickCompiler))
  try {
    const page = await browser.newPage()
    // Workers go on in a frozen page: the run must outlast that, to be there for the sleep.
    slowModel(page, 1_200)
    const events = await openDriver(page, app.address)
    await startScoring(page, events, longSettings())
    const session = await page.context().newCDPSession(page)
    await session.send('Page.setWebLifecycleState', { state: 'frozen' })
    await page.waitForTimeout(3_000)
    const seen = events.length
    await session.send('Page.setWebLifecycleState', { state: 'active' })
    await expect.poll(() => events.slice(seen).some(({ type }) => type === 'progress'), { timeout: 60_000, intervals }).toBe(true)
    expect(events.filter(({ type }) => type === 'done')).toEqual([])

    const ids = (await processesOf(browser)).map(({ id }) => id)
    for (const id of ids) process.kill(id, 'SIGSTOP')
    await new Promise((resolve) => setTimeout(resolve, 6_000))
    for (const id of ids) process.kill(id, 'SIGCONT')
    expect(await endOf(events)).toMatchObject({ status: 'complete', error: null })
    expect(waitingMessages(events)).toEqual([])
  } finally {
    await browser.close()
  }
})
