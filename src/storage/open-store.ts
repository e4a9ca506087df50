/** The store in IndexedDB. */
import { EvalError } from '../core/errors.ts'
import { failPoint } from '../core/fail-point.ts'
import type { ForwardAnswer, RunResults, RunRow } from '../core/types.ts'
import { openDatabase, storeNames, type Database, type DatabaseHooks, type StoreName, type Transaction } from './database.ts'
import {
  fromJournalRow,
  fromResponseRow,
  fromRunRows,
  isRunTail,
  isSampleRow,
  toJournalRow,
  toManifestRow,
  toResponseRow,
  type RunTail,
} from './rows.ts'
import type { Batch, CommitOutcome, JournalEntry, Store, StoredResults, Usage } from './store.ts'

export interface StoreOptions extends DatabaseHooks {
  readonly name?: string
}

/** A commit is made durable against power cuts after so many answers or so much time; others survive a browser crash. */
const strictAfterAnswers = 256
const strictAfterMs = 5_000

/** Opens the store. Throws `storage/unavailable` without IndexedDB, `storage/blocked` when an older tab holds the database. */
export async function openStore({ name = 'yardstick', ...hooks }: StoreOptions = {}): Promise<Store> {
  const database = await openDatabase(name, hooks)
  const checkpoint = { answers: 0, at: performance.now() }

  const commitBatch = async (batch: Batch): Promise<CommitOutcome> => {
    checkpoint.answers += batch.entries.length
    const isDue = checkpoint.answers >= strictAfterAnswers || performance.now() - checkpoint.at >= strictAfterMs
    failPoint('before-tx')
    const write = async (tx: Writing): Promise<CommitOutcome> => {
      const written = await writeBatch(tx, batch)
      failPoint(isDue ? 'mid-checkpoint' : 'before-complete')
      return written
    }
    const outcome = await database.transact(['runs', 'responses', 'journal'], 'readwrite', write, isDue ? 'strict' : 'relaxed')
    failPoint('after-complete-before-ack')
    if (isDue) Object.assign(checkpoint, { answers: 0, at: performance.now() })
    return outcome
  }

  return {
    createRun: async (row) => {
      await database.transact(['runs', 'manifests'], 'readwrite', (tx) => addRun(tx, row), 'strict')
      failPoint('after-create')
    },
    takeRun: async (runId) => {
      const raise = async (tx: Writing): Promise<number> => {
        const tail = await readTail(tx, runId)
        await putTail(tx, { ...tail, epoch: tail.epoch + 1, status: 'running', error: null })
        failPoint('epoch-bump')
        return tail.epoch + 1
      }
      const epoch = await database.transact(['runs'], 'readwrite', raise, 'strict')
      failPoint('after-epoch-bump')
      return epoch
    },
    readRun: (runId) =>
      database.transact(['runs', 'manifests'], 'readonly', async (tx) => {
        const [tail, manifest] = await Promise.all([tx.objectStore('runs').get(runId), tx.objectStore('manifests').get(runId)])
        return tail === undefined && manifest === undefined ? null : fromRunRows(runId, manifest, tail)
      }),
    listRuns: () => listRuns(database),
    commitBatch,
    checkpoint: async () => {
      // Something must be written for the browser to flush its log, and with it all that was committed before.
      const rewrite = async (tx: Writing): Promise<void> => {
        const cursor = await tx.objectStore('runs').openCursor()
        await cursor?.update(cursor.value)
      }
      await database.transact(['runs'], 'readwrite', rewrite, 'strict')
      Object.assign(checkpoint, { answers: 0, at: performance.now() })
    },
    recall: (keys) => recall(database, keys),
    journalOf: (runId) => journalOf(database, runId),
    finishRun: (runId, epoch, { status, error, docsDone }) =>
      database.transact(
        ['runs'],
        'readwrite',
        async (tx) => {
          const tail = await readTail(tx, runId, epoch)
          await putTail(tx, { ...tail, status, error, docsDone: docsDone ?? tail.docsDone })
          failPoint('mid-finish')
        },
        'strict',
      ),
    saveResults: (epoch, results) =>
      database.transact(['runs', 'results', 'samples'], 'readwrite', (tx) => writeResults(tx, epoch, results), 'strict'),
    loadResults: (runId) => database.transact(['results'], 'readonly', async (tx) => (await tx.objectStore('results').get(runId)) ?? null),
    samplesOf: (runId, task, page) => database.transact(['samples'], 'readonly', (tx) => readSamples(tx, runId, task, page)),
    deleteRun: (runId) =>
      database.transact(
        ['runs', 'manifests', 'journal', 'results', 'samples'],
        'readwrite',
        async (tx) => {
          const all = IDBKeyRange.bound([runId], [runId, []])
          await Promise.all([
            ...(['runs', 'manifests', 'results'] as const).map((store) => tx.objectStore(store).delete(runId)),
            ...(['journal', 'samples'] as const).map((store) => tx.objectStore(store).delete(all)),
          ])
          failPoint('mid-delete')
        },
        'strict',
      ),
    eraseAll: () =>
      database.transact(
        storeNames,
        'readwrite',
        async (tx) => {
          await Promise.all(storeNames.map((store) => tx.objectStore(store).clear()))
          failPoint('mid-erase')
        },
        'strict',
      ),
    usage: () => measureUsage(database),
    close: () => {
      database.close()
    },
  }
}

