/** What the browser tests share: the built app on a server of its own, and a watch over every request. */
import { test as base, expect, type Page } from '@playwright/test'
import type { RunSummary } from '../../src/contracts/results.ts'
import type { EmbeddedModel } from '../../src/app/setup/embedded.ts'
import { distFolder } from '../../src/cli/browser/build.ts'
import { serve, type RunningServer } from '../../src/cli/browser/serve.ts'
import type { TaskListing } from '../../src/contracts/listings.ts'
import type { RunEvent } from '../../src/contracts/progress.ts'
import type { RunSettings } from '../../src/contracts/run-settings.ts'
import { defaultSettings } from '../support/default-settings.ts'

interface WorkerFixtures {
  /** With headers, at the root. */
  readonly app: RunningServer
  /** Without any header, under `/x/`, as on a plain file host. */
  readonly plainHost: RunningServer
}

interface TestFixtures {
  /** Hosts that may be asked although they aren't this machine: a test answers for them itself (`hub-stand-in.ts`). */
  readonly allowedHosts: readonly string[]
  /** Fails the test when anything was asked of another machine. */
  readonly networkWatch: null
}

// Playwright demands an object pattern even where a fixture needs none.
/* oxlint-disable no-empty-pattern */
export const test = base.extend<TestFixtures, WorkerFixtures>({
  app: [
    async ({}, use) => {
      const server = await serve({ folder: distFolder, port: 0 })
      await use(server)
      await server.close()
    },
    { scope: 'worker' },
  ],
  plainHost: [
    async ({}, use) => {
      const server = await serve({ folder: distFolder, port: 0, withHeaders: false, base: '/x/' })
      await use(server)
      await server.close()
    },
    { scope: 'worker' },
  ],
  allowedHosts: [[], { option: true }],
  networkWatch: [
    async ({ context, allowedHosts }, use) => {
      const foreign: string[] = []
      context.on('request', (request) => {
        const url = request.url()
        // Every server of the tests listens on this machine.
        if (!/^(blob|data|about):/.test(url) && !['127.0.0.1', ...allowedHosts].includes(new URL(url).hostname)) foreign.push(url)
      })
      await use(null)
      // Tests that try to leave the origin on purpose ask for this host; the policy stops them before a request is made.
      expect(foreign.filter((url) => !url.includes('//foreign.example/'))).toEqual([])
    },
    { auto: true },
  ],
})

export { expect }

/** Milliseconds between two looks of `expect.poll` at what a test knows by itself; Playwright's own pauses grow to a second. */
export const intervals = [50]

/** A task with several choices a doc that a software GPU can score a doc of within seconds, and the embedded models. */
export interface Bundled {
  readonly models: readonly EmbeddedModel[]
  readonly task: string
}

/** Opens the driver page, which offers the run client to tests, and collects its events. */
export async function openDriver(page: Page, address: string): Promise<RunEvent[]> {
  const events: RunEvent[] = []
  await page.exposeFunction('yardstickEvent', (event: RunEvent) => {
    events.push(event)
  })
  await page.goto(`${address}driver.html`)
  await page.waitForFunction(() => globalThis.yardstick !== undefined)
  return events
}

/** The driver's answer to one call; fails the test with the error's message. `check` says what the answer is. */
export async function callDriver<Value>(
  page: Page,
  name: string,
  args: readonly unknown[],
  check: (value: unknown) => value is Value,
): Promise<Value> {
  const reply = await page.evaluate(async (message) => await globalThis.yardstick?.call(message.name, message.args), {
    name,
    args: [...args],
  })
  if (reply === undefined) throw new Error('there is no driver on this page')
  if (!reply.ok) throw new Error(`${reply.error.code}: ${reply.error.message}`)
  if (!check(reply.value)) throw new Error(`${name} answered ${JSON.stringify(reply.value).slice(0, 200)}`)
  return reply.value
}

export const isText = (value: unknown): value is string => typeof value === 'string'
export const isListOf =
  <Item>(key: string) =>
  (value: unknown): value is readonly Item[] =>
    Array.isArray(value) && value.every((item: unknown) => typeof item === 'object' && item !== null && key in item)
export const isSummary = (value: unknown): value is RunSummary => typeof value === 'object' && value !== null && 'resultsFile' in value

export async function readBundled(page: Page): Promise<Bundled> {
  const models = await callDriver(page, 'listModels', [], isListOf<EmbeddedModel>('id'))
  const index = await callDriver(
    page,
    'listTasks',
    [[]],
    (value): value is { readonly tasks: readonly TaskListing[] } => typeof value === 'object' && value !== null && 'tasks' in value,
  )
  const task = index.tasks.find(({ name, outputType }) => name.startsWith('yardstick_') && outputType === 'multiple_choice')
  if (models.length === 0 || task === undefined) throw new Error('nothing is embedded')
  return { models, task: task.name }
}

/** Settings as the page makes them, with what a test changes. */
export function makeSettings(changes: Partial<RunSettings> & Pick<RunSettings, 'model' | 'tasks'>): RunSettings {
  return { ...defaultSettings, dtype: 'fp32', device: 'wasm', limit: 1, ...changes }
}

/** Runs to the end through the driver; gives the last progress and how the run ended. */
export async function runToEnd(page: Page, events: RunEvent[], settings: RunSettings) {
  const from = events.length
  const runId = await callDriver(page, 'start', [settings], isText)
  const done = () => events.slice(from).find((event) => event.type === 'done')
  await expect.poll(() => done()?.type, { timeout: 120_000, intervals }).toBe('done')
  const own = events.slice(from)
  const progress = own.filter((event) => event.type === 'progress').at(-1)
  return { runId, status: done()?.status, error: done()?.error?.message ?? null, progress, events: own }
}

/** Waits until the page shows the end of the run that it has begun. */
export async function waitForEnd(page: Page, status: 'complete' | 'interrupted'): Promise<void> {
  // Seen with the page's next frame, where expect() would look once a second.
  const ended = ['complete', 'interrupted', 'failed'].map((one) => `main[data-run-status="${one}"]`).join()
  await page.locator(ended).waitFor({ timeout: 120_000 })
  await expect(page.locator('main')).toHaveAttribute('data-run-status', status)
}
