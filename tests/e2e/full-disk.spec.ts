/** A disk that others fill in the middle of a run: Chromium can't finish what it is writing, and closes the database. */
import { chromium, type Page } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser, playwrightOptions } from '../../src/cli/browser/browser.ts'
import type { RunEvent } from '../../src/contracts/progress.ts'
import { quickCompiler } from './compiler.ts'
import { endOf, longSettings, scoresOf, slowModel, startScoring } from './faults.ts'
import { callDriver, expect, openDriver, runToEnd, test } from './fixtures.ts'

const disk = mkdtempSync(join(tmpdir(), 'yardstick-disk-'))
let whyNot: string | null = null

test.beforeAll(() => {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m', 'tmpfs', disk], { stdio: 'pipe' })
  } catch (error) {
    whyNot = `a small disk can't be mounted here: ${String(error)}`
    console.log(whyNot)
  }
})

test.afterAll(() => {
  if (whyNot === null) execFileSync('umount', ['-l', disk], { stdio: 'pipe' })
  rmdirSync(disk)
})

const filling = join(disk, 'filling')

/** Leaves no room; what the browser gives back meanwhile is taken too. */
function fill(): void {
  const { bavail, bsize } = statfsSync(disk)
  const part = Buffer.alloc(4096)
  try {
    writeFileSync(filling, Buffer.alloc(bavail * bsize))
    for (;;) appendFileSync(filling, part)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOSPC')) throw error
  }
}

test('the run stops and says that there is no room; with room it goes on, and all is there after the next starts', async ({ app }) => {
  test.skip(whyNot !== null, whyNot ?? '')
  const options = playwrightOptions(findBrowser(() => undefined).path, 'hardware-or-software', quickCompiler)
  const inBrowser = async <T>(use: (page: Page, events: RunEvent[]) => Promise<T>): Promise<T> => {
    const context = await chromium.launchPersistentContext(join(disk, 'profile'), options)
    try {
      const page = await context.newPage()
      slowModel(page, 100)
      return await use(page, await openDriver(page, app.address))
    } finally {
      await context.close()
    }
  }
  const { runId, scores } = await inBrowser(async (page, events) => {
    const whole = await runToEnd(page, events, longSettings())
    const from = events.length
    const id = await startScoring(page, events, longSettings())
    fill()
    expect(await endOf(events, from)).toMatchObject({ runId: id, status: 'interrupted', error: { code: 'storage/quota' } })
    rmSync(filling)
    const later = events.length
    await callDriver(page, 'resume', [id], (value): value is unknown => value !== undefined)
    expect(await endOf(events, later)).toMatchObject({ runId: id, status: 'complete', error: null })
    const expected = await scoresOf(page, whole.runId)
    expect(await scoresOf(page, id)).toEqual(expected)
    return { runId: id, scores: expected }
  })
  // What was written once there was room again lies behind what could not be finished.
  for (const start of ['the next start', 'the one after it']) {
    expect(await inBrowser((page) => scoresOf(page, runId)), start).toEqual(scores)
  }
})
