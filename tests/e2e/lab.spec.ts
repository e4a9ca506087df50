/** The lab: works with no model and no network, by keyboard, in light and dark, at 360 pixels. */
import { violations } from './axe.ts'
import { expect, test } from './fixtures.ts'
import { readQr } from './read-qr.ts'

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
    // Nothing below answers it before the reader does.
    const marked = page.locator('tr.picked')
    await expect(marked).toHaveCount([1, 3, 5].includes(step) ? 0 : 1)
    let right = 0
    for (const option of await options.all()) {
      await option.press('Enter')
      if (((await page.locator('.lesson .answer').textContent()) ?? '').startsWith('Yes:')) right += 1
    }
    expect(right).toBe(1)
    await expect(marked).toHaveCount(1)
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

test('a teacher hides the answers, counts hands, shows the answers, and the QR code opens the exact view', async ({ page, app }) => {
  await page.goto(`${app.address}#/lab?set=yoruba&doc=3&norm=acc_norm&unit=bits`)
  const choices = page.getByRole('region', { name: 'Choices' })
  await expect(choices.getByText('picked', { exact: true })).toHaveCount(1)
  await page.getByRole('heading', { level: 1 }).press('c')
  await expect(page.getByRole('heading', { name: 'What does the class say?' })).toBeVisible()
  await expect(choices.getByText(/picked|right/)).toHaveCount(0)
  await expect(choices.locator('tbody .value')).toHaveText(['?', '?', '?', '?'])

  const heading = page.getByRole('heading', { level: 1 })
  for (const key of ['1', '2', '2', '2', '4']) await heading.press(key)
  const hands = page.locator('.vote tbody td.num')
  await expect(hands).toHaveText(['1', '3', '0', '1'])
  await page.getByRole('button', { name: 'One hand fewer for D' }).press('Enter')
  await expect(hands).toHaveText(['1', '3', '0', '0'])
  await page.setViewportSize({ width: 1280, height: 900 })
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await violations(page)).toEqual([])
  }

  const link = await readQr(page, page.getByRole('img', { name: /^QR code of/ }))
  expect(link).toBe(`${app.address}#/lab?set=yoruba&doc=3&norm=acc_norm&unit=bits&class=1`)
  expect(page.url()).toBe(link)
  await heading.press('a')
  await expect(choices.getByText('picked', { exact: true })).toHaveCount(1)
  await expect(page.getByText(/of 4 hands were right/)).toBeVisible()
  await heading.press('PageDown')
  await expect(page.getByText('Doc 4 of 48')).toBeVisible()
  await expect(hands).toHaveText(['0', '0', '0', '0'])
  await expect(choices.getByText('picked', { exact: true })).toHaveCount(0)

  // Somebody in the class reads the code.
  const pupil = await page.context().newPage()
  await pupil.setViewportSize({ width: 360, height: 740 })
  await pupil.goto(link ?? '')
  await expect(pupil.getByText('Doc 3 of 48')).toBeVisible()
  await expect(pupil.getByRole('radio', { name: /^acc_norm/ })).toBeChecked()
  await expect(pupil.locator('main tbody .value').first()).toHaveText('?')
  expect(await pupil.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  expect(await violations(pupil)).toEqual([])
})

test('the same doc is asked for its letter, and a doc that flips is one press away', async ({ page, app }) => {
  await page.goto(`${app.address}#/lab`)
  await page.getByLabel('Asked for').selectOption('the letter')
  await expect(page.locator('pre')).toContainText('A. Kingston')
  await expect(page).toHaveURL(/style=letters/)
  await page.getByLabel('Asked for').selectOption('the text as a continuation')
  await page.getByText('Which docs flip, by norm').click()
  await page.locator('dd').first().getByRole('button').nth(1).click()
  await expect(page.getByRole('heading', { name: 'Letters against continuations' })).toBeVisible()
  await expect(page).toHaveURL(/doc=\d+/)
})

test('the lab opens from the set-up page with the network off', async ({ page, context, app }) => {
  const requests: string[] = []
  page.on('requestfinished', (request) => requests.push(request.url()))
  await page.goto(`${app.address}#/`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect.poll(() => requests.some((url) => url.endsWith('lab/recorded.json')), { timeout: 20_000 }).toBe(true)
  await context.setOffline(true)
  const opened = await page.evaluate(async () => {
    const before = performance.now()
    location.hash = '#/lab'
    while (document.querySelector('tr.picked') === null) await new Promise((resolve) => requestAnimationFrame(resolve))
    return performance.now() - before
  })
  console.log(`the lab opened in ${Math.round(opened)} ms with the network off`)
  await expect(page.getByRole('button', { name: 'Begin the lesson' })).toBeVisible()
})
