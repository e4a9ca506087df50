/** The app in another browser: what a person would do there, as expressions in the page. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunEvent } from '../../src/contracts/progress.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import type { RunRow } from '../../src/contracts/runs.ts'
import type { RunSummary } from '../../src/contracts/results.ts'
import type { OtherBrowser } from './other-browser.ts'

const text = JSON.stringify

/** Polls an expression until it gives something else than null or false. */
export async function waitFor<T>(browser: OtherBrowser, expression: string, seconds = 60): Promise<NonNullable<T>> {
  const untilMs = performance.now() + seconds * 1000
  for (;;) {
    const value = await browser.evaluate<T | false | null>(expression)
    if (value !== null && value !== undefined && value !== false) return value
    if (performance.now() > untilMs) {
      const shown = await browser.evaluate<string>('document.body.innerText.slice(0, 1500)')
      throw new Error(`not within ${seconds} s: ${expression}\nThe page says:\n${shown}\nErrors: ${browser.errors.join('\n')}`)
    }
    await sleep(200)
  }
}

const control = (name: string): string =>
  `[...document.querySelectorAll('button, summary, [role=button]')].find((one) => one.innerText.trim().startsWith(${text(name)}) && !one.disabled)`

/** Presses the first button whose text begins so, once it is there. */
export async function press(browser: OtherBrowser, name: string): Promise<void> {
  await waitFor(browser, `${control(name)} !== undefined`)
  await browser.evaluate(`${control(name)}.click()`)
}

/** The status of the run that the page shows, once it has ended. */
export async function waitForEnd(browser: OtherBrowser): Promise<string> {
  const status = `document.querySelector('main')?.dataset.runStatus`
  return waitFor<string>(browser, `/complete|interrupted|failed/.test(${status} ?? '') && ${status}`, 200)
}

/** The page's first table. */
export const firstTable = (browser: OtherBrowser): Promise<string> =>
  waitFor<string>(browser, `document.querySelector('table')?.innerText ?? null`)

/** What the app's own client answers on its page for drivers. */
export async function callDriver<T>(browser: OtherBrowser, name: string, ...args: unknown[]): Promise<T> {
  const reply = await browser.evaluate<{ ok: boolean; value?: T; error?: { message: string } }>(
    `globalThis.yardstick.call(${text(name)}, ${text(args)})`,
  )
  if (!reply.ok) throw new Error(reply.error?.message ?? 'failed')
  return reply.value as T // What DriverApi says of the name.
}

/** The newest run that is stored, with its results. Leaves the page for the one of drivers. */
export async function readNewestRun(
  browser: OtherBrowser,
  address: string,
): Promise<{ readonly row: RunRow; readonly summary: RunSummary }> {
  await browser.open(`${address}driver.html`)
  await waitFor(browser, 'globalThis.yardstick !== undefined')
  const [row] = await callDriver<readonly RunRow[]>(browser, 'listRuns')
  if (row === undefined) throw new Error('no run is stored')
  return { row, summary: await callDriver<RunSummary>(browser, 'loadResults', row.runId) }
}

type EventOf<Type extends RunEvent['type']> = Extract<RunEvent, { type: Type }>

/** Runs settings to the end on the page for drivers, which must be open: the last progress that was told, and how it ended. */
export async function runAgain(
  browser: OtherBrowser,
  settings: RunSettings,
): Promise<{ readonly done: EventOf<'done'>; readonly progress: EventOf<'progress'> | undefined }> {
  await browser.evaluate('void (globalThis.told = [], globalThis.yardstickEvent = async (event) => void globalThis.told.push(event))')
  await callDriver(browser, 'start', settings)
  const done = await waitFor<EventOf<'done'>>(browser, `globalThis.told.find(({ type }) => type === 'done') ?? null`, 120)
  const progress = await browser.evaluate<EventOf<'progress'> | null>(`globalThis.told.findLast(({ type }) => type === 'progress') ?? null`)
  return { done, progress: progress ?? undefined }
}
