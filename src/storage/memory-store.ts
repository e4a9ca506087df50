/** The store in memory: for tests, and for browsers without IndexedDB (with a warning that everything goes with the tab). */
import { indexDocs } from '../analysis/viewer/doc-index.ts'
import { EvalError } from '../base/errors.ts'
import { isGenerated, type ItemAnswer } from '../contracts/items.ts'
import type { QueuedRun } from '../contracts/run-settings.ts'
import type { RunManifest } from '../contracts/runs.ts'
import type { SampleView } from '../contracts/samples.ts'
import { isLeft } from '../settings/run-queue.ts'
import { areEqualAnswers, type KeyedAnswer } from './answer-rows.ts'
import { joinParts } from './draft-rows.ts'
import type { RunState } from './rows.ts'
import type { DraftGrowth, JournalEntry, Store, StoredResults } from './store.ts'

/** An empty store with the contract of `openStore`. */
export function memoryStore(): Store {
  const tails = new Map<string, RunState>()
  const manifests = new Map<string, RunManifest>()
  const responses = new Map<string, ItemAnswer>()
  const journals = new Map<string, JournalEntry[]>()
  const drafts = new Map<string, readonly DraftGrowth[]>()
  const results = new Map<string, StoredResults>()
  const samples = new Map<string, Map<string, readonly SampleView[]>>()

  let queue: readonly QueuedRun[] = []
  let places = 0

  const readTail = (runId: string, epoch: number | null = null): RunState => {
    const tail = tails.get(runId)
    if (tail === undefined) throw new EvalError('run/not-found', `There is no run '${runId}'.`, { details: { runId } })
    if (epoch !== null && tail.epoch !== epoch) throw fencedError(`Run '${runId}' was taken over; this writer writes no more.`, runId)
    return tail
  }
  const putTail = (tail: RunState): void => {
    tails.set(tail.runId, { ...tail, updatedAt: new Date().toISOString() })
  }
  const readRun: Store['readRun'] = async (runId) => {
    const tail = tails.get(runId)
    const manifest = manifests.get(runId)
    return tail === undefined || manifest === undefined ? null : structuredClone({ ...tail, manifest })
  }

  const indexesOf = (runId: string) => [...(samples.get(runId) ?? [])].map(([task, list]) => indexDocs(task, list))

  return {
    createRun: async (row) => {
      if (tails.has(row.runId)) throw fencedError(`There is a run '${row.runId}' already.`, row.runId)
      const { manifest, ...tail } = structuredClone(row)
      manifests.set(row.runId, manifest)
      tails.set(row.runId, tail)
    },
    takeRun: async (runId) => {
      const tail = readTail(runId)
      putTail({ ...tail, epoch: tail.epoch + 1, status: 'running', error: null })
      return tail.epoch + 1
    },
    readRun,
    listRuns: async () => {
      const rows = await Promise.all([...tails.keys()].map(readRun))
      return rows.filter((row) => row !== null).sort((a, b) => (a.manifest.createdAt < b.manifest.createdAt ? 1 : -1))
    },
    commitBatch: async ({ runId, epoch, planIndex, entries, docsDone }) => {
      const tail = readTail(runId, epoch)
      const journal = journals.get(runId) ?? []
      if (journal.some((entry) => entry.planIndex === planIndex))
        throw fencedError(`Batch ${planIndex} of run '${runId}' is done already.`, runId)
      const outcome = { added: 0, already: 0, conflicts: new Array<KeyedAnswer>() }
      for (const { key, answer } of new Map(entries.map((entry) => [entry.key, entry])).values()) {
        const kept = responses.get(key)
        if (kept === undefined) {
          // Copies: a view into a larger buffer would keep the whole of it.
          responses.set(key, copyOf(answer))
          outcome.added += 1
        } else if (areEqualAnswers(kept, answer)) outcome.already += 1
        else outcome.conflicts.push({ key, answer: structuredClone(kept) })
      }
      journals.set(runId, [...journal, { runId, seq: journal.length, planIndex, epoch, keys: entries.map(({ key }) => key) }])
      drafts.set(
        runId,
        (drafts.get(runId) ?? []).filter((growth) => growth.planIndex !== planIndex),
      )
      if (docsDone !== undefined) putTail({ ...tail, docsDone })
      return outcome
    },
    keepDrafts: async (growth) => {
      readTail(growth.runId, growth.epoch)
      drafts.set(growth.runId, [...(drafts.get(growth.runId) ?? []), structuredClone(growth)])
    },
    draftsOf: async (runId) => joinParts((drafts.get(runId) ?? []).flatMap(({ parts }) => parts)),
    checkpoint: () => Promise.resolve(),
    recall: async (keys) => {
      const found = keys.flatMap((key) => {
        const answer = responses.get(key)
        return answer === undefined ? [] : [[key, structuredClone(answer)] as const]
      })
      return new Map(found)
    },
    journalOf: async (runId) => [...(journals.get(runId) ?? [])],
    reviseJournal: async (runId, epoch, { drop, add }) => {
      readTail(runId, epoch)
      const standing = (journals.get(runId) ?? []).filter(({ planIndex }) => !drop.includes(planIndex))
      let seq = standing.at(-1)?.seq ?? -1
      journals.set(runId, [...standing, ...add.map(({ planIndex, keys }) => ({ runId, seq: (seq += 1), planIndex, epoch, keys }))])
    },
    finishRun: async (runId, epoch, { status, error, docsDone }) => {
      const tail = readTail(runId, epoch)
      putTail({ ...tail, status, error, docsDone: docsDone ?? tail.docsDone })
      if (status !== 'interrupted') drafts.delete(runId)
    },
    saveResults: async (epoch, given) => {
      readTail(given.runId, epoch)
      const { samples: lists, ...rest } = structuredClone(given)
      const sampleCounts = Object.fromEntries(Object.entries(lists).map(([task, list]) => [task, list.length]))
      results.set(given.runId, { ...rest, sampleCounts })
      samples.set(given.runId, new Map(Object.entries(lists)))
    },
    amendResults: async (runId, { resultsFile, resultsText }) => {
      const known = results.get(runId)
      if (known === undefined) throw new EvalError('run/not-found', `Run '${runId}' has no results.`)
      results.set(runId, { ...known, ...structuredClone({ resultsFile, resultsText }) })
    },
    loadResults: async (runId) => structuredClone(results.get(runId) ?? null),
    samplesOf: async (runId, task, { offset, count }) => {
      const list = samples.get(runId)?.get(task) ?? []
      return { total: list.length, samples: structuredClone(list.slice(offset, offset + count)) }
    },
    docIndexesOf: async (runId) => indexesOf(runId).map(({ index }) => index),
    searchTextsOf: async (runId) => indexesOf(runId).map(({ search }) => search),
    deleteRun: async (runId) => {
      if (manifests.get(runId)?.settings.useCache === false)
        for (const { keys } of journals.get(runId) ?? []) for (const key of keys) responses.delete(key)
      for (const map of [tails, manifests, journals, drafts, results, samples]) map.delete(runId)
    },
    readQueue: async () => structuredClone(queue),
    addToQueue: async (given) => {
      const added = structuredClone(given).map((settings): QueuedRun => ({
        place: (places += 1),
        settings,
        state: 'waiting',
        runId: null,
        error: null,
      }))
      queue = [...(queue.some(isLeft) ? queue : []), ...added]
      return added.map(({ place }) => place)
    },
    changeQueued: async (place, change) => {
      queue = queue.map((one) => (one.place === place ? { ...one, ...structuredClone(change) } : one))
    },
    dropFromQueue: async (dropped) => {
      queue = queue.filter(({ place }) => !dropped.includes(place))
    },
    eraseAll: async () => {
      queue = []
      for (const map of [tails, manifests, responses, journals, drafts, results, samples]) map.clear()
    },
    usage: async () => ({
      usedBytes: null,
      quotaBytes: null,
      isPersistent: null,
      runs: tails.size,
      responses: responses.size,
      quarantined: 0,
    }),
    close: () => undefined,
  }
}

function fencedError(message: string, runId: string): EvalError {
  return new EvalError('storage/fenced', message, { details: { runId } })
}

function copyOf(answer: ItemAnswer): ItemAnswer {
  return isGenerated(answer)
    ? { tokens: answer.tokens.slice(), end: answer.end }
    : { answers: structuredClone(answer.answers), tokenLogprobs: answer.tokenLogprobs.map((list) => list.slice()) }
}
