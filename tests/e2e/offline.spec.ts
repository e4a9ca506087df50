/** Use without a network, for those who ask for it. */
import { readFileSync } from 'node:fs'
import { distFolder } from '../../src/cli/browser/build.ts'
import { serve } from '../../src/cli/browser/serve.ts'
import { expect, test } from './fixtures.ts'

test('the page opens and runs without a network once that was asked for, and has no service worker before', async ({ browser }) => {
  test.slow()
  const server = await serve({ folder: distFolder, port: 0 })
  const context = await browser.newContext()
  const page = await context.newPage()
  const workers = () => page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)
  await page.goto(`${server.address}#/storage`)
  const section = page.getByRole('region', { name: 'Use without a network' })
  await expect(section.getByRole('button', { name: 'Keep the app here' })).toBeEnabled()
  expect(await workers()).toBe(0)
  await section.getByRole('button', { name: 'Keep the app here' }).click()
  await expect(section.getByText('The app is kept here')).toBeVisible({ timeout: 60_000 })
  await page.reload()
  await expect(section.getByText('The app is kept here')).toBeVisible()
  await server.close()

  await page.goto(`${server.address}#/`)
  await page.reload()
  await page.getByRole('button', { name: 'Run evaluation' }).click()
  await expect(page.getByText('Complete')).toBeVisible({ timeout: 120_000 })
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)

  await page.goto(`${server.address}#/storage`)
  await section.getByRole('button', { name: 'Remove it' }).click()
  // Without a network nothing can be kept again.
  await expect(section.getByText('offers no way')).toBeVisible()
  expect(await workers()).toBe(0)
  expect(await page.evaluate(async () => (await caches.keys()).filter((name) => name.startsWith('yardstick-offline')))).toEqual([])
  await context.close()
})

test('the page can be installed: its manifest names pictures that are there', () => {
  const manifest: unknown = JSON.parse(readFileSync(`${distFolder}/manifest.webmanifest`, 'utf8'))
  expect(manifest).toMatchObject({ name: 'Yardstick', start_url: './', display: 'standalone' })
  const { icons } = manifest as { readonly icons: readonly { readonly src: string; readonly sizes: string }[] }
  for (const { src, sizes } of icons.filter((icon) => icon.src.endsWith('.png'))) {
    const png = readFileSync(`${distFolder}/${src}`)
    expect(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`).toBe(sizes)
  }
})

test('erasing everything takes the kept app, drafts and an ended queue with it, from the page of runs too', async ({ page, app }) => {
  test.slow()
  await page.goto(`${app.address}#/storage`)
  await page.getByRole('button', { name: 'Keep the app here' }).click()
  await expect(page.getByText('The app is kept here')).toBeVisible({ timeout: 60_000 })
  await page.goto(`${app.address}#/?model=yardstick/pico&tasks=yardstick_facts&limit=1&device=wasm`)
  await page.getByRole('button', { name: 'Add to queue' }).click()
  const queue = page.locator('.queue')
  await queue
    .getByRole('button', { name: /Go on|Start/ })
    .first()
    .click()
  await expect(queue.locator('li')).toContainText('done', { timeout: 60_000 })
  await page.evaluate(() => sessionStorage.setItem('yardstick-task-draft', '[{"path":"mine.yaml","text":"task: mine"}]'))

  await page.goto(`${app.address}#/runs`)
  await expect(page.locator('.queue li')).toHaveCount(1)
  await page.getByRole('button', { name: 'Erase everything…' }).click()
  await page.getByRole('button', { name: 'Erase everything', exact: true }).click()
  await expect(page.locator('a[href^="#/run/"]')).toHaveCount(0)
  await expect(page.locator('.queue li')).toHaveCount(0)
  const left = () =>
    page.evaluate(async () => ({
      workers: (await navigator.serviceWorker.getRegistrations()).length,
      caches: await caches.keys(),
      session: Object.keys(sessionStorage),
    }))
  await expect.poll(left).toEqual({ workers: 0, caches: [], session: [] })
})