type Writing = Transaction<'readwrite'>

async function addRun(tx: Writing, row: RunRow): Promise<void> {
  const { manifest, ...tail } = row
  if ((await tx.objectStore('runs').getKey(row.runId)) !== undefined) throw fencedError(`There is a run '${row.runId}' already.`, row.runId)
  await Promise.all([tx.objectStore('manifests').put(toManifestRow(manifest)), tx.objectStore('runs').add(tail)])
  failPoint('mid-create')
}

/** The run's changing part; with an epoch, only if that is still the current one. */
async function readTail(tx: Writing, runId: string, epoch: number | null = null): Promise<RunTail> {
  const tail: unknown = await tx.objectStore('runs').get(runId)
  if (tail === undefined) throw new EvalError('run/not-found', `There is no run '${runId}'.`, { details: { runId } })
  if (!isRunTail(tail)) throw new EvalError('storage/corrupt', `Run '${runId}': its stored state is damaged.`, { details: { runId } })
  if (epoch !== null && tail.epoch !== epoch)
    throw fencedError(`Run '${runId}' was taken over by another tab; this one writes no more.`, runId)
  return tail
}

async function putTail(tx: Writing, tail: RunTail): Promise<void> {
  await tx.objectStore('runs').put({ ...tail, updatedAt: new Date().toISOString() })
}

async function writeBatch(tx: Writing, { runId, epoch, planIndex, entries, docsDone }: Batch): Promise<CommitOutcome> {
  const tail = await readTail(tx, runId, epoch)
  const journal = tx.objectStore('journal')
  if ((await journal.index('plan').getKey([runId, planIndex])) !== undefined)
    throw fencedError(`Batch ${planIndex} of run '${runId}' is done already.`, runId)
  const last = await journal.openKeyCursor(IDBKeyRange.bound([runId], [runId, []]), 'prev')
  const seq = last === null ? 0 : last.primaryKey[1] + 1
  const responses = tx.objectStore('responses')
  let added = 0
  let already = 0
  const conflicts: string[] = []
  // One request a key at a time would cost a round trip each.
  const unique = [...new Map(entries.map((entry) => [entry.key, entry])).values()]
  const found = await Promise.all(unique.map(({ key }) => responses.get(key)))
  const writes: Promise<unknown>[] = []
  for (const [at, { key, answer }] of unique.entries()) {
    const row = toResponseRow(answer)
    const kept = found[at]
    if (kept !== undefined && fromResponseRow(kept) !== null) {
      if (kept.crc === row.crc) already += 1
      else conflicts.push(key)
      continue
    }
    // What lies under the key, if anything, is no answer any more. Never `put`: a kept answer can't be overwritten by mistake.
    if (kept !== undefined) writes.push(responses.delete(key))
    writes.push(responses.add(row, key))
    added += 1
  }
  await Promise.all(writes)
  failPoint('after-put')
  // The unique index on the plan makes a second entry for this batch impossible, whatever the check above saw.
  await journal.add(toJournalRow({ runId, seq, planIndex, epoch, keys: entries.map(({ key }) => key) }))
  if (docsDone !== undefined) await putTail(tx, { ...tail, docsDone })
  return { added, already, conflicts }
}

async function listRuns(database: Database): Promise<readonly RunRow[]> {
  const [tails, manifests] = await database.transact(['runs', 'manifests'], 'readonly', (tx) =>
    Promise.all([tx.objectStore('runs').getAll(), tx.objectStore('manifests').getAll()]),
  )
  const byId = new Map(manifests.map((row) => [row.runId, row]))
  const rows: RunRow[] = []
  for (const tail of tails) {
    try {
      rows.push(fromRunRows(tail.runId, byId.get(tail.runId), tail))
    } catch {
      // One damaged run must not hide the others; `readRun` says what is wrong with it.
    }
  }
  return rows.sort((a, b) => (a.manifest.createdAt < b.manifest.createdAt ? 1 : -1))
}

