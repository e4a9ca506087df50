/** A store that outlives the browser's database: without one, and when it is cleared under a run, it goes on in memory. */
import { EvalError, isEvalError, toEvalError, type ErrorCode } from '../base/errors.ts'
import type { RunRow } from '../contracts/runs.ts'
import { memoryStore } from './memory-store.ts'
import type { Store } from './store.ts'

/** Without a database at all, or with one that can't be read, a run is still worth doing; a newer or blocked one is there after a reload. */
const worthMemory: readonly ErrorCode[] = ['storage/unavailable', 'storage/corrupt']

/** What a run's write fails with once its rows are gone: cleared site data, an evicted origin, a database that broke. */
const rowsAreGone: readonly ErrorCode[] = ['run/not-found', 'storage/unavailable', 'storage/corrupt']

/**
 * The store that `open` gives, or one in memory where the browser offers no database. `onMemory` is told, with the reason, as soon as anything
 * is kept in memory only; it goes with the tab.
 *
 * A run whose rows vanish while it is written goes on in memory from that write. Its earlier answers are in the hands of whoever computes it,
 * so its results come out whole. `storage/quota` and `storage/fenced` are no such loss and are thrown.
 */
export async function openSurvivingStore(open: () => Promise<Store>, onMemory: (reason: EvalError) => void): Promise<Store> {
  try {
    return surviving(await open(), onMemory)
  } catch (error) {
    const known = toEvalError(error)
    if (!worthMemory.includes(known.code)) throw known
    onMemory(known)
    return memoryStore()
  }
}

function surviving(kept: Store, onMemory: (reason: EvalError) => void): Store {
  const memory = memoryStore()
  /** Runs that this store writes, as they were when they were taken. */
  const taken = new Map<string, RunRow>()
  const rescued = new Set<string>()
  const storeOf = (runId: string): Store => (rescued.has(runId) ? memory : kept)

  const write = async <T>(runId: string, use: (store: Store) => Promise<T>): Promise<T> => {
    try {
      return await use(storeOf(runId))
    } catch (error) {
      const row = taken.get(runId)
      if (row === undefined || rescued.has(runId) || !isEvalError(error) || !rowsAreGone.includes(error.code)) throw error
      await memory.createRun(row)
      rescued.add(runId)
      onMemory(
        new EvalError(
          'storage/unavailable',
          'The browser has deleted what this page had stored. The run that is going on continues in memory: download its results before you close this tab.',
          { cause: error },
        ),
      )
      return use(memory)
    }
  }
  return {
    createRun: (row) => kept.createRun(row),
    takeRun: async (runId) => {
      const store = storeOf(runId)
      const epoch = await store.takeRun(runId)
      const row = await store.readRun(runId)
      if (row !== null) taken.set(runId, row)
      return epoch
    },
    readRun: (runId) => storeOf(runId).readRun(runId),
    listRuns: async () => [...(await memory.listRuns()), ...(await kept.listRuns()).filter(({ runId }) => !rescued.has(runId))],
    commitBatch: (batch) => write(batch.runId, (store) => store.commitBatch(batch)),
    keepDrafts: (growth) => write(growth.runId, (store) => store.keepDrafts(growth)),
    draftsOf: (runId) => storeOf(runId).draftsOf(runId),
    checkpoint: () => kept.checkpoint(),
    recall: async (keys) => new Map([...(await kept.recall(keys)), ...(await memory.recall(keys))]),
    reviseJournal: (runId, epoch, revision) => write(runId, (store) => store.reviseJournal(runId, epoch, revision)),
    journalOf: (runId) => storeOf(runId).journalOf(runId),
    finishRun: (runId, epoch, end) => write(runId, (store) => store.finishRun(runId, epoch, end)),
    saveResults: (epoch, results) => write(results.runId, (store) => store.saveResults(epoch, results)),
    amendResults: (runId, results) => storeOf(runId).amendResults(runId, results),
    loadResults: (runId) => storeOf(runId).loadResults(runId),
    samplesOf: (runId, task, page) => storeOf(runId).samplesOf(runId, task, page),
    docIndexesOf: (runId) => storeOf(runId).docIndexesOf(runId),
    searchTextsOf: (runId) => storeOf(runId).searchTextsOf(runId),
    deleteRun: async (runId) => {
      await storeOf(runId).deleteRun(runId)
      rescued.delete(runId)
    },
    readQueue: () => kept.readQueue(),
    addToQueue: (settings) => kept.addToQueue(settings),
    changeQueued: (place, change) => kept.changeQueued(place, change),
    dropFromQueue: (places) => kept.dropFromQueue(places),
    eraseAll: async () => {
      await memory.eraseAll()
      rescued.clear()
      await kept.eraseAll()
    },
    usage: () => kept.usage(),
    close: () => {
      kept.close()
    },
  }
}
