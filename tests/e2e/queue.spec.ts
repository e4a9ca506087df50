/** A queue of runs from the set-up page: killed with its page in the middle of the second run, found again, resumed at a click. */
import type { BrowserContext, Page } from '@playwright/test'
import { filesOf, type Files } from '../kill/reference.ts'
import { openTab } from '../kill/tab.ts'
import { expect, test } from './fixtures.ts'
import { expectGood } from './walk.ts'

test.describe.configure({ timeout: 300_000 })

/** Three runs; the second lasts long enough to be killed in. */
const queued = ['tasks=yardstick_words&limit=3', 'tasks=yardstick&limit=12', 'tasks=yardstick_facts&limit=4']

const queueOf = (page: Page) => page.getByRole('region', { name: 'Queue of runs' })
const waitUntilLeft = (page: Page, left: number) =>
  expect(queueOf(page)).toHaveAttribute('data-queue-left', String(left), { timeout: 240_000 })

/** Queues the three on the set-up page, and goes on to the history. */
async function fillQueue(page: Page, address: string): Promise<void> {
  for (const [at, query] of queued.entries()) {
    await page.goto(`${address}#/?model=yardstick/pico&device=wasm&dtype=fp32&${query}`)
    await expect(page.getByRole('button', { name: /^Run/ })).toBeEnabled()
    await page.getByRole('button', { name: 'Add to queue' }).click()
    await waitUntilLeft(page, at + 1)
  }
  await page.goto(`${address}#/runs`)
}

/** The files of all runs that the browser keeps, the oldest first. */
async function keptFiles(context: BrowserContext, address: string): Promise<readonly Files[]> {
  const tab = await openTab(context, address)
  const rows = await tab.call('listRuns')
  const files: Files[] = []
  for (const { runId } of rows.toReversed()) files.push(await filesOf(tab, runId))
  await tab.page.close()
  return files
}

test('a queue whose page dies in the middle of its second run comes to the results of an undisturbed one', async ({
  page,
  context,
  browser,
  app,
}) => {
  await fillQueue(page, app.address)
  await page.getByRole('button', { name: 'Go on with the queue' }).click()
  await waitUntilLeft(page, 0)
  const wanted = await keptFiles(context, app.address)
  expect(wanted).toHaveLength(3)

  const other = await browser.newContext()
  const first = await other.newPage()
  await fillQueue(first, app.address)
  await first.getByRole('button', { name: 'Go on with the queue' }).click()
  // Looked for at every frame: the whole run lasts seconds.
  await first.waitForFunction(() => /running, [1-9]\d* of/.test(document.querySelectorAll('.queue li')[1]?.textContent ?? ''))
  const session = await other.newCDPSession(first)
  const crashed = first.waitForEvent('crash')
  // It never answers.
  session.send('Page.crash').catch(() => undefined)
  await crashed
  await first.close()

  const second = await other.newPage()
  await second.goto(`${app.address}#/`)
  await expect(queueOf(second)).toContainText('2 runs of your queue are left.', { timeout: 60_000 })
  await second.goto(`${app.address}#/runs`)
  await expect(second.getByRole('listitem').nth(1)).toContainText('was cut off')
  // Nothing goes on by itself.
  await expect(second.getByText('Interrupted')).toHaveCount(1)
  await expectGood(second, 'the history with a queue that was cut off')
  await second.getByRole('button', { name: 'Go on with the queue' }).click()
  await expect(second.getByRole('listitem').nth(1)).toContainText('running')

  const third = await other.newPage()
  await third.goto(`${app.address}#/runs`)
  await expect(queueOf(third)).toContainText('The queue goes on in another tab')
  await expect(third.getByRole('button', { name: 'Go on with the queue' })).toHaveCount(0)
  await third.close()

  await waitUntilLeft(second, 0)
  expect(await keptFiles(other, app.address)).toEqual(wanted)
  await other.close()
})
