/** The sample viewer over a run of thousands of docs: what is listed, what filters find, its keys and its addresses. Times are the bench's. */
import { countRows } from '../../tools/bench/page-arm.ts'
import { buildWriter, expectedFilterings, openMadeRun, timeFiltering, watchRun, writeRun } from '../../tools/bench/viewer/made-page.ts'
import { madeRunId } from '../../tools/bench/viewer/made-run.ts'
import { isLong } from '../support/long.ts'
import { violations } from './axe.ts'
import { expect, test } from './fixtures.ts'

/** The long form has as many as a whole MMLU; the list draws as few rows of either. */
const made = { docs: isLong ? 14_000 : 3_000, seed: 7 }
const lastReply = `Doc ${made.docs / 5 - 1} of made_replies`

test('a run of thousands of docs is listed whole, filters as looking at every sample does, and is read by keyboard alone', async ({
  page,
  app,
}) => {
  test.slow()
  const { all, filterings } = expectedFilterings(made)
  await writeRun(page, app.address, await buildWriter(), made)
  await openMadeRun(page, app.address, all)
  expect(all).toBe(made.docs)
  expect(await countRows(page)).toBeLessThan(60)

  // Each rejects unless so many docs are listed in the end.
  for (const filtering of filterings) await timeFiltering(page, filtering)
  expect(new Set(filterings.map(({ docs }) => docs)).size).toBeGreaterThan(6)

  const heading = page.locator('#doc-heading')
  const current = page.locator('.viewer a[aria-current]')
  await expect(heading).toContainText('Doc 0 of made_choices')
  await page.locator('#samples-heading').focus()
  await page.keyboard.press('j')
  await page.keyboard.press('j')
  await page.keyboard.press('k')
  await expect(heading).toContainText('Doc 1 of made_choices')
  await expect(page.locator('.viewer li', { has: page.locator('a[aria-current]') })).toHaveAttribute('aria-posinset', '2')
  await expect(page).toHaveURL(/doc=made_choices\/1$/)

  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keys of the sample viewer' })).toBeVisible()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')

  await page.keyboard.press('f')
  const search = page.getByLabel('Text in question, choices or reply')
  await expect(search).toBeFocused()
  // Letters that are keys elsewhere are letters here.
  await search.pressSequentially('jk?')
  await expect(page.getByText('No doc matches.')).toBeVisible()
  await search.fill('')
  await expect(page.locator('.viewer')).toHaveAttribute('data-docs', String(all))

  await page.locator('.viewer .list a[tabindex="0"]').focus()
  await page.keyboard.press('End')
  await expect(heading).toContainText(lastReply)
  await expect(page.getByText('After each step of the filter strict-match')).toBeVisible()
  await expect(current).toBeFocused()
  expect(await countRows(page)).toBeLessThan(60)

  // The address says which doc it is, also after a reload and to another tab.
  await expect(page).toHaveURL(new RegExp(`doc=made_replies/${made.docs / 5 - 1}$`))
  await page.reload()
  await expect(heading).toContainText(lastReply)
  await page.goto(`${app.address}#/run/${madeRunId}?task=made_choices&show=flipped&doc=77`)
  await expect(heading).toContainText('Doc 77 of made_choices')

  await expect(page.getByText('12 tokens').or(page.getByText(/^[\d,]+ tokens$/))).toBeVisible()
  for (const [width, colorScheme] of [
    [360, 'light'],
    [1280, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
    expect(await violations(page)).toEqual([])
  }
})

test('a real run shows each choice’s tokens, whose numbers add up, and the prompt’s; long tasks meanwhile are counted', async ({
  page,
  app,
}, info) => {
  const watched = await watchRun(page, app.address, 12)
  info.annotations.push({ type: 'long tasks', description: JSON.stringify(watched) })
  console.log(`long tasks while a run went on: ${watched.count}, the longest ${watched.longestMs.toFixed(0)} ms`)
  expect(watched.seconds).toBeGreaterThan(0)

  await expect(page.locator('.viewer')).toHaveAttribute('data-docs', '12')
  await expect(page.getByText(/^\d+ tokens$/)).toBeVisible()
  const numbers = (texts: readonly string[]) => texts.map((text) => Number(text.replace('−', '-')))
  const sums = numbers(await page.locator('.viewer article table tbody tr td:nth-child(2)').allInnerTexts())
  const lists = page.locator('.viewer article ol[aria-label^="Tokens of choice"]')
  expect(sums.length).toBeGreaterThan(1)
  expect(await lists.count()).toBe(sums.length)
  for (const [at, sum] of sums.entries()) {
    const tokens = numbers(await lists.nth(at).locator('.num').allInnerTexts())
    // Tokens are printed with two digits.
    expect(Math.abs(tokens.reduce((total, one) => total + one, 0) - sum)).toBeLessThan(0.005 * tokens.length + 0.001)
  }
})
