/** Sharing: a link made from a run, opened by a stranger, doubted, and held against docs run again. */
import type { Page } from '@playwright/test'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { violations } from './axe.ts'
import { expect, test, waitForEnd } from './fixtures.ts'
import { readQr } from './read-qr.ts'

/** Docs of the run that is shared: more than the 20 that are run again. */
const docs = 21

/** What a link says, for tests that want one of a real run, whoever ran it. */
let shared: string | null = null

async function runAndShare(page: Page, address: string): Promise<string> {
  await page.goto(`${address}#/?model=yardstick/pico&tasks=yardstick_facts&limit=${docs}&device=wasm&dtype=fp32`)
  await page.getByRole('button', { name: /^Run/ }).click()
  await waitForEnd(page, 'complete')
  await page.getByRole('button', { name: 'Share', exact: true }).click()
  const link = page.getByRole('link', { name: 'Share link' })
  await expect(link).toBeVisible()
  const href = (await link.getAttribute('href')) ?? ''
  shared = href.split('#')[1] ?? null
  return href
}

const address = (link: string) => link.split('#')[0] ?? ''

/** The link with its content changed by `edit`. */
function forge(link: string, edit: (text: string) => string): string {
  const [before = '', payload = ''] = link.split('#/r/')
  const text = inflateRawSync(Buffer.from(payload, 'base64url')).toString()
  return `${before}#/r/${deflateRawSync(Buffer.from(edit(text))).toString('base64url')}`
}

test('a stranger opens a shared link, is told that it is unverified, runs docs again and sees agreement', async ({
  page,
  browser,
  app,
}) => {
  const link = await runAndShare(page, app.address)
  const scores = await page.getByRole('table').first().innerText()
  await page.getByText('QR code', { exact: true }).click()
  const code = page.getByRole('img', { name: 'QR code of the shared result' })
  expect(await violations(page)).toEqual([])
  const scanned = await readQr(page, code)
  expect(scanned?.startsWith(`${address(link)}#/r/`)).toBe(true)

  const phone = await browser.newContext()
  const theirPhone = await phone.newPage()
  await theirPhone.goto(scanned ?? '')
  await expect(theirPhone.getByText('Reported by the sender, not verified.')).toBeVisible()
  expect(await theirPhone.getByRole('table').first().innerText()).toBe(scores)
  await phone.close()

  const stranger = await browser.newContext()
  const theirs = await stranger.newPage()
  const requests: string[] = []
  theirs.on('request', (request) => requests.push(request.url()))
  await theirs.goto(link)
  await expect(theirs.getByText('Reported by the sender, not verified.')).toBeVisible()
  expect(await theirs.getByRole('table').first().innerText()).toBe(scores)
  await theirs.setViewportSize({ width: 360, height: 740 })
  expect(await theirs.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  for (const colorScheme of ['light', 'dark'] as const) {
    await theirs.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await violations(theirs)).toEqual([])
  }
  // Nothing was started, and nothing of a model was fetched.
  expect(requests.filter((url) => /\.onnx|tokenizer|\.jsonl/.test(url))).toEqual([])
  await expect(theirs.locator('main')).toHaveAttribute('data-run-status', 'idle')

  await theirs.getByRole('button', { name: 'Run 20 docs again here' }).press('Enter')
  await waitForEnd(theirs, 'complete')
  await expect(theirs.getByText(/^Agrees: 20 of 20 choices are the same/)).toBeVisible()
  await theirs.reload()
  await expect(theirs.getByText(/^Agrees: 20 of 20/)).toBeVisible()
  await stranger.close()

  // The same link with better-looking answers: the scores show as claimed, the docs that are run again don't agree.
  const own = await browser.newContext()
  const doubting = await own.newPage()
  await doubting.goto(
    forge(link, (text) =>
      text.replace(
        /"picks":"([0-9]+)"/,
        (_, picks: string) => `"picks":"${picks.replace(/[0-9]/g, (pick) => String((Number(pick) + 1) % 4))}"`,
      ),
    ),
  )
  await doubting.getByRole('button', { name: /^Run 20/ }).click()
  await waitForEnd(doubting, 'complete')
  await expect(doubting.getByText(/^Does not agree: 0 of 20/)).toBeVisible()
  await own.close()
})

test('a damaged or hostile link is refused or shown as text, and nothing of it runs', async ({ page, app }) => {
  const link = shared === null ? await runAndShare(page, app.address) : `${app.address}#${shared}`
  const dialogs: string[] = []
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    dialog.dismiss().catch(() => undefined)
  })
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  for (const [address, says] of [
    [link.slice(0, -30), 'The link is damaged'],
    [`${app.address}#/r/`, 'Nothing follows'],
    [`${app.address}#/r/%3Cscript%3E`, 'The link holds characters'],
    [forge(link, () => '{"v":1}'), 'something else than a result'],
    [forge(link, () => '{"v":9}'), 'newer version'],
    [forge(link, () => ' '.repeat(40_000_000)), 'more than any result needs'],
  ] as const) {
    await page.goto(address)
    await expect(page.getByRole('alert')).toContainText(says)
  }
  const attacks = [
    '<img src=x onerror=alert(1)>',
    '</td><script>alert(2)</script>',
    '{@html x}<svg onload=alert(3)>',
    'javascript:alert(4)',
    '" onmouseover="alert(5)" x="',
    '\u202Egnp.exe',
  ]
  for (const attack of attacks) {
    const quoted = JSON.stringify(attack).slice(1, -1)
    await page.goto(
      forge(link, (text) =>
        text.replace(/"(id|revision|license|alias|version|task|dataset|filter)":"[^"]*"/g, (_, key: string) => `"${key}":"${quoted}"`),
      ),
    )
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(/A shared result|This link can’t be read/)
    expect(await page.locator('main').locator('script, img, svg[onload], [onmouseover], a[href^="javascript:"]').count()).toBe(0)
  }
  expect([dialogs, errors]).toEqual([[], []])
})
