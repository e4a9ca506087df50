/**
 * Makes `tests/goldens/stored-profile/d9fe906.json.gz`: what a former version stores in a browser in which somebody evaluated with it, and what it shows and
 * exports of that. Its argument is a checkout of that version with `dist/` built:
 *
 *     git worktree add ../former d9fe906 && (cd ../former && npm ci && npx vite build)
 *     npx tsx tests/make-goldens/make-stored-profile.ts ../former
 */
import type { BrowserContext, Page } from '@playwright/test'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import { launchBrowser } from '../../src/cli/browser/browser.ts'
import { serve } from '../../src/cli/browser/serve.ts'
import { blankPage, readOrigin } from '../e2e/origin-storage.ts'
import { profilePath, readHistory, readTable, saveFiles, tasksOf, type FormerRun, type StoredProfile } from '../e2e/stored-profile.ts'

/** Enough docs for a stop to come in the middle. */
const stopped = { docs: 60, after: 10 }
const limits = { choices: 6, writing: 2, stopped: stopped.docs / tasksOf.stopped.length }
const waitMs = 300_000

const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

function setupAddress(address: string, kind: keyof typeof tasksOf): string {
  return `${address}#/?model=yardstick/pico&device=wasm&dtype=fp32&tasks=${tasksOf[kind].join(',')}&limit=${limits[kind]}`
}

