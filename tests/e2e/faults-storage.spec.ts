/** A browser that keeps nothing, forgets in the middle of a run, or holds another version's database. */
import type { Page } from '@playwright/test'
import { readdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { distFolder } from '../../src/cli/browser/build.ts'
import { serve, type RunningServer } from '../../src/cli/browser/serve.ts'
import { appWithLine, endOf, longSettings, pico, removeFolders, slowModel, startScoring } from './faults.ts'
import { callDriver, expect, intervals, isSummary, makeSettings, openDriver, runToEnd, test, waitForEnd } from './fixtures.ts'
import { embeddedFolder, hubHost, standInForHub, tinyModel } from './hub-stand-in.ts'

// Generous: a run lasts seconds, but the machine may be busy.
test.describe.configure({ timeout: 300_000 })

test.afterAll(removeFolders)

/** A server for one folder at a time, so that two builds share an origin. */
async function withServer(folder: string, use: (server: RunningServer, serveFolder: (next: string) => Promise<void>) => Promise<void>) {
  let server = await serve({ folder, port: 0 })
  const { port } = server
  try {
    await use(server, async (next) => {
      await server.close()
      server = await serve({ folder: next, port })
    })
  } finally {
    await server.close()
  }
}

// Without any `indexedDB` the store gives the same error (open-store.test.ts).
test('a browser that refuses to open IndexedDB runs in memory, says so, and gives the results away', async ({ page }) => {
  await withServer(appWithLine("indexedDB.open = () => { throw new DOMException('denied', 'SecurityError') }"), async (server) => {
    await page.goto(`${server.address}#/?model=${encodeURIComponent(pico)}&tasks=yardstick_facts&dtype=fp32&device=wasm&limit=2`)
    await expect(page.getByText(/Nothing is kept/)).toBeVisible({ timeout: 60_000 })
    await page.getByRole('button', { name: /^Run/ }).click()
    await waitForEnd(page, 'complete')
    await expect(page.getByRole('table').first()).toContainText('acc')
    await expect(page.getByText(/Nothing is kept/)).toBeVisible()
    const download = page.waitForEvent('download')
    await page
      .getByRole('button', { name: 'results.json' })
      .or(page.getByRole('link', { name: 'results.json' }))
      .first()
      .click()
    expect((await download).suggestedFilename()).toMatch(/results.*\.json/)
  })
})

test.describe('a small quota', () => {
  test.use({ allowedHosts: [hubHost] })

  test('a file that has no room leaves none of it taken: the run is kept, and the file is once there is room', async ({
    page,
    context,
    app,
  }) => {
    const hub = await standInForHub(context)
    try {
      const events = await openDriver(page, app.address)
      const session = await context.newCDPSession(page)
      const origin = new URL(app.address).origin
      // The weights are 4.1 MB in one chunk; the small files and the run have room.
      await session.send('Storage.overrideQuotaForOrigin', { origin, quotaSize: 2_500_000 })
      const settings = makeSettings({ model: tinyModel, tasks: ['yardstick_facts'], limit: 2 })
      expect(await runToEnd(page, events, settings)).toMatchObject({ status: 'complete', error: null })
      const warnings = events.flatMap((event) => (event.type === 'warning' ? [event.message] : []))
      expect(warnings.filter((text) => text.includes('used but not kept'))).toEqual([expect.stringContaining('model.onnx')])
      const weights = weightBytes()
      expect((await keptChunks(page)).filter((bytes) => bytes > 1_000_000)).toEqual([])
      await session.send('Storage.overrideQuotaForOrigin', { origin })
      expect(await runToEnd(page, events, { ...settings, useCache: false })).toMatchObject({ status: 'complete', error: null })
      expect((await keptChunks(page)).filter((bytes) => bytes > 1_000_000)).toEqual([weights + 32])
    } finally {
      await hub.close()
    }
  })
})

/** Length of the tiny model's weights. */
function weightBytes(): number {
  return statSync(join(embeddedFolder(), 'onnx', 'model.onnx')).size
}

/** Lengths of the entries that the private file system holds below `yardstick-files`, notes left out. */
function keptChunks(page: Page): Promise<number[]> {
  return page.evaluate(async () => {
    type Folder = FileSystemDirectoryHandle & { values(): AsyncIterable<FileSystemDirectoryHandle | FileSystemFileHandle> }
    const root = (await (await navigator.storage.getDirectory()).getDirectoryHandle('yardstick-files')) as Folder
    const lengths: number[] = []
    for await (const folder of root.values()) {
      if (folder.kind !== 'directory') continue
      for await (const file of (folder as Folder).values()) if (file.kind === 'file') lengths.push((await file.getFile()).size)
    }
    return lengths
  })
}

test('site data that is cleared under a run costs no answer: its results come out, and nothing claims that they are kept', async ({
  page,
  context,
  app,
}) => {
  slowModel(page)
  const whole = await openDriver(page, app.address)
  const settings = longSettings()
  const undisturbed = await runToEnd(page, whole, settings)
  const expected = await callDriver(page, 'loadResults', [undisturbed.runId], isSummary)

  const from = whole.length
  const runId = await startScoring(page, whole, settings)
  const session = await context.newCDPSession(page)
  await session.send('Storage.clearDataForOrigin', { origin: new URL(app.address).origin, storageTypes: 'all' })
  expect(await endOf(whole, from)).toMatchObject({ runId, status: 'complete', error: null })
  const results = await callDriver(page, 'loadResults', [runId], isSummary)
  expect(results.resultsFile['results']).toEqual(expected.resultsFile['results'])

  // Another tab knows nothing of it, and shows no half of it.
  const other = await context.newPage()
  await other.goto(`${app.address}#/run/${runId}`)
  await expect(other.getByRole('heading', { level: 1 })).toHaveText('There is no such run')
})

/** A later version of the app: the same code over a database of version 99, under addresses of its own, since the browser keeps assets. */
function laterVersion(): string {
  const folder = appWithLine(
    '{ const { open } = IDBFactory.prototype; IDBFactory.prototype.open = function (name) { return open.call(this, name, 99) } }',
  )
  renameSync(join(folder, 'assets'), join(folder, 'later'))
  for (const page of readdirSync(folder).filter((name) => name.endsWith('.html'))) {
    const path = join(folder, page)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('./assets/', './later/'))
  }
  return folder
}

