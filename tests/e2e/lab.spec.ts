/** The lab: works with no model and no network, by keyboard, in light and dark, at 360 pixels. */
import { violations } from './axe.ts'
import { expect, test } from './fixtures.ts'

test('a class follows the lesson by keyboard with the network off, and no model is fetched', async ({ page, context, app }) => {
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(`${app.address}#/lab`)
  await expect(page.getByRole('button', { name: 'Begin the lesson' })).toBeVisible()
  await context.setOffline(true)
  expect(requests.filter((url) => /\.onnx|tokenizer/.test(url))).toEqual([])

  await page.getByRole('button', { name: 'Begin the lesson' }).press('Enter')
  for (let step = 1; step <= 6; step++) {
    await expect(page.getByText(`Step ${step} of 6`)).toBeVisible()
    // One of the options is right, and the page says so for exactly that one.
    const options = page.locator('.lesson fieldset button')
    let right = 0
    for (const option of await options.all()) {
      await option.press('Enter')
      if (((await page.locator('.lesson .answer').textContent()) ?? '').startsWith('Yes:')) right += 1
    }
    expect(right).toBe(1)
    if (step < 6) await page.getByRole('button', { name: 'Next step' }).press('Enter')
  }
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await violations(page)).toEqual([])
  }
  await page.setViewportSize({ width: 360, height: 740 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  expect(await violations(page)).toEqual([])
})

test('the pick follows the norm and the slider, and a unit changes numbers only', async ({ page, app }) => {
  await page.goto(`${app.address}#/lab`)
  await page.getByRole('button', { name: 'Next doc that flips' }).click()
  const picked = page.locator('tr.picked th').first()
  const byAcc = await picked.innerText()
  await page.getByRole('radio', { name: /^acc_norm/ }).check()
  const byNorm = await picked.innerText()
  expect(byNorm).not.toBe(byAcc)
  const before = await page.locator('tr.picked .value').innerText()
  await page.getByLabel('Unit').selectOption('bits')
  expect(await picked.innerText()).toBe(byNorm)
  expect(await page.locator('tr.picked .value').innerText()).not.toBe(before)
  const letterOf = (text: string) => text.trim()[0]
  await page.getByRole('slider').fill('0')
  await expect(page.getByText(`At α = 0.00 the pick is ${letterOf(byAcc)}.`)).toBeVisible()
  await page.getByRole('slider').fill('1')
  await expect(page.getByText(`At α = 1.00 the pick is ${letterOf(byNorm)}.`)).toBeVisible()
})