async function start(page: Page, address: string, kind: keyof typeof tasksOf): Promise<void> {
  say(`Running ${kind}`)
  await page.goto(setupAddress(address, kind))
  await page.getByRole('button', { name: /^Run/ }).click()
  await page.waitForURL(/#\/run\/(?!new$|starting$)[\w-]{6,}/, { timeout: waitMs })
}

async function waitFor(page: Page, status: string): Promise<void> {
  await page.locator(`main[data-run-status="${status}"]`).waitFor({ timeout: waitMs })
}

const runIdOf = (page: Page): string => /#\/run\/([\w-]+)/.exec(page.url())?.[1] ?? ''

async function runWhole(page: Page, address: string, kind: keyof typeof tasksOf): Promise<Omit<FormerRun, 'history'>> {
  await start(page, address, kind)
  await waitFor(page, 'complete')
  await page.locator('table.results').first().waitFor()
  return { runId: runIdOf(page), table: await readTable(page), files: await saveFiles(page, tasksOf[kind]) }
}

/** Stops at the first look, a frame each, that finds so many docs done; fails when the run was quicker. */
async function runHalf(page: Page, address: string): Promise<{ runId: string; docsDone: number; docsTotal: number }> {
  await start(page, address, 'stopped')
  await page.waitForFunction(
    (after) => {
      const stop = [...document.querySelectorAll('button')].find((button) => button.textContent?.trim() === 'Stop')
      const done = document.querySelector<HTMLProgressElement>('main progress')?.value ?? 0
      if (done < after || stop === undefined) return false
      stop.click()
      return true
    },
    stopped.after,
    { timeout: waitMs },
  )
  await waitFor(page, 'interrupted')
  await page.reload()
  await waitFor(page, 'interrupted')
  const said = (await page.locator('p.interrupted').textContent()) ?? ''
  const [, done = '', total = ''] = /(\d+) of (\d+) docs/.exec(said) ?? []
  return { runId: runIdOf(page), docsDone: Number(done), docsTotal: Number(total) }
}

const draft = 'task: half_written\ndataset_path: json\noutput_type: multiple_choice\ndoc_to_text: "{{q}} – a draft"\n'
/** Made up, and answered for by the maker: no Hub has seen it. */
const token = 'hf_made.up.for.a.test'

/** A token that is to be remembered, a task file half written, a run in the queue, and last the looks, since the labels above are English. */
async function keepSettings(page: Page, context: BrowserContext, address: string): Promise<void> {
  say('Choosing settings')
  await context.route('https://huggingface.co/**', (route) =>
    route.fulfill({
      json: { name: 'nobody', auth: { accessToken: { role: 'read' } } },
      headers: { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': 'Authorization' },
    }),
  )
  await page.goto(setupAddress(address, 'choices'))
  await page.getByText('Hub token', { exact: false }).first().click()
  await page.locator('input[type=password]').fill(token)
  await page.getByRole('checkbox', { name: /^Remember/ }).check()
  await page.locator('input[type=password]').press('Enter')
  await page.waitForFunction(() => localStorage.getItem('yardstick-hub-token') !== null)
  await page.getByRole('button', { name: 'Add to queue' }).click()
  await page.locator('[data-queue-left="1"]').waitFor()
  await page.goto(`${address}#/task`)
  await page.getByRole('textbox', { name: /^Text of/ }).fill(draft)
  await page.waitForFunction(() => sessionStorage.getItem('yardstick-task-draft')?.includes('a draft'))
  for (const theme of ['light', 'dark']) {
    await page.locator('button.theme').click()
    await page.locator(`html[data-theme=${theme}]`).waitFor()
  }
  await page.getByRole('combobox', { name: 'Language' }).selectOption('fr')
  await page.locator('html[lang=fr]').waitFor()
}

async function makeProfile(former: string): Promise<StoredProfile> {
  const [commit = '', changes] = [git(former, 'rev-parse', 'HEAD'), git(former, 'status', '--porcelain', '--untracked-files=no')]
  if (!commit.startsWith('d9fe906') || changes !== '')
    throw new Error(`wanted an unchanged checkout of d9fe906, found ${commit} ${changes}`)
  // Without headers there is no cross-origin isolation, and so one thread on every machine: answers are kept under their number.
  const server = await serve({ folder: join(former, 'dist'), port: 0, withHeaders: false, base: '/x/' })
  const browser = await launchBrowser({ gpu: 'hardware', say })
  try {
    const other = await browser.newContext()
    const whole = await runWhole(await other.newPage(), server.address, 'stopped')
    await other.close()

    const context = await browser.newContext()
    const page = await context.newPage()
    const choices = await runWhole(page, server.address, 'choices')
    const writing = await runWhole(page, server.address, 'writing')
    const half = await runHalf(page, server.address)
    if (half.docsDone < 1 || half.docsDone >= half.docsTotal)
      throw new Error(`the run wasn't stopped in its middle: ${JSON.stringify(half)}`)
    await keepSettings(page, context, server.address)

    await page.goto(`${server.address}#/runs`)
    await page.locator('tbody tr').nth(2).waitFor()
    await page.locator('td.score', { hasText: /\d/ }).nth(1).waitFor()
    const history = (runId: string) => readHistory(page, runId)
    const runs = {
      choices: { ...choices, history: await history(choices.runId) },
      writing: { ...writing, history: await history(writing.runId) },
      stopped: { ...half, history: await history(half.runId) },
    }
    await page.goto(`${server.address}${blankPage}`)
    const origin = await readOrigin(page)
    // An empty file, by which the app tries whether it may write, is not missed.
    if (origin.files.some(({ bytes }) => bytes > 0) || origin.caches.length > 0)
      throw new Error(`kept, and not in the profile: ${JSON.stringify([origin.files, origin.caches])}`)
    return {
      header: {
        about: 'What Yardstick at the commit below stored, showed and exported. Never changed by hand.',
        commit,
        browser: `Chromium ${browser.version()}`,
        packages: Object.fromEntries(
          ['onnxruntime-web', 'idb', 'svelte', '@huggingface/tokenizers', 'hyparquet', '@playwright/test'].map((name) => [
            name,
            versionOf(former, name),
          ]),
        ),
        again: [
          'git worktree add ../former d9fe906 && (cd ../former && npm ci && npx vite build)',
          'npx tsx tests/make-goldens/make-stored-profile.ts ../former',
        ],
        leftOut: [
          'Files of a downloaded model or dataset: the included ones are read from the app itself, and none is kept.',
          'The copy of the app for use without a network: it was not asked for.',
          'Answers made on WebGPU.',
        ],
      },
      runs,
      whole: { table: whole.table, files: whole.files },
      draft,
      origin,
    }
  } finally {
    await browser.close()
    await server.close()
  }
}

function git(folder: string, ...args: readonly string[]): string {
  return spawnSync('git', args, { cwd: folder, encoding: 'utf8' }).stdout.trim()
}

function versionOf(folder: string, name: string): string {
  // A package's own file.
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')) as { readonly version: string }
  return version
}

const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('wanted the folder of a checkout of the former version, built')
const packed = gzipSync(JSON.stringify(await makeProfile(resolve(folder))), { level: 9 })
mkdirSync(dirname(profilePath), { recursive: true })
writeFileSync(profilePath, packed)
say(`${profilePath}: ${packed.length} bytes`)
