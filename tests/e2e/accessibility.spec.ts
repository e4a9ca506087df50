import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from '@playwright/test'
import { expect, makeSettings, openDriver, readBundled, runToEnd, test } from './fixtures.ts'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Every violation that axe finds on the page, as "rule: selector". */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const found: unknown = await page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ": " + n.target.join(" "))))',
  )
  return Array.isArray(found) ? found.map(String) : ['axe did not answer']
}

/** How far the page is wider than its window, in pixels. */
function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
}

test('every page passes axe in light and dark, and fits 360 pixels', async ({ page, context, app }) => {
  const driver = await context.newPage()
  const events = await openDriver(driver, app.address)
  const { models, task } = await readBundled(driver)
  const { runId, error } = await runToEnd(driver, events, makeSettings({ model: models[0]?.id ?? '', tasks: [task], limit: 2 }))
  expect(error).toBeNull()

  for (const hash of ['#/', '#/runs', `#/run/${runId}`, '#/about', '#/no-such-page', '#/run/no-such-run']) {
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.setViewportSize({ width: 1200, height: 900 })
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await page.goto('about:blank')
      await page.goto(app.address + hash)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByText(/loading|reading the task list/i)).toHaveCount(0)
      expect({ hash, colorScheme, found: await violations(page) }).toEqual({ hash, colorScheme, found: [] })
    }
    await page.setViewportSize({ width: 360, height: 740 })
    expect({ hash, overflow: await overflow(page), narrow: await violations(page) }).toEqual({ hash, overflow: 0, narrow: [] })
  }
})
