/** Another language: chosen in the header, on every page, kept, and without an English text left over. */
import type { Page } from '@playwright/test'
import { en } from '../../src/ui/i18n/en.ts'
import zh from '../../src/ui/i18n/zh.json' with { type: 'json' }
import { violations } from './axe.ts'
import { expect, test } from './fixtures.ts'

/** Texts on the page that are English ones although the translation has others. */
async function leftOver(page: Page): Promise<string[]> {
  const english = Object.entries(en).filter(
    ([key, text]) => /[a-z]{3}/.test(text) && Object.entries(zh.main).some(([other, own]) => other === key && own !== text),
  )
  const shown = await page.evaluate(() => {
    const texts: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) texts.push(node.textContent?.trim() ?? '')
    for (const element of document.querySelectorAll('[aria-label], [title], [placeholder]'))
      for (const name of ['aria-label', 'title', 'placeholder']) texts.push(element.getAttribute(name)?.trim() ?? '')
    return texts
  })
  return english.map(([, text]) => text).filter((text) => shown.includes(text))
}

test('E: multilingual reader: the page is read in Chinese from the header on, and stays so', async ({ page, app }) => {
  const files: string[] = []
  page.on('request', (request) => files.push(request.url()))
  await page.goto(`${app.address}#/`)
  await expect(page.getByRole('button', { name: /^Run/ })).toBeVisible()
  const isTranslation = (url: string) => /\/(fr|sw|zh)-[^/]*\.js$/.test(url)
  expect(files.filter(isTranslation)).toEqual([])

  await page.getByRole('combobox', { name: 'Language' }).selectOption('中文')
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(zh.main['setup.heading'])
  await expect(page).toHaveTitle(/新建评测/)
  expect(files.filter(isTranslation).length).toBe(1)
  await page.reload()
  await expect(page.locator('html')).toHaveAttribute('lang', 'zh')

  for (const [hash, heading] of [
    ['#/', zh.main['setup.heading']],
    ['#/lab', zh.lab.heading],
    ['#/task', zh.task['page.heading']],
    ['#/runs', zh.main['runs.heading']],
    ['#/storage', zh.storage.heading],
    ['#/about', zh.about.heading],
    ['#/no-such-page', zh.main['missing.heading']],
  ] as const) {
    await page.goto(app.address + hash)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
    expect({ hash, left: await leftOver(page) }).toEqual({ hash, left: [] })
  }
  await page.goto(`${app.address}#/`)
  expect(await violations(page)).toEqual([])
})

test('a language changes without a reload, and its texts fit 360 pixels', async ({ page, app }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(`${app.address}#/lab`)
  for (const [name, heading] of [
    ['Français', 'Les mêmes réponses, des scores différents'],
    ['Kiswahili', 'Majibu yaleyale, alama tofauti'],
    ['English', 'The same answers, different scores'],
  ] as const) {
    await page.locator('header select').selectOption(name)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
    expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
    expect({ name, found: await violations(page) }).toEqual({ name, found: [] })
  }
})
