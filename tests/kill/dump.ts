/** What lies in the app's database, read by other code than the app's own. */
import type { Page } from '@playwright/test'

export interface DumpedJournalEntry {
  readonly runId: string
  readonly planIndex: number
  readonly keys: readonly string[]
}

export interface Dump {
  readonly version: number
  readonly runs: readonly { readonly runId: string; readonly status: string; readonly epoch: number }[]
  readonly journal: readonly DumpedJournalEntry[]
  /** Log-likelihoods by key. */
  readonly responses: { readonly [key: string]: readonly number[] }
  readonly quarantined: number
}

export async function dumpDatabase(page: Page): Promise<Dump> {
  return page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error ?? new Error('a request failed'))
      })
    const db = await settled(indexedDB.open('yardstick'))
    try {
      const tx = db.transaction(['runs', 'journal', 'responses', 'quarantine'])
      const all = (store: string) => settled(tx.objectStore(store).getAll() as IDBRequest<Record<string, unknown>[]>)
      const [runs, journal, rows, keys, quarantined] = await Promise.all([
        all('runs'),
        all('journal'),
        all('responses'),
        settled(tx.objectStore('responses').getAllKeys()),
        settled(tx.objectStore('quarantine').count()),
      ])
      const responses: Record<string, number[]> = {}
      rows.forEach((row, at) => {
        responses[keys[at] as string] = Array.from(row['logprobs'] as Float64Array)
      })
      return {
        version: db.version,
        runs: runs.map((row) => ({ runId: String(row['runId']), status: String(row['status']), epoch: Number(row['epoch']) })),
        journal: journal.map((row) => ({
          runId: String(row['runId']),
          planIndex: Number(row['planIndex']),
          keys: row['keys'] as string[],
        })),
        responses,
        quarantined,
      }
    } finally {
      db.close()
    }
  })
}
