/** The storage page: what is kept, checked, carried away, deleted, and gone. */
import type { Page } from '@playwright/test'
import { violations } from './axe.ts'
import { expect, test, waitForEnd } from './fixtures.ts'
import { hubHost, standInForHub, tinyModel } from './hub-stand-in.ts'

test.use({ allowedHosts: [hubHost] })

/** The browser's own folder picker can't be driven: a folder of the origin's private file system stands in for one on a disk. */
async function standInForPicker(page: Page): Promise<void> {
  await page.addInitScript(() => {
    Reflect.set(window, 'showDirectoryPicker', async () =>
      (await navigator.storage.getDirectory()).getDirectoryHandle('a stick', { create: true }),
    )
  })
}

test('shows what a run has downloaded, checks it, carries it to another computer, deletes it, erases everything', async ({
  page,
  context,
  app,
}) => {
  test.setTimeout(240_000)
  const hub = await standInForHub(context)
  await standInForPicker(page)
  await page.goto(`${app.address}#/storage`)
  await expect(page.getByText('Nothing was downloaded.')).toBeVisible()
  expect(await violations(page)).toEqual([])

  const settings = `tasks=yardstick_facts&limit=2&device=wasm&dtype=q4`
  await page.goto(`${app.address}#/?model=${tinyModel}&${settings}`)
  await page.getByRole('button', { name: /^Run/ }).click()
  await waitForEnd(page, 'complete')
  const scores = await page.getByRole('table').first().innerText()

  await page.goto(`${app.address}#/runs`)
  await page.getByRole('link', { name: 'Storage and downloaded files' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Storage')
  await expect(page.getByText('1 run ·')).toBeVisible()
  await expect(page.getByRole('meter', { name: 'Storage used' })).toBeVisible()
  await page.getByText(tinyModel, { exact: true }).click()
  await expect(page.getByText('onnx/model_q4.onnx')).toBeVisible()
  await page.getByRole('button', { name: `Check the files of ${tinyModel}` }).click()
  await expect(page.getByText('✓ unchanged')).toBeVisible()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await violations(page)).toEqual([])
  }
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  await page.setViewportSize({ width: 1280, height: 900 })

  // What is written is a folder that another computer can use, with the same scores.
  await page.getByRole('button', { name: `Save for another computer… ${tinyModel}` }).click()
  await expect
    .poll(() =>
      page.evaluate(async () => {
        const stick = await (await navigator.storage.getDirectory()).getDirectoryHandle('a stick', { create: true })
        const names: string[] = []
        for await (const name of stick.keys()) names.push(name)
        return names.sort()
      }),
    )
    .toEqual(expect.arrayContaining(['config.json', 'onnx', 'tokenizer.json']))
  await expect(page.getByRole('button', { name: `Check the files of ${tinyModel}` })).toBeEnabled()
  const asked = hub.asked.length
  await page.goto(`${app.address}#/?model=${encodeURIComponent('folder:a stick')}&${settings}`)
  await page.getByRole('button', { name: 'Choose a folder…' }).first().click()
  await expect(page.getByText(/\d files, .*Its identity is a hash/)).toBeVisible()
  await page.getByRole('button', { name: /^Run/ }).click()
  await waitForEnd(page, 'complete')
  expect(await page.getByRole('table').first().innerText()).toBe(scores)
  expect(hub.asked.length).toBe(asked)

  await page.goto(`${app.address}#/storage`)
  await page.getByText(tinyModel, { exact: true }).click()
  await page.getByRole('button', { name: `Delete the files of ${tinyModel}…` }).click()
  await expect(page.getByRole('dialog')).toContainText(tinyModel)
  expect(await violations(page)).toEqual([])
  await page.getByRole('button', { name: 'Cancel' }).click()
  await expect(page.getByText(tinyModel, { exact: true })).toBeVisible()
  await page.getByRole('button', { name: `Delete the files of ${tinyModel}…` }).click()
  await page.getByRole('button', { name: 'Delete the files', exact: true }).click()
  await expect(page.getByText('Nothing was downloaded.')).toBeVisible()
  await expect(page.getByText('2 runs ·')).toBeVisible()

  await page.getByRole('button', { name: 'Erase everything…' }).click()
  await page.getByRole('button', { name: 'Erase everything', exact: true }).click()
  await expect(page.getByText('Erased. What is left: 0 runs, 0 answers, 0 files.')).toBeVisible()
  await hub.close()
})
