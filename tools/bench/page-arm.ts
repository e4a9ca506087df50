/** `--page`: how fast the sample viewer opens and filters a made run, and whether the page stays free while a real one goes on. */
import type { Page } from '@playwright/test'
import { launchBrowser } from '../../src/cli/browser/browser.ts'
import { buildIfStale, distFolder } from '../../src/cli/browser/build.ts'
import { serve } from '../../src/cli/browser/serve.ts'
import { buildWriter, expectedFilterings, openMadeRun, timeFiltering, watchRun, writeRun, type LongTasks } from './viewer/made-page.ts'

export interface PageRow {
  readonly what: string
  readonly docs: number
  /** To the frame that shows them. */
  readonly ms: number
  /** The figure to stay under. */
  readonly aim_ms: number
}

export interface PageReport {
  readonly docs: number
  readonly page: readonly PageRow[]
  readonly rows_in_page: number
  readonly long_tasks: { readonly count: number; readonly longest_ms: number; readonly seconds: number }
}

const openAimMs = 500
const filterAimMs = 100

export async function measurePage(options: {
  readonly docs: number
  readonly seed: number
  readonly limit: number
  readonly say: (line: string) => void
}): Promise<PageReport> {
  const { docs, say } = options
  buildIfStale(say)
  const server = await serve({ folder: distFolder, port: 0 })
  const browser = await launchBrowser({ gpu: 'hardware', say })
  try {
    const page = await browser.newPage()
    say(`Writing a made run of ${docs} docs`)
    await writeRun(page, server.address, await buildWriter(), options)
    say('Opening it')
    const { all, filterings } = expectedFilterings(options)
    const rows: PageRow[] = [{ what: 'open', docs: all, ms: round(await openMadeRun(page, server.address, all)), aim_ms: openAimMs }]
    for (const filtering of filterings) {
      rows.push({ what: filtering.name, docs: filtering.docs, ms: round(await timeFiltering(page, filtering)), aim_ms: filterAimMs })
    }
    const rowsInPage = await countRows(page)
    say('Watching the page while a run goes on')
    const watched = await watchRun(page, server.address, options.limit)
    return { docs, page: rows, rows_in_page: rowsInPage, long_tasks: reportOf(watched) }
  } finally {
    await browser.close()
    await server.close()
  }
}

/** Rows of the list that are in the page. */
export function countRows(page: Page): Promise<number> {
  return page.locator('.viewer .list li').count()
}

export function pageTable({ docs, page, rows_in_page, long_tasks }: PageReport): string {
  const lines = page.map(({ what, docs: found, ms, aim_ms }) =>
    [what.padEnd(12), String(found).padStart(7), ms.toFixed(0).padStart(7), `${(ms / aim_ms).toFixed(2)} of ${aim_ms}`].join('  '),
  )
  const { count, longest_ms, seconds } = long_tasks
  return [
    `${docs} docs, ${rows_in_page} rows in the page`,
    ['what'.padEnd(12), 'docs'.padStart(7), 'ms'.padStart(7), 'of the aim'].join('  '),
    ...lines,
    '',
    `While a run went on (${seconds.toFixed(1)} s): ${count} tasks above 50 ms on the page, the longest ${longest_ms.toFixed(0)} ms`,
  ].join('\n')
}

function reportOf({ count, longestMs, seconds }: LongTasks): PageReport['long_tasks'] {
  return { count, longest_ms: round(longestMs), seconds: round(seconds) }
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
