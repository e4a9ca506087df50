/** The profile that a former version stored, and what that version showed and exported of it: `tests/make-goldens/make-stored-profile.ts` makes it. */
import type { Page } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { projectFolder } from '../../src/cli/browser/build.ts'
import type { KeptOrigin } from './origin-storage.ts'

export const profilePath = join(projectFolder, 'tests/goldens/stored-profile/d9fe906.json.gz')

/** Texts of files, by the label of the button that saves them. */
export type SavedFiles = { readonly [button: string]: string }

export interface FormerRun {
  readonly runId: string
  /** What the history shows in the columns of tasks, score and status. */
  readonly history: readonly string[]
  /** Of the results table: a list of cells a row. */
  readonly table: readonly (readonly string[])[]
  readonly files: SavedFiles
}

/** Tasks of each run; the queue's one entry has the settings of `choices`. */
export const tasksOf = {
  choices: ['yardstick_facts'],
  writing: ['yardstick_wordproblems'],
  stopped: ['yardstick_words', 'yardstick_arithmetic'],
} as const

export interface StoredProfile {
  readonly header: {
    readonly about: string
    /** Of the version that stored it. */
    readonly commit: string
    readonly browser: string
    readonly packages: { readonly [name: string]: string }
    readonly again: readonly string[]
    readonly leftOut: readonly string[]
  }
  readonly runs: {
    readonly choices: FormerRun
    readonly writing: FormerRun
    /** Stopped in the middle, after so many docs of all. */
    readonly stopped: Pick<FormerRun, 'runId' | 'history'> & { readonly docsDone: number; readonly docsTotal: number }
  }
  /** What the stopped run's settings gave, run whole in another browser. */
  readonly whole: Pick<FormerRun, 'table' | 'files'>
  /** The task file that was being written. */
  readonly draft: string
  readonly origin: KeptOrigin
}

export function readProfile(): StoredProfile {
  // The maker writes it.
  return JSON.parse(gunzipSync(readFileSync(profilePath)).toString('utf8')) as StoredProfile
}

/** Presses the buttons of the run's page that save results.json and the samples, and reads the files. */
export async function saveFiles(page: Page, tasks: readonly string[]): Promise<SavedFiles> {
  const files: { [button: string]: string } = {}
  for (const button of ['results.json', ...tasks.map((task) => `samples_${task}.jsonl`)]) {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: button, exact: true }).click()])
    files[button] = readFileSync(await download.path(), 'utf8')
  }
  return files
}

/** The cells of the results table, a list a row, without its first row of headings. */
export function readTable(page: Page): Promise<readonly (readonly string[])[]> {
  return page
    .locator('table.results')
    .first()
    .locator('tbody tr')
    .evaluateAll((rows) => rows.map((row) => Array.from(row.children, (cell) => (cell.textContent ?? '').trim().replace(/\s+/g, ' '))))
}

/** What the history shows of a run in the columns of tasks, score and status. */
export function readHistory(page: Page, runId: string): Promise<readonly string[]> {
  return page
    .locator('tr', { has: page.locator(`a[href="#/run/${runId}"]`) })
    .locator('td')
    .evaluateAll((cells) => cells.slice(0, 3).map((cell) => (cell.textContent ?? '').trim().replace(/\s+/g, ' ')))
}
