/**
 * A browser in which a former version was used, opened with this one: its runs, answers and settings are there, its results are the same to the byte, and what
 * it left undone goes on. What it stored comes from that version itself (`tests/make-goldens/make-stored-profile.ts`).
 */
import type { BrowserContext, Page } from '@playwright/test'
import fr from '../../src/ui/i18n/fr.json' with { type: 'json' }
import { expect, intervals, test, waitForEnd } from './fixtures.ts'
import { blankPage, readOrigin, restoreOrigin, type KeptOrigin } from './origin-storage.ts'
import { readHistory, readProfile, readTable, saveFiles, tasksOf, type SavedFiles } from './stored-profile.ts'

const profile = readProfile()
const { choices, writing, stopped } = profile.runs

/** Puts the profile into the test's own browser. The plain host has one thread everywhere, as the profile's answers have: they are kept under it. */
async function restoreProfile(page: Page, address: string): Promise<void> {
  await page.goto(address + blankPage)
  await restoreOrigin(page, profile.origin)
}

function recordsOf(origin: KeptOrigin, store: string): readonly string[] {
  const records = origin.databases.flatMap(({ stores }) => stores.filter(({ name }) => name === store)).flatMap((one) => one.records)
  return records.map((record) => JSON.stringify(record))
}

async function readStored(page: Page, address: string): Promise<KeptOrigin> {
  // Not the address before: a hash that changes would leave the app running.
  await page.goto(address + blankPage)
  return readOrigin(page)
}

/** The files without what a run has of its own: when it was, how long it took, and which build of the app ended it and wrote them. */
function withoutOwn(files: SavedFiles): SavedFiles {
  const own = /^ {2}"(date|start_time|end_time|total_evaluation_time_seconds)": .*$|^ {4}"app": \{[^}]*\},?$/gm
  return Object.fromEntries(Object.entries(files).map(([name, text]) => [name, text.replaceAll(own, '')]))
}

/** Letters and digits alone: the page shows white space by marks. */
const letters = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, '')

/** Of a samples file, which has a line a doc and filter: how many docs, what the first one asks, and the first thing that was answered. */
function readSamples(text: string): { readonly docs: number; readonly question: string; readonly response: string } {
  // The former version's own file.
  const samples = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { doc_id: number; doc: { question: string }; resps: [[unknown]] })
  const [first] = samples
  if (first === undefined) throw new Error('a file without samples')
  return {
    docs: new Set(samples.map(({ doc_id: docId }) => docId)).size,
    question: first.doc.question,
    response: String(first.resps[0][0]),
  }
}

// On one page, put there once: what only looks comes first, then the queue, which adds no answers.
test.describe.configure({ mode: 'serial' })

let context: BrowserContext
let page: Page
/** What was asked of another machine. */
const foreign: string[] = []
test.beforeAll(async ({ browser, plainHost }) => {
  context = await browser.newContext()
  context.on('request', (request) => {
    const url = request.url()
    if (!/^(blob|data|about):/.test(url) && !url.startsWith(plainHost.address)) foreign.push(url)
  })
  page = await context.newPage()
  await restoreProfile(page, plainHost.address)
})
test.afterAll(async () => {
  await context.close()
  expect(foreign).toEqual([])
})

test('what is put into the browser is what was taken out of it', async () => {
  const found = await readOrigin(page)
  expect({ ...found, files: [] }).toEqual({ ...profile.origin, files: [] })
  expect(stopped.docsDone).toBeGreaterThan(0)
  expect(stopped.docsDone).toBeLessThan(stopped.docsTotal)
})

