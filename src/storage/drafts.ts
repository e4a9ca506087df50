/** Keeping texts while they are written, and finding them again. The rows of a batch go with the transaction that keeps its answers. */
import type { Draft } from '../contracts/items.ts'
import { readTail, type Writing } from './commit.ts'
import type { Transaction } from './database.ts'
import { fromDraftRow, joinParts, toDraftRow } from './draft-rows.ts'
import { rangeOf, rangeOfBatch } from './recall.ts'
import type { DraftGrowth } from './store.ts'

/** Adds a row to an open transaction over runs and drafts. Throws `storage/fenced` for an epoch that isn't the run's any more. */
export async function addDraftRow(tx: Writing, { runId, epoch, planIndex, parts }: DraftGrowth): Promise<void> {
  await readTail(tx, runId, epoch)
  const drafts = tx.objectStore('drafts')
  const last = await drafts.openKeyCursor(rangeOfBatch(runId, planIndex), 'prev')
  await drafts.add(toDraftRow({ runId, planIndex, seq: last === null ? 0 : last.primaryKey[2] + 1, parts }))
}

/** A run's drafts by the keys of their answers. A row whose checksum fails counts as missing, and with it what its texts grew by later. */
export async function readDrafts(tx: Transaction<'readonly'>, runId: string): Promise<ReadonlyMap<string, Draft>> {
  const rows: readonly unknown[] = await tx.objectStore('drafts').getAll(rangeOf(runId))
  return joinParts(rows.flatMap((row) => fromDraftRow(row) ?? []))
}
