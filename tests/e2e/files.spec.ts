/** Files: a run taken away whole, opened by a stranger from a drop, a picker or the Hub, and lm_eval's own files. */
import type { Page } from '@playwright/test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { violations } from './axe.ts'
import { expect, intervals, test, waitForEnd } from './fixtures.ts'
import { hubHost } from './hub-stand-in.ts'

const folder = mkdtempSync(join(tmpdir(), 'yardstick-files-'))
test.afterAll(() => rmSync(folder, { recursive: true }))

/** Presses a button and keeps the file that comes of it; gives its path. */
async function save(page: Page, button: string | RegExp): Promise<string> {
  const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button }).click()])
  const path = join(folder, download.suggestedFilename())
  await download.saveAs(path)
  return path
}

async function choose(page: Page, ...paths: string[]): Promise<void> {
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), page.getByRole('button', { name: 'Choose files' }).press('Enter')])
  await chooser.setFiles(paths)
}

/** Drops files where nothing but the page itself can take them. */
async function drop(page: Page, ...paths: string[]): Promise<void> {
  const transfer = await page.evaluateHandle(
    (files) => {
      const data = new DataTransfer()
      for (const { name, text } of files) data.items.add(new File([text], name))
      return data
    },
    paths.map((path) => ({ name: path.split('/').at(-1) ?? '', text: readFileSync(path, 'utf8') })),
  )
  await page.dispatchEvent('main', 'drop', { dataTransfer: transfer })
}