async function recall(database: Database, keys: readonly string[]): Promise<ReadonlyMap<string, ForwardAnswer>> {
  const answers = new Map<string, ForwardAnswer>()
  const damaged: string[] = []
  const unique = [...new Set(keys)]
  const rows = await database.transact(['responses'], 'readonly', (tx) =>
    Promise.all(unique.map((key) => tx.objectStore('responses').get(key))),
  )
  for (const [at, key] of unique.entries()) {
    const row = rows[at]
    if (row === undefined) continue
    const answer = fromResponseRow(row)
    if (answer === null) damaged.push(key)
    else answers.set(key, answer)
  }
  if (damaged.length > 0) await setAside(database, 'responses', damaged)
  return answers
}

async function journalOf(database: Database, runId: string): Promise<readonly JournalEntry[]> {
  const rows = await database.transact(['journal'], 'readonly', (tx) =>
    tx.objectStore('journal').getAll(IDBKeyRange.bound([runId], [runId, []])),
  )
  const entries: JournalEntry[] = []
  const damaged: [string, number][] = []
  for (const row of rows) {
    const entry = fromJournalRow(row)
    if (entry === null) damaged.push([row.runId, row.seq])
    else entries.push(entry)
  }
  if (damaged.length > 0) await setAside(database, 'journal', damaged)
  return entries
}

/** Moves damaged records out of the way, so that they can be written anew and still be looked at. */
async function setAside(database: Database, store: 'responses' | 'journal', keys: readonly (string | [string, number])[]): Promise<void> {
  await database.transact([store, 'quarantine'], 'readwrite', async (tx) => {
    for (const key of keys) {
      const range = IDBKeyRange.only(key)
      const value: unknown = await tx.objectStore(store).get(range)
      await tx.objectStore('quarantine').add({ store, key, value })
      failPoint('mid-quarantine')
      await tx.objectStore(store).delete(range)
    }
  })
}

async function writeResults(tx: Writing, epoch: number, { samples, ...rest }: RunResults): Promise<void> {
  const { runId } = rest
  await readTail(tx, runId, epoch)
  const store = tx.objectStore('samples')
  await store.delete(IDBKeyRange.bound([runId], [runId, []]))
  failPoint('mid-finalise')
  const sampleCounts = Object.fromEntries(Object.entries(samples).map(([task, list]) => [task, list.length]))
  // Not one by one: the transaction's end tells of every failure.
  const writes = Object.entries(samples).flatMap(([task, list]) =>
    list.map((sample, position) => store.put({ runId, task, position, sample })),
  )
  await Promise.all([...writes, tx.objectStore('results').put({ ...rest, sampleCounts } satisfies StoredResults)])
}

async function readSamples(
  tx: Transaction<'readonly'>,
  runId: string,
  task: string,
  { offset, count }: { readonly offset: number; readonly count: number },
): ReturnType<Store['samplesOf']> {
  const store = tx.objectStore('samples')
  const total = await store.count(IDBKeyRange.bound([runId, task], [runId, task, []]))
  const rows = await store.getAll(IDBKeyRange.bound([runId, task, offset], [runId, task, offset + count], false, true))
  const samples = rows.map((row: unknown) => {
    if (!isSampleRow(row))
      throw new EvalError('storage/corrupt', `Run '${runId}': a stored sample of '${task}' is damaged; its results can be rebuilt.`)
    return row.sample
  })
  return { total, samples }
}

async function measureUsage(database: Database): Promise<Usage> {
  const counted: readonly StoreName[] = ['runs', 'responses', 'quarantine']
  const counts = await database.transact(counted, 'readonly', (tx) => Promise.all(counted.map((store) => tx.objectStore(store).count())))
  const [runs = 0, responses = 0, quarantined = 0] = counts
  // Absent outside secure contexts, whatever the types say.
  const manager = typeof navigator === 'undefined' ? undefined : (navigator.storage as StorageManager | undefined)
  const estimate = await manager?.estimate()
  const isPersistent = (await manager?.persisted()) ?? null
  return { usedBytes: estimate?.usage ?? null, quotaBytes: estimate?.quota ?? null, isPersistent, runs, responses, quarantined }
}

function fencedError(message: string, runId: string): EvalError {
  return new EvalError('storage/fenced', message, { details: { runId } })
}
