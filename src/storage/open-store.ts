/** The store in IndexedDB. */
import { indexDocs } from '../analysis/viewer/doc-index.ts'
import { EvalError } from '../base/errors.ts'
import { failPoint } from '../base/fail-point.ts'
import { isRecord } from '../base/guards.ts'
import type { RunResults } from '../contracts/results.ts'
import type { RunRow } from '../contracts/runs.ts'
import type { SampleView } from '../contracts/samples.ts'
import { addJournalEntry, fencedError, putTail, readTail, writeBatch, type Writing } from './commit.ts'
import { openDatabase, type Database, type DatabaseHooks, type Transaction } from './database.ts'
import { docIndexesOf, putIndexes, searchTextsOf } from './doc-indexes.ts'
import { addDraftRow, readDrafts } from './drafts.ts'
import { measureOriginSpace } from './origin-space.ts'
import { addToQueue, changeQueued, dropFromQueue, readQueue } from './queue.ts'
import { journalOf, rangeOf, recall, setJournalAside } from './recall.ts'
import { fromRunRows, isSampleRow, toManifestRow } from './rows.ts'
import { storeNames, type StoreName } from './schema.ts'
import type { Batch, CommitOutcome, JournalRevision, Store, StoredResults, Usage } from './store.ts'

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
    const outcome = await database.transact(['runs', 'answers', 'journal', 'drafts'], 'readwrite', write, isDue ? 'strict' : 'relaxed')
    failPoint('after-complete-before-ack')
    if (isDue) Object.assign(checkpoint, { answers: 0, at: performance.now() })
    return outcome
  }

  const samplesOf: Store['samplesOf'] = (runId, task, page) =>
    database.transact(['samples'], 'readonly', (tx) => readSamples(tx, runId, task, page))
  const readerOf =
    (runId: string) =>
    async (task: string, offset: number, count: number): Promise<readonly SampleView[]> =>
      (await samplesOf(runId, task, { offset, count })).samples

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
    keepDrafts: async (growth) => {
      await database.transact(['runs', 'drafts'], 'readwrite', (tx) => addDraftRow(tx, growth))
      failPoint('after-draft')
    },
    draftsOf: (runId) => database.transact(['drafts'], 'readonly', (tx) => readDrafts(tx, runId)),
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
    reviseJournal: (runId, epoch, revision) =>
      database.transact(['runs', 'journal', 'quarantine'], 'readwrite', (tx) => reviseJournal(tx, runId, epoch, revision), 'strict'),
    finishRun: (runId, epoch, { status, error, docsDone }) =>
      database.transact(
        ['runs', 'drafts'],
        'readwrite',
        async (tx) => {
          const tail = await readTail(tx, runId, epoch)
          await putTail(tx, { ...tail, status, error, docsDone: docsDone ?? tail.docsDone })
          // Another run would not take them.
          if (status !== 'interrupted') await tx.objectStore('drafts').delete(rangeOf(runId))
          failPoint('mid-finish')
        },
        'strict',
      ),
    saveResults: (epoch, results) =>
      database.transact(['runs', 'results', 'samples', 'indexes'], 'readwrite', (tx) => writeResults(tx, epoch, results), 'strict'),
    amendResults: (runId, { resultsFile, resultsText }) =>
      database.transact(
        ['results'],
        'readwrite',
        async (tx) => {
          const known = await tx.objectStore('results').get(runId)
          if (known === undefined) throw new EvalError('run/not-found', `Run '${runId}' has no results.`)
          await tx.objectStore('results').put({ ...known, resultsFile, resultsText })
        },
        'strict',
      ),
    loadResults: (runId) => database.transact(['results'], 'readonly', async (tx) => (await tx.objectStore('results').get(runId)) ?? null),
    samplesOf,
    docIndexesOf: (runId) => docIndexesOf(database, runId, readerOf(runId)),
    searchTextsOf: (runId) => searchTextsOf(database, runId, readerOf(runId)),
    deleteRun: (runId) =>
      database.transact(
        ['runs', 'manifests', 'answers', 'journal', 'drafts', 'results', 'samples', 'indexes'],
        'readwrite',
        async (tx) => {
          await removeRun(tx, runId)
          failPoint('mid-delete')
        },
        'strict',
      ),
    readQueue: () => readQueue(database),
    addToQueue: (settings) => addToQueue(database, settings),
    changeQueued: (place, change) => changeQueued(database, place, change),
    dropFromQueue: (places) => dropFromQueue(database, places),
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