test('two versions whose databases differ: the older one yields, waits for its run, and never touches what is newer', async ({
  page,
  context,
}) => {
  test.setTimeout(300_000)
  const newer = laterVersion()
  await withServer(distFolder, async (server, serveFolder) => {
    // An idle older tab closes its connection and asks to be reloaded; the newer one goes on at once.
    await page.goto(`${server.address}#/runs`)
    await expect(page.getByText('No run yet.', { exact: false })).toBeVisible({ timeout: 60_000 })
    const older = await context.newPage()
    const events = await openDriver(older, server.address)
    await serveFolder(newer)
    const fresh = await context.newPage()
    await fresh.goto(`${server.address}?new#/runs`)
    await expect(fresh.getByText('No run yet.', { exact: false })).toBeVisible({ timeout: 60_000 })
    await expect(page.getByText(/newer version of this app runs in another tab/).first()).toBeVisible()
    await expect(page.getByRole('button', { name: 'Reload the page' })).toBeVisible()
    expect(events).toEqual([])
    await fresh.close()
    await older.close()
    await page.close()

    // After a downgrade the newer database is left alone.
    await serveFolder(distFolder)
    const old = await context.newPage()
    await old.goto(`${server.address}?old#/runs`)
    await expect(old.getByText(/written by a newer version/).first()).toBeVisible({ timeout: 60_000 })
    await old.close()
    await serveFolder(newer)
    const back = await context.newPage()
    await back.goto(`${server.address}?back#/runs`)
    await expect(back.getByText('No run yet.', { exact: false })).toBeVisible({ timeout: 60_000 })
  })
  await withServer(distFolder, async (server, serveFolder) => {
    // A run of the older tab is not disturbed: the newer one explains after five seconds, and works once the run has ended.
    const older = await context.newPage()
    // It must last for those five seconds.
    slowModel(older, 1_000)
    const events = await openDriver(older, server.address)
    const runId = await startScoring(older, events, longSettings({ limit: 30 }), 8)
    await serveFolder(newer)
    const fresh = await context.newPage()
    await fresh.goto(`${server.address}?new#/runs`)
    await expect(fresh.getByText(/older version of this app keeps the database open/).first()).toBeVisible({ timeout: 60_000 })
    const done = () => events.findLast((event) => event.type === 'progress')?.requestsDone ?? 0
    const before = done()
    await expect.poll(done, { timeout: 60_000, intervals }).toBeGreaterThan(before)
    await callDriver(older, 'stop', [runId], (value): value is unknown => value !== undefined)
    expect(await endOf(events)).toMatchObject({ status: 'interrupted', error: { code: 'run/stopped' } })
    await fresh.reload()
    await expect(fresh.locator('a[href^="#/run/"]')).toHaveCount(1, { timeout: 60_000 })
  })
})
