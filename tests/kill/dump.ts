/** What lies in the app's database, read past the app's own store. */
import type { Page } from '@playwright/test'
import { isScored, type Draft } from '../../src/contracts/items.ts'
import { fromAnswerRow } from '../../src/storage/answer-rows.ts'
import { fromDraftRow, joinParts } from '../../src/storage/draft-rows.ts'

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
  /** Texts that are being written, by the keys of their answers. */
  readonly drafts: ReadonlyMap<string, Draft>
  readonly quarantined: number
}

export async function dumpDatabase(page: Page): Promise<Dump> {
  const { answers, drafts, ...dump } = await page.evaluate(async () => {
    const settled = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(request.error ?? new Error('a request failed'))
      })
    const db = await settled(indexedDB.open('yardstick'))
    try {
      const tx = db.transaction(['runs', 'journal', 'answers', 'drafts', 'quarantine'])
      const all = (store: string) => settled(tx.objectStore(store).getAll() as IDBRequest<Record<string, unknown>[]>)
      const [runs, journal, rows, grown, quarantined] = await Promise.all([
        all('runs'),
        all('journal'),
        all('answers'),
        all('drafts'),
        settled(tx.objectStore('quarantine').count()),
      ])
      return {
        version: db.version,
        runs: runs.map((row) => ({ runId: String(row['runId']), status: String(row['status']), epoch: Number(row['epoch']) })),
        journal: journal.map((row) => ({
          runId: String(row['runId']),
          planIndex: Number(row['planIndex']),
          keys: row['keys'] as string[],
        })),
        answers: rows.map((row) => ({ keys: row['keys'] as string[], packed: Array.from(row['packed'] as Uint8Array) })),
        drafts: grown.map(({ parts, ...row }) => ({
          ...row,
          parts: (parts as { tokens: Int32Array }[]).map((part) => ({ ...part, tokens: Array.from(part.tokens) })),
        })),
        quarantined,
      }
    } finally {
      db.close()
    }
  })
  const responses: { [key: string]: readonly number[] } = {}
  for (const { keys, packed } of answers) {
    // A record whose checksum fails holds nothing; what it held is then missing.
    for (const { key, answer } of fromAnswerRow({ keys, packed: Uint8Array.from(packed) }) ?? []) {
      responses[key] = isScored(answer) ? answer.answers.map(({ logprob }) => logprob) : [...answer.tokens]
    }
  }
  const parts = drafts.flatMap(
    (row) => fromDraftRow({ ...row, parts: row.parts.map((part) => ({ ...part, tokens: Int32Array.from(part.tokens) })) }) ?? [],
  )
  return { ...dump, responses, drafts: joinParts(parts) }
}
