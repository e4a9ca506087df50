/** What the fault tests share: runs that last long enough to be disturbed, and ways to disturb them from outside the page. */
import type { Browser, Page } from '@playwright/test'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { distFolder } from '../../src/cli/browser/build.ts'
import type { RunEvent } from '../../src/contracts/progress.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { callDriver, expect, intervals, isSummary, isText, makeSettings } from './fixtures.ts'

export const pico = 'yardstick/pico'

/** A run of some eighty requests in a dozen batches, computed anew; with `slowModel` long enough for a fault in its middle. */
export function longSettings(changes: Partial<RunSettings> = {}): RunSettings {
  const tasks = ['yardstick_facts', 'yardstick_words']
  // The slower path, which has more batches.
  return makeSettings({ model: pico, tasks, limit: 10, useCache: false, scoring: 'reference', ...changes })
}

/** Makes each answer of the page's model workers, those started later, come so much later: a run lasts long with little work. */
export function slowModel(page: Page, milliseconds = 300): void {
  page.on('worker', (worker) => {
    worker
      .evaluate((pause) => {
        if (Reflect.get(globalThis, 'name') !== 'model') return
        const send = globalThis.postMessage.bind(globalThis)
        const clock = new Int32Array(new SharedArrayBuffer(4))
        Reflect.set(globalThis, 'postMessage', (...parts: Parameters<typeof send>) => {
          Atomics.wait(clock, 0, 0, pause)
          send(...parts)
        })
      }, milliseconds)
      // It may end at any time.
      .catch(() => undefined)
  })
}

/** Stops the page's model worker where it is, for good: it holds what it has and works no more. */
export async function stopModel(page: Page): Promise<void> {
  for (const worker of page.workers()) {
    const isModel = await worker.evaluate(() => Reflect.get(globalThis, 'name') === 'model').catch(() => false)
    // Never answered.
    if (isModel) worker.evaluate(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)).catch(() => undefined)
  }
}

/** Starts a run and waits until it has scored so many requests. */
export async function startScoring(page: Page, events: readonly RunEvent[], settings: RunSettings, requests = 16): Promise<string> {
  const from = events.length
  const runId = await callDriver(page, 'start', [settings], isText)
  await expect
    .poll(() => events.slice(from).some((event) => event.type === 'progress' && event.requestsDone >= requests), {
      timeout: 120_000,
      intervals,
    })
    .toBe(true)
  return runId
}

/** The run's end: its one `done` event after position `from`. */
export async function endOf(events: readonly RunEvent[], from = 0): Promise<Extract<RunEvent, { type: 'done' }>> {
  const ends = () => events.slice(from).filter((event) => event.type === 'done')
  await expect.poll(() => ends().length, { timeout: 280_000, intervals }).toBe(1)
  const [end] = ends()
  if (end === undefined) throw new Error('the run has no end')
  return end
}

export function waitingMessages(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => (event.type === 'waiting' ? [event.message] : []))
}

/** The scores of a finished run, for comparing it with another. */
export async function scoresOf(page: Page, runId: string): Promise<unknown> {
  return (await callDriver(page, 'loadResults', [runId], isSummary)).resultsFile['results']
}

/** Makes the page's worker of that name throw where nothing catches it, as a fault in it would. One question to all: a run doesn't wait. */
export async function breakWorker(page: Page, name: string): Promise<void> {
  const broken = await Promise.all(
    page.workers().map((worker) =>
      worker
        .evaluate((wanted) => {
          const isWanted = Reflect.get(globalThis, 'name') === wanted
          if (isWanted) {
            setTimeout(() => {
              throw new Error('broken by the test')
            }, 20)
          }
          return isWanted
        }, name)
        // Others may end at any time.
        .catch(() => false),
    ),
  )
  expect(broken, `workers named ${name}`).toContain(true)
}

/** Process ids of the browser by kind: `browser`, `GPU`, `renderer`, … */
export async function processesOf(browser: Browser): Promise<readonly { readonly id: number; readonly type: string }[]> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo
}

export async function killGpuProcess(browser: Browser): Promise<void> {
  const gpu = (await processesOf(browser)).find(({ type }) => type === 'GPU')
  if (gpu === undefined) throw new Error('the browser has no GPU process')
  process.kill(gpu.id, 'SIGKILL')
}

const folders: string[] = []

/** A folder that `removeFolders` removes. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'yardstick-faults-'))
  folders.push(folder)
  return folder
}

export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
}

/** The built app with a line put before its run worker's code. */
export function appWithLine(line: string): string {
  const folder = temporaryFolder()
  cpSync(distFolder, folder, { recursive: true })
  const [file, ...others] = readdirSync(join(folder, 'assets')).filter((name) => /^run\.worker-.*\.js$/.test(name))
  if (file === undefined || others.length > 0) throw new Error(`wanted one run worker among the assets, found ${others.length + 1}`)
  const path = join(folder, 'assets', file)
  writeFileSync(path, `${line}\n${readFileSync(path, 'utf8')}`)
  return folder
}