test('a run leaves in every form, and opened again it is the same, read-only and not verified', async ({ page, browser, app }) => {
  await page.goto(`${app.address}#/?model=yardstick/pico&tasks=yardstick_facts&limit=12&device=wasm&dtype=fp32`)
  await page.getByRole('button', { name: /^Run/ }).click()
  await waitForEnd(page, 'complete')
  const scores = await page.getByRole('table').first().innerText()
  await page.getByText('More formats').click()
  expect(await violations(page)).toEqual([])
  const whole = await save(page, 'Run as one file')
  const report = await save(page, 'Report (HTML)')
  const table = await save(page, 'Table (Markdown)')
  const csv = await save(page, 'Scores (CSV)')
  const docs = await save(page, /^Docs of yardstick_facts/)
  const results = await save(page, /^results.json/)
  const samples = await save(page, /^samples_yardstick_facts/)
  expect(readFileSync(table, 'utf8')).toMatch(/^\|\s*Tasks/)
  expect(readFileSync(csv, 'utf8').split('\r\n')[0]).toContain('task,version,filter')
  expect(readFileSync(docs, 'utf8').match(/\r\nyardstick_facts,/g)).toHaveLength(12)

  const stranger = await browser.newContext()
  const theirs = await stranger.newPage()
  const asked: string[] = []
  theirs.on('request', (request) => asked.push(request.url()))
  // The report opens from the disk, without a network and without a word on the console.
  const complaints: string[] = []
  theirs.on('console', (message) => complaints.push(message.text()))
  await theirs.goto(`file://${report}`)
  await expect(theirs.getByRole('heading', { level: 1 })).toHaveText('yardstick/pico')
  expect(await theirs.locator('svg').count()).toBeGreaterThan(0)
  expect(await theirs.evaluate(() => getComputedStyle(document.querySelector('main') ?? document.body).maxWidth)).not.toBe('none')
  expect([complaints, asked.filter((url) => !url.startsWith('file:'))]).toEqual([[], []])

  await theirs.goto(`${app.address}#/runs`)
  await theirs.getByRole('link', { name: 'Open a run from a file' }).click()
  await expect(theirs.getByRole('heading', { level: 1 })).toHaveText('Open a run')
  expect(await violations(theirs)).toEqual([])
  await choose(theirs, whole)
  await expect(theirs.getByText('Imported, not verified.')).toBeVisible()
  await expect.poll(() => theirs.getByRole('table').first().innerText(), { intervals }).toBe(scores)
  await expect(theirs.getByRole('heading', { name: 'Samples' })).toBeVisible()
  await expect(theirs.getByText('12', { exact: true }).first()).toBeVisible()
  for (const colorScheme of ['light', 'dark'] as const) {
    await theirs.setViewportSize({ width: 360, height: 740 })
    await theirs.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await violations(theirs)).toEqual([])
    expect(await theirs.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  }
  await theirs.setViewportSize({ width: 1280, height: 800 })
  // Taken away once more it is the same file.
  await theirs.getByText('More formats').click()
  const again = await save(theirs, 'Scores (CSV)')
  expect(readFileSync(again, 'utf8')).toBe(readFileSync(csv, 'utf8'))

  // The harness's two files, dropped.
  await theirs.getByRole('link', { name: 'All opened runs' }).click()
  await drop(theirs, results, samples)
  await expect(theirs.getByText(/^Results of Yardstick, from/)).toBeVisible()
  await expect.poll(() => theirs.getByRole('table').first().innerText(), { intervals }).toBe(scores)
  await theirs.getByRole('link', { name: 'All opened runs' }).click()
  await expect(theirs.getByRole('row')).toHaveCount(3)
  expect(await violations(theirs)).toEqual([])

  // A cut file is refused in one sentence, and what was open stays so.
  const cut = join(folder, 'cut.yardstick.gz')
  writeFileSync(cut, readFileSync(whole).subarray(0, 2000))
  await choose(theirs, cut)
  await expect(theirs.getByRole('alert')).toContainText('cut or damaged')
  await expect(theirs.getByRole('row')).toHaveCount(3)
  // Nothing mixes with the runs made here.
  await theirs.goto(`${app.address}?anew#/runs`)
  await expect(theirs.getByText(/^No run yet/)).toBeVisible()
  // Any page takes a dropped run, from its first moment on; what is none is refused there.
  await drop(theirs, csv)
  await expect(theirs.getByRole('alert')).toContainText('results/invalid')
  await expect(theirs.getByText(/^No run yet/)).toBeVisible()
  await drop(theirs, results, samples)
  await expect(theirs.getByText(/^Results of Yardstick, from/)).toBeVisible()
  await expect(theirs).toHaveURL(/#\/open\?run=opened-/)
  await stranger.close()
})

test.describe('from the Hub', () => {
  test.use({ allowedHosts: [hubHost] })

  test('a typed address of a repository is asked for through the Hub, and only after the host was confirmed', async ({ page, app }) => {
    const text = '{"results": {"t": {"alias": "t", "acc,none": 0.125}}, "model_name": "their/model"}'
    const commit = 'd'.repeat(40)
    const asked: string[] = []
    await page.context().route(`https://${hubHost}/**`, async (route) => {
      const { pathname } = new URL(route.request().url())
      asked.push(pathname)
      if (pathname === '/api/datasets/their/results/revision/main') return route.fulfill({ json: { sha: commit } })
      if (pathname === `/api/datasets/their/results/tree/${commit}`)
        return route.fulfill({ json: [{ type: 'file', path: 'a b/results.json', size: text.length, oid: null }] })
      if (pathname === `/datasets/their/results/resolve/${commit}/a%20b/results.json`) return route.fulfill({ body: text })
      return route.fulfill({ status: 404 })
    })
    // An address in a link is not asked for.
    await page.goto(`${app.address}#/open?address=https://${hubHost}/datasets/their/results/blob/main/a%20b/results.json`)
    await page
      .getByLabel(/Or the address of a file on the Hub/)
      .fill(`https://${hubHost}/datasets/their/results/blob/main/a%20b/results.json`)
    await page.getByRole('button', { name: 'Fetch…' }).click()
    await expect(page.getByRole('button', { name: `Ask ${hubHost}` })).toBeFocused()
    expect(asked).toEqual([])
    await page.getByRole('button', { name: `Ask ${hubHost}` }).press('Enter')
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('their/model')
    await expect(page.getByRole('cell', { name: '0.1250' })).toBeVisible()
    expect(asked).toContain(`/datasets/their/results/resolve/${commit}/a%20b/results.json`)
  })
})

test('lm_eval’s own files of a golden run open with all their docs', async ({ page, app }) => {
  const golden = 'tests/goldens/embedded/all'
  test.skip(!existsSync(golden), 'no golden run')
  await page.goto(`${app.address}#/open`)
  await choose(page, ...readdirSync(golden).map((name) => join(golden, name)))
  await expect(page.getByText(/^A run of lm_eval, from/)).toBeVisible()
  await expect(page.getByRole('heading', { name: 'What the file says of the run' })).toBeVisible()
  await page.getByRole('combobox', { name: 'Task' }).selectOption('yardstick_swahili')
  await page.locator('.viewer .list a[tabindex="0"]').click()
  await expect(page.locator('.viewer article table')).toContainText('gold')
})

test('files are opened by a worker of their own, which is gone afterwards, and a file that is too much is refused', async ({
  page,
  app,
}) => {
  const workers: { isClosed: boolean }[] = []
  page.on('worker', (worker) => {
    const seen = { isClosed: false }
    workers.push(seen)
    worker.on('close', () => (seen.isClosed = true))
  })
  await page.goto(`${app.address}#/open`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Open a run')
  const before = workers.length
  const good = join(folder, 'samples_mine_2026-01-01T00-00-00.jsonl')
  const bad = join(folder, 'samples_bad_2026-01-01T00-00-00.jsonl')
  const pair = '[["-1.0","True"]]'
  writeFileSync(good, `{"doc_id":0,"target":"0","resps":[${pair},${pair}],"filter":"none","acc":1}\n`)
  writeFileSync(bad, `{"doc_id":0,"resps":[],"x":NaN,"y":"${'\\"'.repeat(3_500_000)}`)
  await choose(page, good)
  await expect(page.getByText('Imported, not verified.')).toBeVisible()
  await expect(page.getByRole('heading', { name: 'Samples', exact: true })).toBeVisible()
  expect(workers.length).toBe(before + 1)
  await expect.poll(() => workers.at(-1)?.isClosed, { intervals }).toBe(true)
  await page.goto(`${app.address}#/open`)
  await choose(page, bad)
  await expect(page.getByRole('alert').first()).toContainText('Wanted JSON')
  expect(workers.length).toBe(before + 2)
  await expect.poll(() => workers.at(-1)?.isClosed, { intervals }).toBe(true)
})
