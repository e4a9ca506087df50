/** Reading what is kept. Every record's checksum is checked; one that fails is set aside, and what it held counts as missing. */
import { failPoint } from '../base/fail-point.ts'
import type { ItemAnswer } from '../contracts/items.ts'
import { fromAnswerRow } from './answer-rows.ts'
import type { Database, Transaction } from './database.ts'
import { fromJournalRow } from './rows.ts'
import type { JournalEntry } from './store.ts'

/** A record holds a batch, so one key in so many is asked for first, and most often brings its neighbours. */
const stride = 8

/**
 * The kept answers among `keys`, given in plan order. 2,000 answers of earlier batches: 250 requests; those of other plans may need one
 * request each.
 */
export async function recall(database: Database, keys: readonly string[]): Promise<ReadonlyMap<string, ItemAnswer>> {
  const wanted = new Set(keys)
  const unique = [...wanted]
  const answers = new Map<string, ItemAnswer>()
  const damaged = new Set<string>()
  await database.transact(['answers'], 'readonly', async (tx) => {
    const store = tx.objectStore('answers')
    if ((await store.openKeyCursor()) === null) return
    const index = store.index('keys')
    const ask = async (key: string): Promise<void> => {
      const row: unknown = await index.get(key)
      if (row === undefined) return
      const entries = fromAnswerRow(row)
      if (entries === null) damaged.add(key)
      for (const entry of entries ?? []) if (wanted.has(entry.key)) answers.set(entry.key, entry.answer)
    }
    await Promise.all(unique.filter((_, at) => at % stride === 0).map(ask))
    await Promise.all(unique.filter((key) => !answers.has(key) && !damaged.has(key)).map(ask))
  })
  if (damaged.size > 0) await setAnswersAside(database, [...damaged])
  return answers
}

export async function journalOf(database: Database, runId: string): Promise<readonly JournalEntry[]> {
  const rows = await database.transact(['journal'], 'readonly', (tx) => tx.objectStore('journal').getAll(rangeOf(runId)))
  const entries: JournalEntry[] = []
  const damaged: [string, number][] = []
  for (const row of rows) {
    const entry = fromJournalRow(row)
    if (entry === null) damaged.push([row.runId, row.seq])
    else entries.push(entry)
  }
  if (damaged.length > 0) await database.transact(['journal', 'quarantine'], 'readwrite', (tx) => setJournalAside(tx, damaged), 'strict')
  return entries
}

/** All rows of a run, where the run's id is the key's first part. */
export function rangeOf(runId: string): IDBKeyRange {
  return IDBKeyRange.bound([runId], [runId, []])
}

/** All rows of one batch of a run, where the batch's place in the plan is the key's second part. */
export function rangeOfBatch(runId: string, planIndex: number): IDBKeyRange {
  return IDBKeyRange.bound([runId, planIndex], [runId, planIndex, []])
}

/** Moves journal entries out of the way, so that their batches can be committed again, and the entries still be looked at. */
export async function setJournalAside(tx: Transaction<'readwrite'>, keys: readonly [string, number][]): Promise<void> {
  for (const key of keys) {
    const range = IDBKeyRange.only(key)
    await tx.objectStore('quarantine').add({ store: 'journal', key, value: await tx.objectStore('journal').get(range) })
    failPoint('mid-quarantine')
    await tx.objectStore('journal').delete(range)
  }
}

async function setAnswersAside(database: Database, keys: readonly string[]): Promise<void> {
  const move = async (tx: Transaction<'readwrite'>): Promise<void> => {
    const store = tx.objectStore('answers')
    for (const key of keys) {
      const primary = await store.index('keys').getKey(key)
      // Gone with another key of the same record.
      if (primary === undefined) continue
      await tx.objectStore('quarantine').add({ store: 'answers', key: primary, value: await store.get(primary) })
      failPoint('mid-quarantine')
      await store.delete(primary)
    }
  }
  await database.transact(['answers', 'quarantine'], 'readwrite', move, 'strict')
}
