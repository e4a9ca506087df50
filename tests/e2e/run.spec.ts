import type { RunRow } from '../../src/contracts/runs.ts'
import { callDriver, expect, isListOf, isSummary, openDriver, readBundled, runToEnd, test, waitForEnd } from './fixtures.ts'

test('one click runs the embedded default, and stop keeps what was done', async ({ page, app }) => {
  await page.goto(app.address)
  const run = page.getByRole('button', { name: /^Run/ })
  await expect(run).toHaveCount(1)
  await expect(page.locator('main')).toHaveAttribute('data-run-status', 'idle')
  await run.click()
  await expect(page.locator('main')).toHaveAttribute('data-run-status', 'running')
  await expect(page.getByText(/docs/i).first()).toBeVisible()
  // Wait until the run has an id, so that there is something to keep.
  await expect(page).toHaveURL(/#\/run\/(?!new$|starting$)[\w-]{6,}/, { timeout: 60_000 })
  await page.getByRole('button', { name: /^Stop/ }).click()
  await waitForEnd(page, 'interrupted')
})

test('a run shows its table, is there after a reload, and costs nothing the second time', async ({ page, context, app }) => {
  const driver = await context.newPage()
  const events = await openDriver(driver, app.address)
  const { task, models } = await readBundled(driver)
  const [model] = models

  await page.goto(
    `${app.address}#/?model=${encodeURIComponent(model?.id ?? '')}&tasks=${encodeURIComponent(task)}&dtype=fp32&device=wasm&limit=1`,
  )
  await page.getByRole('button', { name: /^Run/ }).click()
  await waitForEnd(page, 'complete')
  const table = page.getByRole('table').first()
  await expect(table).toContainText('acc')
  const shown = await table.innerText()

  await page.reload()
  await expect(page.locator('main')).toHaveAttribute('data-run-status', 'complete')
  await expect(table).toBeVisible()
  expect(await table.innerText()).toBe(shown)

  await page.goto(`${app.address}#/runs`)
  await expect(page.locator('a[href^="#/run/"]')).toHaveCount(1)

  const rows = await callDriver(driver, 'listRuns', [], isListOf<RunRow>('manifest'))
  const [first] = rows
  if (first === undefined) throw new Error('the run was not stored')
  const again = await runToEnd(driver, events, first.manifest.settings)
  expect(again).toMatchObject({ status: 'complete', error: null })
  expect(again.progress).toMatchObject({ runs: 0, requestsKept: again.progress?.requestsTotal ?? -1 })

  const [before, after] = [
    await callDriver(driver, 'loadResults', [first.runId], isSummary),
    await callDriver(driver, 'loadResults', [again.runId], isSummary),
  ]
  expect(after.resultsFile['results']).toEqual(before.resultsFile['results'])
})
