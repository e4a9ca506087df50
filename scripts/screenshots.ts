/**
 * `npx tsx scripts/screenshots.ts`: pictures of the built app's pages, for people to look at, as `docs/screenshots/NAME-WIDTH-THEME.png`:
 * light and dark, at 360 and 1,280 pixels. Runs the embedded model on a few docs for the pages that show a run. `--pages a,b` takes only some.
 */
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { chromium, type Page } from '@playwright/test'
import { findBrowser, playwrightOptions } from './lib/browser.ts'
import { distFolder } from './lib/build.ts'
import { serve } from './lib/serve.ts'

const folder = 'docs/screenshots'
const widths = [360, 1280] as const
const themes = ['light', 'dark'] as const

/** What pages say while something of theirs is not there yet. */
const unfinished = ['Splitting into tokens', 'Nothing to show yet.']

/** Pages that need no run, by the name of their picture. */
const plain: readonly (readonly [string, string])[] = [
  ['setup', '#/'],
  ['lab', '#/lab?set=yoruba&doc=3&alpha=0.3'],
  ['lab-class', '#/lab?set=yoruba&doc=3&norm=acc_norm&step=norm&class=1'],
  ['task', '#/task?task=yardstick_facts'],
  ['about', '#/about'],
  ['storage', '#/storage'],
]

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { pages: { type: 'string' } } })
  const wanted = values.pages?.split(',') ?? null
  const takes = (name: string) => wanted === null || wanted.includes(name)
  const { path } = findBrowser((line) => process.stderr.write(`${line}\n`))
  const app = await serve({ folder: distFolder, port: 0 })
  const browser = await chromium.launch(playwrightOptions(path, 'hardware-or-software'))
  try {
    const page = await browser.newPage()
    mkdirSync(folder, { recursive: true })
    for (const [name, hash] of plain.filter(([one]) => takes(one))) await picture(page, name, app.address + hash)
    if (['run', 'runs', 'shared'].some(takes)) {
      await page.goto(`${app.address}#/?model=yardstick/pico&tasks=yardstick_facts&limit=24&device=wasm&dtype=fp32`)
      await page.getByRole('button', { name: /^Run/ }).click()
      await page.locator('main[data-run-status="complete"]').waitFor({ timeout: 120_000 })
      const run = page.url()
      await page.getByRole('button', { name: 'Share', exact: true }).click()
      const shared = (await page.getByRole('link', { name: 'Share link' }).getAttribute('href')) ?? ''
      for (const [name, address] of [
        ['run', run],
        ['runs', `${app.address}#/runs`],
        ['shared', shared],
      ] as const)
        if (takes(name)) await picture(page, name, address)
    }
  } finally {
    await browser.close()
    await app.close()
  }
}

/** What a window shows of a page, in every width and theme. */
async function picture(page: Page, name: string, address: string): Promise<void> {
  for (const width of widths) {
    for (const theme of themes) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      await page.goto('about:blank')
      await page.goto(address)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      // What is still being worked out says so.
      for (const text of unfinished) await page.getByText(text).waitFor({ state: 'detached' })
      await page.screenshot({ path: `${folder}/${name}-${width}-${theme}.png` })
    }
  }
  process.stdout.write(`${name}\n`)
}

await main()
