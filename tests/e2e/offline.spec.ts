/** Use without a network, for those who ask for it. */
import { readFileSync } from 'node:fs'
import { distFolder } from '../../src/cli/browser/build.ts'
import { serve } from '../../src/cli/browser/serve.ts'
import { expect, intervals, test } from './fixtures.ts'

test('the page opens and runs without a network once that was asked for, and erasing everything takes the kept app, drafts and an ended queue', async ({
  browser,
}) => {
  test.slow()
  const server = await serve({ folder: distFolder, port: 0 })
  const context = await browser.newContext()
  const page = await context.newPage()
  const left = () =>
    page.evaluate(async () => ({
      workers: (await navigator.serviceWorker.getRegistrations()).length,
      caches: await caches.keys(),
      session: Object.keys(sessionStorage),
    }))
  const nothing = { workers: 0, caches: [], session: [] }
  await page.goto(`${server.address}#/storage`)
  const section = page.getByRole('region', { name: 'Use without a network' })
  const keep = section.getByRole('button', { name: 'Keep the app here' })
  const isKept = section.getByText('The app is kept here')
  await expect(keep).toBeEnabled()
  expect(await left()).toEqual(nothing)
  await keep.click()
  await expect(isKept).toBeVisible({ timeout: 60_000 })
  await section.getByRole('button', { name: 'Remove it' }).click()
  await expect(keep).toBeEnabled()
  expect(await left()).toEqual(nothing)
  await keep.click()
  await expect(isKept).toBeVisible({ timeout: 60_000 })
  await page.reload()
  await expect(isKept).toBeVisible()
  await server.close()

  await page.goto(`${server.address}#/?model=yardstick/pico&tasks=yardstick_facts&limit=1&device=wasm`)
  await page.reload()
  await page.getByRole('button', { name: 'Add to queue' }).click()
  const queue = page.locator('.queue')
  await queue
    .getByRole('button', { name: /Go on|Start/ })
    .first()
    .click()
  await expect(queue.locator('li')).toContainText('done', { timeout: 60_000 })
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true)
  await page.evaluate(() => sessionStorage.setItem('yardstick-task-draft', '[{"path":"mine.yaml","text":"task: mine"}]'))

  await page.goto(`${server.address}#/runs`)
  await expect(page.locator('a[href^="#/run/"]').first()).toBeVisible()
  await expect(page.locator('.queue li')).toHaveCount(1)
  await page.getByRole('button', { name: 'Erase everything…' }).click()
  await page.getByRole('button', { name: 'Erase everything', exact: true }).click()
  await expect(page.locator('a[href^="#/run/"]')).toHaveCount(0)
  await expect(page.locator('.queue li')).toHaveCount(0)
  await expect.poll(left, { intervals }).toEqual(nothing)
  // Without a network nothing can be kept again.
  await page.goto(`${server.address}#/storage`)
  await expect(section.getByText('offers no way')).toBeVisible()
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
