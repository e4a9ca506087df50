/**
 * Opens every page and state of the app over the fake client in Chromium, light and dark, wide and narrow, and fails on any axe violation,
 * policy violation, console error or sideways scroll. `npx tsx tests/visual/check.ts [FOLDER]` also writes screenshots to FOLDER.
 */
import { chromium, type Page } from '@playwright/test'
import { svelte } from '@sveltejs/vite-plugin-svelte'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { build, preview } from 'vite'

interface Scene {
  readonly name: string
  readonly address: string
  readonly act?: (page: Page) => Promise<unknown>
}

const scenes: readonly Scene[] = [
  { name: 'setup', address: '#/' },
  { name: 'setup-open', address: '#/', act: openEverything },
  { name: 'setup-hub', address: '#/?model=org/missing-model&tasks=bench_facts,nowhere&limit=x', act: lookUpAndRun },
  { name: 'setup-benchmark', address: '#/', act: chooseBenchmark },
  { name: 'setup-search', address: '#/', act: (page) => searchHub(page, 'made') },
  { name: 'setup-search-none', address: '#/', act: (page) => searchHub(page, 'nothing like it') },
  { name: 'setup-search-failed', address: '?state=limited#/', act: (page) => searchHub(page, 'made') },
  { name: 'setup-found', address: '#/', act: pickFound },
  { name: 'setup-tasks', address: '#/', act: unfoldTasks },
  { name: 'live', address: '?state=live#/', act: (page) => runUntil(page, '136') },
  { name: 'live-end', address: '?state=quick#/', act: (page) => runUntil(page, 'Provenance') },
  { name: 'start-failed', address: '?state=broken#/', act: (page) => runUntil(page, 'model/no-onnx') },
  { name: 'results', address: '#/run/r-1' },
  { name: 'results-flipped', address: '?state=large#/run/r-1?show=differ', act: readDocs },
  { name: 'results-keys', address: '?state=large#/run/r-1?doc=bench_facts/7', act: openKeys },
  { name: 'results-none', address: '#/run/r-1?text=nowhere-at-all' },
  { name: 'results-hostile', address: '#/run/r-1?task=bench_words' },
  { name: 'results-generated', address: '#/run/r-1?task=bench_problems' },
  { name: 'interrupted', address: '#/run/r-2' },
  { name: 'failed', address: '#/run/r-3' },
  { name: 'no-such-run', address: '#/run/nope' },
  { name: 'runs', address: '#/runs' },
  { name: 'runs-erase', address: '#/runs', act: (page) => page.getByRole('button', { name: 'Erase everything…' }).click() },
  { name: 'runs-empty', address: '?state=empty#/runs' },
  { name: 'storage', address: '?state=stored#/storage', act: openGroups },
  { name: 'setup-own', address: '#/', act: openOwn },
  { name: 'about', address: '#/about' },
  { name: 'not-found', address: '#/lab' },
]

async function readDocs(page: Page): Promise<void> {
  await page.locator('.viewer .list a').nth(3).click()
  await page.keyboard.press('j')
  await page.getByText('What it picks: places and lengths').click()
}

async function openKeys(page: Page): Promise<void> {
  await page.locator('#doc-heading').waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').waitFor()
}

async function openGroups(page: Page): Promise<void> {
  for (const summary of await page.locator('section details > summary').all()) await summary.click()
  await page
    .getByRole('button', { name: /^Check the files of/ })
    .first()
    .click()
}

async function openOwn(page: Page): Promise<void> {
  await page.getByRole('radio', { name: /A model from a folder/ }).check()
  await page.getByText('Data files of your own').click()
  await page.getByLabel('Or the address of a file').fill('https://example.org/data.jsonl')
  await page.getByRole('button', { name: 'Fetch…' }).click()
  await page.getByText('Gated or private: a Hub token').click()
  await page.getByLabel('Access token').fill('hf_write-token')
  await page.getByRole('button', { name: 'Use this token' }).click()
  await page.getByText('This token has a permission to write.').waitFor()
}

async function openEverything(page: Page): Promise<void> {
  for (const summary of await page.locator('form details > summary').all()) await summary.click()
  await page.getByLabel('Task file').fill('- not a task')
  await page.getByRole('button', { name: 'Add task' }).click()
  await page.getByLabel('Apply the model’s chat template').check()
  await page.getByRole('button', { name: 'Preview the prompts' }).click()
  await page.getByText('Target:').first().waitFor()
}

async function lookUpAndRun(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Look up' }).click()
  await page.getByText('model/not-found').waitFor()
  await page.getByRole('button', { name: /^Run/ }).click()
}