test('runs of a former version are listed, shown and exported as that version did', async ({ plainHost }) => {
  await page.goto(`${plainHost.address}#/runs`)
  await expect(page.locator('a[href^="#/run/"]')).toHaveCount(3)
  await expect(page.locator('td.score', { hasText: /\d/ })).toHaveCount(2)
  for (const { runId, history } of [choices, writing, stopped]) {
    const [tasks = '', score, status] = await readHistory(page, runId)
    expect([tasks.split('limit')[0], score]).toEqual([history[0]?.split('limit')[0], history[1]])
    // In the language of the profile; the stopped run's tells how far it came.
    expect(status).toBe(history[2])
  }

  for (const [kind, { runId, table, files }] of [['choices', choices] as const, ['writing', writing] as const]) {
    await page.goto(`${plainHost.address}#/run/${runId}`)
    await expect(page.locator('main')).toHaveAttribute('data-run-status', 'complete')
    await expect(page.locator('table.results').first()).toBeVisible()
    const shown = await readTable(page)
    // The metric stands beside words of a language: its name is enough.
    const comparable = (rows: typeof shown) => rows.map((cells) => cells.map((cell, at) => (at === 4 ? cell.split(' ')[0] : cell)))
    expect(comparable(shown)).toEqual(comparable(table))

    const [task] = tasksOf[kind]
    const { docs, question, response } = readSamples(files[`samples_${task}.jsonl`] ?? '')
    const viewer = page.locator('section.viewer')
    await expect(viewer).toHaveAttribute('data-docs', String(docs))
    await expect.poll(async () => letters(await viewer.innerText()), { intervals }).toContain(letters(question))
    if (kind === 'writing') await expect.poll(async () => letters(await viewer.innerText()), { intervals }).toContain(letters(response))

    expect(await saveFiles(page, tasksOf[kind])).toEqual(files)
  }
})

test('language, looks, token and a half-written task are as they were left', async ({ plainHost }) => {
  await page.goto(`${plainHost.address}#/`)
  await expect(page.locator('html')).toHaveAttribute('lang', 'fr')
  await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(fr.main['setup.heading'])
  await expect(page.getByRole('button', { name: fr.main['token.forget'] })).toHaveCount(1)
  await page.goto(`${plainHost.address}#/task`)
  await expect(page.locator('textarea').first()).toHaveValue(profile.draft)
  const { localStorage, sessionStorage } = await readStored(page, plainHost.address)
  expect({ localStorage, sessionStorage }).toEqual({
    localStorage: profile.origin.localStorage,
    sessionStorage: profile.origin.sessionStorage,
  })
})
test('the queue of a former version goes on, from the answers that are kept', async ({ plainHost }) => {
  await page.goto(`${plainHost.address}#/runs`)
  const queue = page.locator('[data-queue-left]')
  await expect(queue).toHaveAttribute('data-queue-left', '1')
  await expect(queue.getByRole('listitem')).toContainText(tasksOf.choices[0])
  await page.getByRole('button', { name: fr.queue.goOn }).click()
  await expect(queue).toHaveAttribute('data-queue-left', '0', { timeout: 120_000 })
  await queue.getByRole('listitem').getByRole('link').click()
  await expect(page.locator('main')).toHaveAttribute('data-run-status', 'complete')
  await expect(page).not.toHaveURL(new RegExp(choices.runId))
  await expect(page.locator('table.results').first()).toBeVisible()
  expect(withoutOwn(await saveFiles(page, tasksOf.choices))).toEqual(withoutOwn(choices.files))
  expect(recordsOf(await readStored(page, plainHost.address), 'answers')).toEqual(recordsOf(profile.origin, 'answers'))
})

test('a run that a former version left in its middle goes on to the results of a whole one', async ({ plainHost }) => {
  await page.goto(`${plainHost.address}#/run/${stopped.runId}`)
  await expect(page.locator('main')).toHaveAttribute('data-run-status', 'interrupted')
  await page.getByRole('button', { name: fr.main['run.resume'] }).click()
  await waitForEnd(page, 'complete')
  await expect(page.locator('table.results').first()).toBeVisible()
  expect(withoutOwn(await saveFiles(page, tasksOf.stopped))).toEqual(withoutOwn(profile.whole.files))

  // Its answers were taken, not made again: they lie there as they were, under the batches that they were made for.
  const found = await readStored(page, plainHost.address)
  for (const store of ['answers', 'journal']) {
    expect(recordsOf(profile.origin, store).length).toBeGreaterThan(0)
    expect(recordsOf(found, store)).toEqual(expect.arrayContaining([...recordsOf(profile.origin, store)]))
  }
  expect(recordsOf(found, 'answers').length).toBeGreaterThan(recordsOf(profile.origin, 'answers').length)
  expect(recordsOf(found, 'quarantine')).toEqual([])
})
