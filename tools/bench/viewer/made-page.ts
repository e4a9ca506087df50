/** The built app in a browser with a made run in its database, and clocks inside the page: the bench times it, a browser test counts on it. */
import type { Page } from '@playwright/test'
import { join } from 'node:path'
import { build } from 'vite'
import { marginOf } from '../../../src/analysis/viewer/choice-scores.ts'
import { projectFolder } from '../../../src/cli/browser/build.ts'
import { madeRunId, madeSamples, type MadeRunOptions } from './made-run.ts'

/** Bundles what writes the run; gives its code. */
export async function buildWriter(): Promise<string> {
  const built = await build({
    root: projectFolder,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    define: { __FAIL_POINTS__: 'false' },
    build: {
      write: false,
      target: 'esnext',
      lib: { entry: join(import.meta.dirname, 'write-made-run.ts'), formats: ['iife'], name: 'made' },
    },
  })
  const [first] = Array.isArray(built) ? built : []
  const code = first?.output[0].code
  if (code === undefined) throw new Error('the bundle that writes the made run came out empty')
  return code
}

/** Writes the run into the database of the address's origin. `writer`: as `buildWriter` gives it. */
export async function writeRun(page: Page, address: string, writer: string, { docs, seed }: MadeRunOptions): Promise<void> {
  await page.goto(`${address}driver.html`)
  await page.evaluate(`${writer};made.writeMadeRun(${JSON.stringify({ docs, seed })})`)
}

/** A thing that a reader does with the list, and how many docs it must leave. */
export interface Filtering {
  readonly name: string
  readonly act: { readonly show: string } | { readonly text: string }
  readonly docs: number
}

/** What the filters must find, from looking at every sample. */
export function expectedFilterings(options: MadeRunOptions): { readonly all: number; readonly filterings: readonly Filtering[] } {
  const samples = Object.values(madeSamples(options)).flat()
  const count = (test: (sample: (typeof samples)[number]) => boolean): number => samples.filter(test).length
  const isRight = ({ metrics }: (typeof samples)[number]): boolean => (metrics['acc'] ?? metrics['exact_match']) === 1
  const holds = (word: string) => (sample: (typeof samples)[number]) =>
    [sample.prompt, ...sample.choices.map(({ text }) => text), ...sample.generated, sample.target].some((text) =>
      text.toLowerCase().includes(word),
    )
  return {
    all: samples.length,
    filterings: [
      { name: 'wrong', act: { show: 'Wrong' }, docs: count((sample) => !isRight(sample)) },
      { name: 'right', act: { show: 'Right' }, docs: count(isRight) },
      { name: 'flipped', act: { show: 'Flipped' }, docs: count(({ picks }) => picks !== null && picks.acc !== picks.acc_norm) },
      { name: 'near tie', act: { show: 'Near tie' }, docs: count((sample) => marginOf(sample) <= 0.1) },
      { name: 'no answer', act: { show: 'No answer' }, docs: count(({ filterSteps }) => filterSteps?.at(-1)?.outputs[0] === '[invalid]') },
      { name: 'all', act: { show: 'All' }, docs: samples.length },
      { name: 'text, first', act: { text: 'Éclair' }, docs: count(holds('éclair')) },
      { name: 'text, next', act: { text: ' 12?' }, docs: count(({ prompt }) => prompt.includes(' 12?')) },
      { name: 'no text', act: { text: '' }, docs: samples.length },
    ],
  }
}

/** Opens the run from the history, as a reader does; gives the milliseconds to the frame that shows so many docs. */
export async function openMadeRun(page: Page, address: string, docs: number): Promise<number> {
  await page.goto(`${address}#/runs`)
  await page.locator(`a[href="#/run/${madeRunId}"]`).first().waitFor()
  return page.evaluate(timeUntilListed, { act: { hash: `#/run/${madeRunId}` }, docs })
}

/** Does one filtering; gives the milliseconds to the frame that shows its docs. As for a reader, the search box has the focus before it gets text. */
export async function timeFiltering(page: Page, { act, docs }: Filtering): Promise<number> {
  if ('text' in act) await page.locator('.viewer input[type=search]').focus()
  return page.evaluate(timeUntilListed, { act, docs })
}

interface Timed {
  readonly act: Filtering['act'] | { readonly hash: string }
  readonly docs: number
}

/** Runs in the page. Rejects after 30 s with what is listed then. No function inside it has a name: tsx would call a helper for it that the page hasn't. */
async function timeUntilListed({ act, docs }: Timed): Promise<number> {
  const startMs = performance.now()
  if ('hash' in act) location.hash = act.hash
  else if ('text' in act) {
    const input = document.querySelector<HTMLInputElement>('.viewer input[type=search]')
    if (input === null) throw new Error('there is no search box')
    input.value = act.text
    input.dispatchEvent(new Event('input', { bubbles: true }))
  } else {
    const label = [...document.querySelectorAll<HTMLElement>('.viewer .segments label')].find((one) =>
      one.textContent.trim().startsWith(act.show),
    )
    if (label === undefined) throw new Error(`there is no filter '${act.show}'`)
    label.click()
  }
  for (;;) {
    await new Promise((resolve) => requestAnimationFrame(resolve))
    const listed = document.querySelector('.viewer')?.getAttribute('data-docs')
    if (listed === String(docs) && (docs === 0 || document.querySelector('.viewer .list a') !== null)) break
    if (performance.now() - startMs > 30_000) throw new Error(`wanted ${docs} docs, found ${listed ?? 'no list'}`)
  }
  // The frame that was computed is on the screen when the next one begins.
  await new Promise((resolve) => requestAnimationFrame(resolve))
  return performance.now() - startMs
}

/** Tasks of more than 50 ms on the page's thread. */
export interface LongTasks {
  readonly count: number
  readonly longestMs: number
  /** How long it was watched. */
  readonly seconds: number
}

/** Runs the embedded benchmark on WASM from the set-up page and watches the page's thread from the click to the end. */
export async function watchRun(page: Page, address: string, limit: number): Promise<LongTasks> {
  await page.goto(`${address}#/?model=yardstick/pico&tasks=yardstick_facts&limit=${limit}&device=wasm&dtype=fp32`)
  const start = page.getByRole('button', { name: /^Run/ })
  await start.waitFor()
  // The page settles before it is watched: loading it is no part of a run.
  await page.waitForLoadState('networkidle')
  await page.evaluate(() => {
    const seen = { count: 0, longestMs: 0, since: performance.now() }
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) {
        seen.count += 1
        seen.longestMs = Math.max(seen.longestMs, duration)
      }
    }).observe({ type: 'longtask' })
    Object.assign(globalThis, { seenLongTasks: seen })
  })
  await start.click()
  await page.locator('main[data-run-status="complete"]').waitFor({ timeout: 240_000 })
  return page.evaluate(() => {
    // Put there above.
    const { seenLongTasks: seen } = globalThis as unknown as { seenLongTasks: { count: number; longestMs: number; since: number } }
    return { count: seen.count, longestMs: seen.longestMs, seconds: (performance.now() - seen.since) / 1000 }
  })
}
