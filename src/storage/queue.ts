/** The queue of runs as it lies in the database: an entry a row, in the order of their keys, which the database counts. */
import { isRecord } from '../base/guards.ts'
import type { QueuedRun, RunSettings } from '../contracts/run-settings.ts'
import { isLeft } from '../settings/run-queue.ts'
import { crc32OfText } from './crc32.ts'
import type { Database } from './database.ts'
import { isWireError, type QueueRow } from './rows.ts'
import type { QueuedChange } from './store.ts'

/** The entries in order. One that fails its checksum is left out: nobody can say what it was to run. */
export function readQueue(database: Database): Promise<readonly QueuedRun[]> {
  return database.transact(['queue'], 'readonly', async (tx) => (await tx.objectStore('queue').getAll()).flatMap(fromQueueRow))
}

/** Puts entries at the end and gives their places. Where nothing is left to run, what has ended makes room first. */
export function addToQueue(database: Database, settings: readonly RunSettings[]): Promise<readonly number[]> {
  return database.transact(
    ['queue'],
    'readwrite',
    async (tx) => {
      const store = tx.objectStore('queue')
      const kept = (await store.getAll()).flatMap(fromQueueRow)
      if (!kept.some(isLeft)) await store.clear()
      const places: number[] = []
      for (const one of settings) places.push(await store.add(toQueueRow(one)))
      return places
    },
    'strict',
  )
}

/** Writes what became of an entry; one that was dropped meanwhile stays dropped. */
export function changeQueued(database: Database, place: number, change: QueuedChange): Promise<void> {
  return database.transact(
    ['queue'],
    'readwrite',
    async (tx) => {
      const row = await tx.objectStore('queue').get(place)
      if (row !== undefined) await tx.objectStore('queue').put({ ...row, ...change })
    },
    'strict',
  )
}

/** Removes entries. */
export function dropFromQueue(database: Database, places: readonly number[]): Promise<void> {
  return database.transact(
    ['queue'],
    'readwrite',
    async (tx) => {
      await Promise.all(places.map((place) => tx.objectStore('queue').delete(place)))
    },
    'strict',
  )
}

/** The row of an entry that waits. */
export function toQueueRow(settings: RunSettings): QueueRow {
  return { settings, state: 'waiting', runId: null, error: null, crc: crc32OfText(JSON.stringify(settings)) }
}

const states: readonly QueuedRun['state'][] = ['waiting', 'running', 'done', 'failed']

function fromQueueRow(value: unknown): readonly QueuedRun[] {
  if (!isRecord(value)) return []
  const { place, settings, runId, error, crc } = value
  const state = states.find((known) => known === value['state'])
  if (typeof place !== 'number' || state === undefined || !isRecord(settings)) return []
  if (runId !== null && typeof runId !== 'string') return []
  if ((error !== null && !isWireError(error)) || crc !== crc32OfText(JSON.stringify(settings))) return []
  // The checksum says that these are the settings which `toQueueRow` was given.
  return [{ place, settings: settings as unknown as RunSettings, state, runId, error }]
}