async function addRun(tx: Writing, row: RunRow): Promise<void> {
  const { manifest, ...tail } = row
  if ((await tx.objectStore('runs').getKey(row.runId)) !== undefined) throw fencedError(`There is a run '${row.runId}' already.`, row.runId)
  await Promise.all([tx.objectStore('manifests').put(toManifestRow(manifest)), tx.objectStore('runs').add(tail)])
  failPoint('mid-create')
}

async function reviseJournal(tx: Writing, runId: string, epoch: number, { drop, add }: JournalRevision): Promise<void> {
  await readTail(tx, runId, epoch)
  const index = tx.objectStore('journal').index('plan')
  const keys = await Promise.all(drop.map((planIndex) => index.getKey([runId, planIndex])))
  await setJournalAside(
    tx,
    keys.filter((key) => key !== undefined),
  )
  for (const { planIndex, keys: answers } of add) await addJournalEntry(tx, { runId, epoch, planIndex, keys: answers })
}

/** Answers stay, as other runs may need them; but for those of a run that keeps its own apart (`--no_cache`). */
async function removeRun(tx: Writing, runId: string): Promise<void> {
  const manifest: unknown = await tx.objectStore('manifests').get(runId)
  if (keepsOwnAnswers(manifest)) {
    const answers = tx.objectStore('answers')
    for (const { keys } of await tx.objectStore('journal').getAll(rangeOf(runId))) {
      for (const key of keys) {
        const primary = await answers.index('keys').getKey(key)
        if (primary !== undefined) await answers.delete(primary)
      }
    }
  }
  await Promise.all([
    ...(['runs', 'manifests', 'results'] as const).map((store) => tx.objectStore(store).delete(runId)),
    ...(['journal', 'drafts', 'samples', 'indexes'] as const).map((store) => tx.objectStore(store).delete(rangeOf(runId))),
  ])
}

function keepsOwnAnswers(row: unknown): boolean {
  const settings = isRecord(row) && isRecord(row['manifest']) ? row['manifest']['settings'] : null
  return isRecord(settings) && settings['useCache'] === false
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

async function writeResults(tx: Writing, epoch: number, { samples, ...rest }: RunResults): Promise<void> {
  const { runId } = rest
  await readTail(tx, runId, epoch)
  const store = tx.objectStore('samples')
  await Promise.all([store.delete(rangeOf(runId)), tx.objectStore('indexes').delete(rangeOf(runId))])
  failPoint('mid-finalise')
  const sampleCounts = Object.fromEntries(Object.entries(samples).map(([task, list]) => [task, list.length]))
  // Not one by one: the transaction's end tells of every failure.
  const writes = Object.entries(samples).flatMap(([task, list]) =>
    list.map((sample, position) => store.put({ runId, task, position, sample })),
  )
  const indexes = Object.entries(samples).map(([task, list]) => indexDocs(task, list))
  await Promise.all([
    ...writes,
    putIndexes(tx, runId, indexes),
    tx.objectStore('results').put({ ...rest, sampleCounts } satisfies StoredResults),
  ])
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
  const counted: readonly StoreName[] = ['runs', 'answers', 'quarantine']
  const [runs, responses, quarantined] = await database.transact(counted, 'readonly', (tx) =>
    Promise.all([tx.objectStore('runs').count(), tx.objectStore('answers').index('keys').count(), tx.objectStore('quarantine').count()]),
  )
  return { ...(await measureOriginSpace()), runs, responses, quarantined }
}
