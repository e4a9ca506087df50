/** What the database `yardstick` holds, and how an older one becomes it. */
import type { DBSchema, IDBPDatabase, IDBPTransaction, StoreNames } from 'idb'
import { failPoint } from '../base/fail-point.ts'
import { isRecord } from '../base/guards.ts'
import type { ForwardAnswer } from '../contracts/items.ts'
import { toAnswerRow, type AnswerRow } from './answer-rows.ts'
import { crc32 } from './crc32.ts'
import type { DraftRow } from './draft-rows.ts'
import type { IndexRow, JournalRow, ManifestRow, QueueRow, RunState, SampleRow } from './rows.ts'
import type { StoredResults } from './store.ts'

export interface YardstickSchema extends DBSchema {
  runs: { key: string; value: RunState }
  manifests: { key: string; value: ManifestRow }
  answers: { key: string; value: AnswerRow; indexes: { keys: string } }
  journal: { key: [runId: string, seq: number]; value: JournalRow; indexes: { plan: [runId: string, planIndex: number] } }
  /** Texts that are being written. */
  drafts: { key: [runId: string, planIndex: number, seq: number]; value: DraftRow }
  results: { key: string; value: StoredResults }
  samples: { key: [runId: string, task: string, position: number]; value: SampleRow }
  indexes: { key: [runId: string, part: string, task: string]; value: IndexRow }
  /** Runs that wait for each other, in the order of their keys. */
  queue: { key: number; value: QueueRow }
  /** Records that failed their checksum, as they were found. */
  quarantine: { key: number; value: { readonly store: string; readonly key: IDBValidKey; readonly value: unknown } }
}

export type StoreName = StoreNames<YardstickSchema>

export const storeNames: readonly StoreName[] = [
  ...(['runs', 'manifests', 'answers', 'journal', 'drafts', 'results', 'samples', 'indexes', 'queue', 'quarantine'] as const),
]

/** 1: one record an answer, in `responses`. 2: one record a batch, in `answers`. 3: `indexes`, made when first asked for. 4: `queue`. 5: `drafts`. */
export const schemaVersion = 5

type Upgrading = IDBPTransaction<YardstickSchema, StoreName[], 'versionchange'>

/**
 * Brings a database of `oldVersion` (0: none) to the current one, inside the transaction of the upgrade: a kill leaves the old one.
 * Nothing is lost: an answer that fails its checksum moves to the quarantine.
 */
export async function upgradeSchema(db: IDBPDatabase<YardstickSchema>, oldVersion: number, transaction: Upgrading): Promise<void> {
  if (oldVersion < 1) {
    db.createObjectStore('runs', { keyPath: 'runId' })
    db.createObjectStore('manifests', { keyPath: 'runId' })
    db.createObjectStore('journal', { keyPath: ['runId', 'seq'] }).createIndex('plan', ['runId', 'planIndex'], { unique: true })
    db.createObjectStore('results', { keyPath: 'runId' })
    db.createObjectStore('samples', { keyPath: ['runId', 'task', 'position'] })
    db.createObjectStore('quarantine', { autoIncrement: true })
  }
  if (oldVersion < 2) db.createObjectStore('answers').createIndex('keys', 'keys', { unique: true, multiEntry: true })
  if (oldVersion < 3) db.createObjectStore('indexes', { keyPath: ['runId', 'part', 'task'] })
  if (oldVersion < 4) db.createObjectStore('queue', { keyPath: 'place', autoIncrement: true })
  if (oldVersion < 5) db.createObjectStore('drafts', { keyPath: ['runId', 'planIndex', 'seq'] })
  failPoint('during-upgrade')
  if (oldVersion === 1) await moveResponses(transaction)
}

const rowsAtOnce = 500

async function moveResponses(transaction: Upgrading): Promise<void> {
  // A store of version 1, which today's types don't know.
  const { db, objectStore } = transaction as unknown as {
    readonly db: { deleteObjectStore(name: string): void }
    readonly objectStore: (name: string) => {
      getAll(range: IDBKeyRange | null, count: number): Promise<unknown[]>
      getAllKeys(range: IDBKeyRange | null, count: number): Promise<string[]>
    }
  }
  const responses = objectStore.call(transaction, 'responses')
  const answers = transaction.objectStore('answers')
  const quarantine = transaction.objectStore('quarantine')
  let range: IDBKeyRange | null = null
  for (;;) {
    const [keys, rows] = await Promise.all([responses.getAllKeys(range, rowsAtOnce), responses.getAll(range, rowsAtOnce)])
    const last = keys.at(-1)
    if (last === undefined) break
    const writes = keys.map((key, at) => {
      const answer = fromResponseRow(rows[at])
      return answer === null
        ? quarantine.add({ store: 'responses', key, value: rows[at] })
        : answers.add(toAnswerRow([{ key, answer }]), key)
    })
    await Promise.all(writes)
    failPoint('during-upgrade')
    range = IDBKeyRange.lowerBound(last, true)
  }
  db.deleteObjectStore.call(db, 'responses')
}

/** An answer of version 1: typed arrays of log-probabilities, greedy flags and per-token lists, with a checksum; null when damaged. */
function fromResponseRow(value: unknown): ForwardAnswer | null {
  if (!isRecord(value)) return null
  const { logprobs, greedy, tokenLogprobs, crc } = value
  if (!(logprobs instanceof Float64Array) || !(greedy instanceof Uint8Array) || !Array.isArray(tokenLogprobs)) return null
  if (!tokenLogprobs.every((list): list is Float32Array => list instanceof Float32Array)) return null
  if (greedy.length !== logprobs.length || tokenLogprobs.length !== logprobs.length) return null
  let sum = crc32(bytesOf(Uint32Array.from([logprobs.length, ...tokenLogprobs.map((list) => list.length)])))
  for (const array of [logprobs, greedy, ...tokenLogprobs]) sum = crc32(bytesOf(array), sum)
  if (crc !== sum) return null
  return { answers: Array.from(logprobs, (logprob, at) => ({ logprob, isGreedy: greedy[at] === 1 })), tokenLogprobs }
}

function bytesOf(array: ArrayBufferView): Uint8Array {
  return new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
}
