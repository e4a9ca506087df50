import type { Page } from '@playwright/test'
import { packRun } from '../../src/app/export/run-file.ts'
import { packResult } from '../../src/app/share/link.ts'
import { sharedResult } from '../../src/app/share/shared-result.ts'
import { runManifest, runSummary, sample } from '../app/builders.ts'
import { expect, makeSettings, openDriver, readBundled, runToEnd, test } from './fixtures.ts'
import { hubHost, standInForHub } from './hub-stand-in.ts'
import { expectAccessible, expectGood } from './walk.ts'

/** The address of a result in a link, without the page's own. */
async function sharedHash(): Promise<string> {
  const result = sharedResult(runManifest('r1'), runSummary('r1'), new Map())
  return `#/r/${await packResult(result)}`
}

/** A run saved as a file, with samples to read. */
async function savedRun(): Promise<Buffer> {
  async function* samples() {
    await Promise.resolve()
    yield [sample(0), sample(1)]
  }
  const run = await packRun({ manifest: runManifest('r1'), summary: runSummary('r1'), samples: samples() })
  return Buffer.from(await run.arrayBuffer())
}

test('every page passes axe in light and dark, fits 360 pixels, and is walked by the keyboard alone', async ({ page, context, app }) => {
  const driver = await context.newPage()
  const events = await openDriver(driver, app.address)
  const { models, task } = await readBundled(driver)
  const { runId, error } = await runToEnd(driver, events, makeSettings({ model: models[0]?.id ?? '', tasks: [task], limit: 2 }))
  expect(error).toBeNull()
  const { runId: otherRunId } = await runToEnd(
    driver,
    events,
    makeSettings({ model: models[0]?.id ?? '', tasks: [task], limit: 2, dtype: 'q8' }),
  )
  await driver.close()

  const expectGoodPage = async (what: string): Promise<void> => {
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    await expect(page.getByText(/loading|comparing…|reading the task list|opening the recorded run/i)).toHaveCount(0)
    await expectGood(page, what)
  }
  // One after the other as links lead to them; a heading that the page before hasn't tells that the next is there.
  for (const [hash, heading] of [
    ['#/', 'Evaluate a language model, here in the browser'],
    ['#/runs', 'History'],
    [`#/run/${runId}`, 'yardstick/pico'],
    [await sharedHash(), 'A shared result'],
    ['#/lab', 'The same answers, different scores'],
    ['#/about', 'About Yardstick'],
    ['#/lab?class=1&step=sum', 'The same answers, different scores'],
    ['#/storage', 'Storage'],
    ['#/compare', 'Compare runs'],
    ['#/task', 'Tasks, word for word'],
    [`#/compare?runs=${runId},${otherRunId}`, 'Compare runs'],
    ['#/no-such-page', 'There is no such page'],
    ['#/run/no-such-run', 'There is no such run'],
    ['#/open', 'Open a run'],
  ] as const) {
    await page.goto(app.address + hash)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
    await expectGoodPage(hash.slice(0, 40))
  }
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Choose files' }).click()])
  await chooser.setFiles({ name: 'run.yardstick.gz', mimeType: 'application/gzip', buffer: await savedRun() })
  await expect(page.getByText('Imported, not verified.')).toBeVisible()
  await expect(page.locator('.viewer')).toHaveAttribute('data-docs', '2')
  await expectGoodPage('an opened run')
})

test.describe('choosing', () => {
  test.use({ allowedHosts: [hubHost] })

  /** Ways to bring the set-up page into a state, each ending when the state is there to see. */
  const states: readonly (readonly [string, (page: Page) => Promise<unknown>])[] = [
    [
      'a search with results',
      async (page) => {
        await page.getByRole('radio', { name: /^Another model/ }).check()
        const box = page.getByRole('combobox', { name: 'Search the Hub for models' })
        await box.fill('tiny')
        await expect(page.getByRole('listbox').getByRole('option')).toHaveCount(1)
        await box.press('ArrowDown')
      },
    ],
    [
      'a model looked up',
      async (page) => {
        await page.getByRole('listbox').getByRole('option').click()
        await expect(page.getByRole('list', { name: 'Weights it offers' })).toBeVisible()
      },
    ],
    [
      'a search without results',
      async (page) => {
        await page.getByRole('combobox', { name: 'Search the Hub for models' }).fill('nothing-like-it')
        await expect(page.getByText('No model that writes text matches.')).toBeVisible()
      },
    ],
    [
      'a model that isn’t there',
      async (page) => {
        await page.getByRole('radio', { name: /^SmolLM2 135M/ }).check()
        await expect(page.getByRole('alert')).toContainText('hub/not-found')
      },
    ],
    [
      'tasks unfolded and searched',
      async (page) => {
        await page.getByRole('button', { name: 'Tasks of yardstick', exact: true }).click()
        await expect(page.getByRole('checkbox', { name: /^yardstick_facts/ }).first()).toBeVisible()
      },
    ],
    [
      'settings unfolded, one of them wrong',
      async (page) => {
        await page.getByText('Advanced settings').click()
        await page.getByLabel('Items to compute again').fill('some')
        await page.getByRole('button', { name: /^Run/ }).click()
        await expect(page.getByText('Wanted a whole number, found “some”.')).toBeVisible()
      },
    ],
  ]

  test('passes axe in every state, light and dark, and fits 360 pixels', async ({ page, context, app }) => {
    const hub = await standInForHub(context)
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await page.goto(`${app.address}#/`)
    for (const [state, reach] of states) {
      await page.setViewportSize({ width: 1200, height: 900 })
      await reach(page)
      await expectAccessible(page, state)
    }
    await hub.close()
  })
})
