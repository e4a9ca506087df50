/** Use without a network, for those who ask for it. */
import { readFileSync } from 'node:fs'
import { distFolder } from '../../scripts/lib/build.ts'
import { serve } from '../../scripts/lib/serve.ts'
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
