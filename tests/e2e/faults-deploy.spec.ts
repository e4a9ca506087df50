/** A new version that is published while the page is open. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { distFolder } from '../../src/cli/browser/build.ts'
import { serve } from '../../src/cli/browser/serve.ts'
import { pico, slowModel } from './faults.ts'
import { expect, intervals, test, waitForEnd } from './fixtures.ts'

// Generous: a run lasts seconds, but the machine may be busy.
test.describe.configure({ timeout: 300_000 })

/** Does what a deployment does: other names for all assets, and a page that knows those. */
function publish(folder: string): void {
  const assets = join(folder, 'assets')
  for (const name of readdirSync(assets)) renameSync(join(assets, name), join(assets, `next-${name}`))
  const page = join(folder, 'index.html')
  writeFileSync(page, readFileSync(page, 'utf8').replaceAll('assets/', 'assets/next-'))
}

test('a run goes on through a deployment, and a page that is gone says what to do', async ({ page }) => {
  const folder = mkdtempSync(join(tmpdir(), 'yardstick-deploy-'))
  cpSync(distFolder, folder, { recursive: true })
  const server = await serve({ folder, port: 0 })
  slowModel(page, 2_000)
  try {
    const query = 'tasks=yardstick_facts,yardstick_words&limit=30&dtype=fp32&device=wasm'
    await page.goto(`${server.address}#/?model=${encodeURIComponent(pico)}&${query}`)
    await page.getByRole('button', { name: /^Run/ }).click()
    await expect(page).toHaveURL(/#\/run\/(?!new$|starting$)[\w-]{6,}/, { timeout: 60_000 })
    await expect.poll(() => page.locator('.figures strong').innerText(), { timeout: 60_000, intervals }).not.toBe('0')
    publish(folder)
    await page.evaluate(() => (location.hash = '#/nowhere'))
    await expect(page.getByText(/published/).first()).toBeVisible({ timeout: 30_000 })
    await expect(page.getByText('Reload once the run has ended', { exact: false })).toBeVisible()
    await page.goBack()
    await waitForEnd(page, 'complete')
    await expect(page.getByRole('table').first()).toContainText('acc')
    await expect(page.getByRole('button', { name: 'Reload the page' })).toBeVisible()
  } finally {
    await server.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
