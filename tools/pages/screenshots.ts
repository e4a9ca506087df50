/**
 * `npx tsx tools/pages/screenshots.ts`: pictures of the built app's pages, for people to look at, as `docs/screenshots/NAME-WIDTH-THEME.png`:
 * light and dark, at 360 and 1,280 pixels. Runs the embedded model on a few docs for the pages that show a run. `--pages a,b` takes only some.
 */
import { chromium, type Page } from '@playwright/test'
import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { findBrowser, playwrightOptions } from '../../src/cli/browser/browser.ts'
import { distFolder } from '../../src/cli/browser/build.ts'
import { serve } from '../../src/cli/browser/serve.ts'

const folder = 'docs/screenshots'
const widths = [360, 1280] as const
const themes = ['light', 'dark'] as const

/** Pages that need no run, by the name of their picture. */
const plain: readonly (readonly [string, string])[] = [
  ['setup', '#/'],
  ['lab', '#/lab?set=yoruba&doc=3&alpha=0.3'],
  ['lab-class', '#/lab?set=yoruba&doc=3&norm=acc_norm&step=norm&class=1'],
  ['task', '#/task?task=yardstick_facts'],
  ['about', '#/about'],
  ['storage', '#/storage'],
]

/** What comes last on pages that go on working after they are there. */
const lastToCome: { readonly [name: string]: string | RegExp } = { task: 'Continuations that are scored', run: /^\d+ tokens$/ }

/** A part that is opened for the picture, and brought to its top. */
const unfolded: { readonly [name: string]: string } = { judge: 'Judge these answers' }

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
    if (takes('compare')) await picture(page, 'compare', await comparedRuns(page, app.address))
    if (takes('queue')) await picture(page, 'queue', await queuedRuns(page, app.address))
    if (takes('judge')) await picture(page, 'judge', await judgedRun(page, app.address))
    if (takes('checkpoints')) await picture(page, 'checkpoints', await checkpointCurves(page, app.address))
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

/** Runs two dtypes of the embedded model; gives the address that compares them. */
async function comparedRuns(page: Page, address: string): Promise<string> {
  const ids: string[] = []
  for (const dtype of ['fp32', 'q4']) {
    await page.goto('about:blank')
    await page.goto(`${address}#/?model=yardstick/pico&tasks=yardstick_facts,yardstick_words&limit=24&device=wasm&dtype=${dtype}`)
    await page.getByRole('button', { name: /^Run/ }).click()
    await page.locator('main[data-run-status="complete"]').waitFor({ timeout: 120_000 })
    ids.push(page.url().split('/').at(-1) ?? '')
  }
  return `${address}#/compare?runs=${ids.join(',')}`
}

/** Queues two runs on the set-up page, and begins none; gives the address of the history. */
async function queuedRuns(page: Page, address: string): Promise<string> {
  for (const [at, tasks] of ['yardstick_facts', 'yardstick_words'].entries()) {
    await page.goto(`${address}#/?model=yardstick/pico&tasks=${tasks}&limit=24&device=wasm&dtype=fp32`)
    await page.getByRole('button', { name: 'Add to queue' }).click()
    await page.locator(`[data-queue-left="${at + 1}"]`).waitFor()
  }
  return `${address}#/runs`
}

/** Runs a task that has the embedded model write; gives the address of the run, whose judge's part is opened for the picture. */
async function judgedRun(page: Page, address: string): Promise<string> {
  await page.goto('about:blank')
  await page.goto(`${address}#/?model=yardstick/pico&tasks=yardstick_wordproblems&limit=4&device=wasm&dtype=q4`)
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.locator('main[data-run-status="complete"]').waitFor({ timeout: 120_000 })
  return page.url()
}

/** Queues the embedded model's checkpoints over a few docs; gives the address of their curves. */
async function checkpointCurves(page: Page, address: string): Promise<string> {
  await page.goto('about:blank')
  await page.goto(`${address}#/compare`)
  await page.getByRole('textbox', { name: 'Revisions' }).filter({ hasText: '' }).waitFor()
  await page.getByRole('textbox', { name: 'Tasks' }).fill('yardstick_words')
  await page.getByRole('textbox', { name: 'Docs a task' }).fill('32')
  await page.getByRole('button', { name: 'Start the queue' }).click()
  await page.getByRole('img', { name: /by training step/ }).waitFor({ timeout: 240_000 })
  return page.url()
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
      const shown = lastToCome[name]
      if (shown !== undefined) await page.getByText(shown).first().waitFor()
      const part = unfolded[name]
      if (part !== undefined) {
        await page.getByText(part, { exact: true }).click()
        await page.getByText(part, { exact: true }).evaluate((summary) => summary.scrollIntoView())
      }
      await page.screenshot({ path: `${folder}/${name}-${width}-${theme}.png` })
    }
  }
  process.stdout.write(`${name}\n`)
}

await main()
