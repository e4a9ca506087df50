/** The main job, the lab, a shared link and what is stored, in Firefox and in WebKit, where they are installed. */
import { expect, test } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { distFolder, projectFolder } from '../../src/cli/browser/build.ts'
import { serve, type RunningServer } from '../../src/cli/browser/serve.ts'
import { firefox } from '../other-browsers/firefox.ts'
import type { OtherBrowser } from '../other-browsers/other-browser.ts'
import { firstTable, press, readNewestRun, runAgain, waitFor, waitForEnd } from '../other-browsers/page.ts'
import { webkit } from '../other-browsers/webkit.ts'

/** Every number of every task that `scripts/check-results.ts` holds the command line's default run to. */
function scoresOf(results: unknown): unknown {
  const tasks = Object.entries(results as { [task: string]: { [key: string]: unknown } }) // Of our own results file.
  return Object.fromEntries(
    tasks.map(([task, row]) => [
      task,
      Object.fromEntries(
        Object.entries(row).filter(([key, value]) => key.includes(',') || (key === 'sample_len' && typeof value === 'number')),
      ),
    ]),
  )
}

const wanted: unknown = JSON.parse(readFileSync(join(projectFolder, 'tests/goldens/embedded/default-run.json'), 'utf8'))

for (const kind of [firefox(), webkit()]) {
  test.describe(kind.name, () => {
    test.describe.configure({ mode: 'serial', timeout: 400_000 })
    test.skip(kind.missing !== null, `${kind.name}: ${kind.missing ?? ''}`)
    if (kind.missing !== null) console.log(`Skipped in ${kind.name}: ${kind.missing}.`)

    let app: RunningServer
    let browser: OtherBrowser
    let shared = ''
    let scores = ''
    test.beforeAll(async () => {
      app = await serve({ folder: distFolder, port: 0 })
      browser = await kind.start()
      console.log(`Tested in ${browser.version}.`)
    })
    test.afterAll(async () => {
      // Absent where it didn't start.
      await (browser as OtherBrowser | undefined)?.close()
      await app.close()
    })

    test('one click runs the embedded default to the numbers of the command line, and a reload keeps them', async () => {
      await browser.open(`${app.address}#/`)
      await press(browser, 'Run')
      expect(await waitForEnd(browser)).toBe('complete')
      scores = await firstTable(browser)
      const url = await browser.evaluate<string>('location.href')
      const { row, summary } = await readNewestRun(browser, app.address)
      expect(row.manifest.engine.device).toBe('wasm')
      expect(scoresOf(summary.resultsFile['results'])).toEqual(wanted)
      await browser.open(url)
      expect(await waitForEnd(browser)).toBe('complete')
      expect(await firstTable(browser)).toBe(scores)
      expect(browser.errors).toEqual([])
    })

    test('a link to the run opens with its scores', async () => {
      await press(browser, 'Share')
      shared = await waitFor<string>(browser, `document.querySelector('a[href*="#/r/"]')?.href ?? null`)
      await browser.open(`${app.address}driver.html`)
      await browser.open(shared)
      await waitFor(browser, `document.body.innerText.includes('Reported by the sender, not verified.')`)
      expect(await firstTable(browser)).toBe(scores)
      expect(browser.errors).toEqual([])
    })

    test('the lab goes to a doc that flips, and its pick follows the norm', async () => {
      await browser.open(`${app.address}driver.html`)
      await browser.open(`${app.address}#/lab`)
      await press(browser, 'Next doc that flips')
      const picked = `(document.querySelector('tr.picked th')?.innerText ?? null)`
      const byAcc = await waitFor<string>(browser, picked)
      await browser.evaluate(`[...document.querySelectorAll('label')].find((one) => one.innerText.trim().startsWith('acc_norm')).click()`)
      expect(await waitFor<string>(browser, `${picked} !== ${JSON.stringify(byAcc)} && ${picked}`)).not.toBe(byAcc)
      expect(browser.errors).toEqual([])
    })

    test('the same run a second time finds every answer stored, and computes nothing', async () => {
      const { row } = await readNewestRun(browser, app.address)
      const { done, progress } = await runAgain(browser, row.manifest.settings)
      expect(done).toMatchObject({ status: 'complete', error: null })
      expect(progress).toMatchObject({ runs: 0, requestsKept: progress?.requestsTotal ?? -1 })
      const { summary } = await readNewestRun(browser, app.address)
      expect(scoresOf(summary.resultsFile['results'])).toEqual(wanted)
      expect(browser.errors).toEqual([])
    })
  })
}