async function chooseBenchmark(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'MMLU Exam questions on' }).click()
  await page.getByText('fits this device').first().waitFor()
}

async function searchHub(page: Page, text: string): Promise<void> {
  await page.getByLabel('Another model from the Hub').check()
  await page.getByRole('combobox', { name: 'Search the Hub' }).fill(text)
  await page
    .getByText(/models found|No model that writes text|asks for a pause/)
    .first()
    .waitFor()
  await page.getByRole('combobox', { name: 'Search the Hub' }).press('ArrowDown')
}

async function pickFound(page: Page): Promise<void> {
  await searchHub(page, 'made')
  await page.getByRole('combobox', { name: 'Search the Hub' }).press('Enter')
  await page.getByText('fits this device').first().waitFor()
}

async function unfoldTasks(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Tasks of mmlu', exact: true }).click()
  await page.getByRole('button', { name: 'Tasks of mmlu_stem' }).click()
  await page.getByRole('checkbox', { name: /^mmlu_stem/ }).check()
}

async function runUntil(page: Page, text: string): Promise<void> {
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.getByText(text, { exact: true }).first().waitFor()
}

const root = resolve(import.meta.dirname, '../..')
const folder = process.argv[2] ?? null
const only = process.argv[3] ?? ''
const widths = [1280, 360]
const built = join(tmpdir(), `yardstick-visual-${process.pid}`)
const csp = /http-equiv="Content-Security-Policy"\s+content="([^"]+)"/.exec(readFileSync(join(root, 'index.html'), 'utf8'))?.[1] ?? ''
const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const problems: string[] = []
let failures = 0

if (folder !== null) mkdirSync(folder, { recursive: true })
const config = {
  configFile: false as const,
  root: import.meta.dirname,
  publicDir: join(root, 'public'),
  logLevel: 'error' as const,
  plugins: [
    svelte({ configFile: false }),
    {
      name: 'same-policy',
      transformIndexHtml: (html: string) => html.replace('<!-- csp -->', `<meta http-equiv="Content-Security-Policy" content="${csp}">`),
    },
  ],
  build: {
    outDir: built,
    emptyOutDir: true,
    target: 'esnext',
    assetsInlineLimit: 0,
    copyPublicDir: true,
    modulePreload: { polyfill: false },
  },
  preview: { port: 0, host: '127.0.0.1' },
}
await build(config)
const server = await preview(config)
const origin = server.resolvedUrls?.local[0] ?? ''
const browser = await chromium.launch({ executablePath: process.env['YARDSTICK_CHROMIUM'] ?? '/usr/bin/chromium', args: ['--no-sandbox'] })

for (const colorScheme of ['light', 'dark'] as const) {
  for (const width of widths) {
    const context = await browser.newContext({ colorScheme, viewport: { width, height: 800 }, reducedMotion: 'reduce' })
    for (const scene of scenes.filter(({ name }) => name.startsWith(only))) {
      const page = await context.newPage()
      page.setDefaultTimeout(5000)
      const label = `${scene.name} ${colorScheme} ${width}`
      page.on('console', (message) => {
        // A machine without a GPU says so itself.
        const isOurs = !message.text().startsWith('No available adapters')
        if (isOurs && (message.type() === 'error' || message.type() === 'warning')) problems.push(`${label}: console: ${message.text()}`)
      })
      page.on('pageerror', (error) => problems.push(`${label}: ${error.message}`))
      await page.goto(origin + scene.address)
      await page.locator('h1').waitFor()
      try {
        await scene.act?.(page)
      } catch (error) {
        problems.push(`${label}: ${String(error)}`)
      }
      await page.waitForTimeout(250)
      problems.push(...(await findViolations(page)).map((text) => `${label}: axe: ${text}`))
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
      if (overflow > 0) problems.push(`${label}: the page scrolls sideways by ${overflow} px`)
      if (folder !== null) await page.screenshot({ path: join(folder, `${scene.name}-${colorScheme}-${width}.png`), fullPage: true })
      await page.close()
      for (const problem of problems.splice(0)) {
        failures += 1
        console.error(problem)
      }
    }
    await context.close()
  }
}

/** Runs axe in the page; the devtools protocol evaluates it, so the page's own policy stays in force. */
async function findViolations(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  return page.evaluate(async () => {
    // axe puts itself on the window; its types come with the package, not with the injected script.
    const { axe } = window as unknown as {
      axe: { run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }> }
    }
    const { violations } = await axe.run()
    return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary ?? ''}`))
  })
}

await browser.close()
await server.close()
rmSync(built, { recursive: true })
console.log(`${scenes.length} scenes, ${failures} problems`)
process.exit(failures === 0 ? 0 : 1)
