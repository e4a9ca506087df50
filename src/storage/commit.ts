/** Writing a batch: its answers, its journal entry and the run's state in one transaction. */
import { unwrap } from 'idb'
import { EvalError } from '../base/errors.ts'
import { failPoint } from '../base/fail-point.ts'
import { isGenerated } from '../contracts/items.ts'
import { areEqualAnswers, fromAnswerRow, toAnswerRow, type AnswerRow, type KeyedAnswer } from './answer-rows.ts'
import type { Transaction } from './database.ts'
import { rangeOfBatch } from './recall.ts'
import { isRunState, toJournalRow, type RunState } from './rows.ts'
import type { Batch, CommitOutcome } from './store.ts'

export type Writing = Transaction<'readwrite'>

export function fencedError(message: string, runId: string): EvalError {
  return new EvalError('storage/fenced', message, { details: { runId } })
}

/** The run's changing part; with an epoch, only if that is still the current one. */
export async function readTail(tx: Writing, runId: string, epoch: number | null = null): Promise<RunState> {
  const tail: unknown = await tx.objectStore('runs').get(runId)
  if (tail === undefined) throw new EvalError('run/not-found', `There is no run '${runId}'.`, { details: { runId } })
  if (!isRunState(tail)) throw new EvalError('storage/corrupt', `Run '${runId}': its stored state is damaged.`, { details: { runId } })
  if (epoch !== null && tail.epoch !== epoch)
    throw fencedError(`Run '${runId}' was taken over by another tab; this one writes no more.`, runId)
  return tail
}

export async function putTail(tx: Writing, tail: RunState): Promise<void> {
  await tx.objectStore('runs').put({ ...tail, updatedAt: new Date().toISOString() })
}

/** Writes the batch into an open transaction over runs, answers, journal and drafts. */
export async function writeBatch(tx: Writing, { runId, epoch, planIndex, entries, docsDone }: Batch): Promise<CommitOutcome> {
  const tail = await readTail(tx, runId, epoch)
  const outcome = await addAnswers(tx, [...new Map(entries.map((entry) => [entry.key, entry])).values()])
  failPoint('after-put')
  await addJournalEntry(tx, { runId, epoch, planIndex, keys: entries.map(({ key }) => key) })
  if (entries.some(({ answer }) => isGenerated(answer))) await tx.objectStore('drafts').delete(rangeOfBatch(runId, planIndex))
  if (docsDone !== undefined) await putTail(tx, { ...tail, docsDone })
  return outcome
}

interface NewEntry {
  readonly runId: string
  readonly epoch: number
  readonly planIndex: number
  readonly keys: readonly string[]
}

/** `add` and a unique index: a second entry for a batch is impossible, whatever its writer believes; it ends the transaction. */
export async function addJournalEntry(tx: Writing, { runId, epoch, planIndex, keys }: NewEntry): Promise<void> {
  const journal = tx.objectStore('journal')
  const last = await journal.openKeyCursor(IDBKeyRange.bound([runId], [runId, []]), 'prev')
  const seq = last === null ? 0 : last.primaryKey[1] + 1
  try {
    await journal.add(toJournalRow({ runId, seq, planIndex, epoch, keys }))
  } catch (error) {
    if (!isConstraint(error)) throw error
    throw fencedError(`Batch ${planIndex} of run '${runId}' is done already.`, runId)
  }
}

async function addAnswers(tx: Writing, entries: readonly KeyedAnswer[]): Promise<CommitOutcome> {
  if (entries.length === 0) return { added: 0, already: 0, conflicts: [] }
  if (await addUnlessKept(tx, toAnswerRow(entries))) return { added: entries.length, already: 0, conflicts: [] }
  return addTheRest(tx, entries)
}

/** Some answers are kept already: another run had the same questions. What is kept stays. */
async function addTheRest(tx: Writing, entries: readonly KeyedAnswer[]): Promise<CommitOutcome> {
  const index = tx.objectStore('answers').index('keys')
  const fresh: KeyedAnswer[] = []
  const conflicts: KeyedAnswer[] = []
  let already = 0
  for (const entry of entries) {
    const row: unknown = await index.get(entry.key)
    const kept = row === undefined ? undefined : fromAnswerRow(row)?.find(({ key }) => key === entry.key)
    // What lies under the key, if anything, is no answer any more, and the index may not even know it.
    if (kept === undefined) await tx.objectStore('answers').delete((await index.getKey(entry.key)) ?? entry.key)
    if (kept === undefined) fresh.push(entry)
    else if (areEqualAnswers(kept.answer, entry.answer)) already += 1
    else conflicts.push(kept)
  }
  if (fresh.length > 0 && !(await addUnlessKept(tx, toAnswerRow(fresh))))
    throw new EvalError('storage/corrupt', 'The index of kept answers names one that can not be read.')
  return { added: fresh.length, already, conflicts }
}

/**
 * False when an answer of the row is kept already. Never `put`, which would overwrite it. The request is idb's inner one: its failure must
 * not end the transaction.
 */
function addUnlessKept(tx: Writing, row: AnswerRow): Promise<boolean> {
  const request = unwrap(tx.objectStore('answers')).add(row, row.keys[0])
  return new Promise((resolve, reject) => {
    request.onsuccess = () => {
      resolve(true)
    }
    request.onerror = (event) => {
      if (!isConstraint(request.error)) {
        reject(request.error ?? new Error('the answers could not be added'))
        return
      }
      event.preventDefault()
      event.stopPropagation()
      resolve(false)
    }
  })
}

function isConstraint(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'ConstraintError'
}
