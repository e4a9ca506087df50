/** The database `yardstick`: its stores, opening, transactions. */
import { openDB, type DBSchema, type IDBPDatabase, type IDBPTransaction, type StoreNames } from 'idb'
import { EvalError } from '../core/errors.ts'
import { failPoint } from '../core/fail-point.ts'
import type { StoredResults } from './store.ts'
import type { JournalRow, ManifestRow, ResponseRow, RunTail, SampleRow } from './rows.ts'
import { isConnectionLost, toStorageError } from './storage-errors.ts'

export interface YardstickSchema extends DBSchema {
  runs: { key: string; value: RunTail }
  manifests: { key: string; value: ManifestRow }
  responses: { key: string; value: ResponseRow }
  journal: { key: [runId: string, seq: number]; value: JournalRow; indexes: { plan: [runId: string, planIndex: number] } }
  results: { key: string; value: StoredResults }
  samples: { key: [runId: string, task: string, position: number]; value: SampleRow }
  /** Records that failed their checksum, as they were found. */
  quarantine: { key: number; value: { readonly store: string; readonly key: IDBValidKey; readonly value: unknown } }
}

export type StoreName = StoreNames<YardstickSchema>
type Mode = 'readonly' | 'readwrite'
export type Transaction<M extends Mode> = IDBPTransaction<YardstickSchema, StoreName[], M>

export const storeNames: readonly StoreName[] = ['runs', 'manifests', 'responses', 'journal', 'results', 'samples', 'quarantine']
const schemaVersion = 1
const blockedDeadlineMs = 5_000

export interface Database {
  /**
   * Runs `body` in one transaction over `stores` and resolves when it is complete; a throw aborts it. `body` awaits nothing but this
   * transaction's requests. When the browser has closed the connection, it is opened again and `body` runs once more.
   */
  transact<T, M extends Mode>(
    stores: readonly StoreName[],
    mode: M,
    body: (transaction: Transaction<M>) => Promise<T>,
    durability?: 'strict' | 'relaxed',
  ): Promise<T>
  close(): void
}

/**
 * Opens the database, creating or upgrading it.
 * Throws `storage/unavailable` without IndexedDB, `storage/blocked` when another tab holds an older version open for 5 s.
 */
export async function openDatabase(name: string, onBlocked: () => void): Promise<Database> {
  let isOutdated = false
  let connection: Promise<IDBPDatabase<YardstickSchema>> | null = null

  const connect = (): Promise<IDBPDatabase<YardstickSchema>> => {
    if (isOutdated) return Promise.reject(blockedError('A newer version of this app runs in another tab. Reload this page.'))
    connection ??= open(name, onBlocked, {
      blocking: (event) => {
        // Another tab wants to upgrade: let it, and write no more.
        isOutdated = true
        ;(event.target as IDBDatabase | null)?.close() // 'versionchange' is sent to the connection itself.
      },
      terminated: () => {
        connection = null
      },
    })
    return connection
  }
  await connect()

  const attempt = async <T, M extends Mode>(
    stores: readonly StoreName[],
    mode: M,
    body: (transaction: Transaction<M>) => Promise<T>,
    durability: 'strict' | 'relaxed',
  ): Promise<T> => {
    const db = await connect()
    const transaction = db.transaction([...stores], mode, { durability })
    // Its rejection is reported through `body` or the await below; without this it would also count as unhandled.
    transaction.done.catch(() => undefined)
    try {
      const result = await body(transaction)
      await transaction.done
      return result
    } catch (error) {
      abortQuietly(transaction)
      throw isConnectionLost(error) ? error : toStorageError(error, transaction.error)
    }
  }
  return {
    transact: async (stores, mode, body, durability = 'relaxed') => {
      try {
        return await attempt(stores, mode, body, durability)
      } catch (error) {
        if (!isConnectionLost(error)) throw error
        connection = null
      }
      try {
        return await attempt(stores, mode, body, durability)
      } catch (error) {
        throw toStorageError(error)
      }
    },
    close: () => {
      connection?.then(
        (db) => {
          db.close()
        },
        () => undefined,
      )
    },
  }
}

function abortQuietly(transaction: { abort(): void }): void {
  try {
    transaction.abort()
  } catch {
    // It had ended by itself, which is what was wanted.
  }
}

function blockedError(message: string): EvalError {
  return new EvalError('storage/blocked', message)
}

async function open(
  name: string,
  onBlocked: () => void,
  hooks: { readonly blocking: (event: Event) => void; readonly terminated: () => void },
): Promise<IDBPDatabase<YardstickSchema>> {
  if (typeof indexedDB === 'undefined') {
    throw new EvalError('storage/unavailable', 'This browser (or its private mode) offers no database: results would be lost with the tab.')
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  let startDeadline: () => void = () => undefined
  const deadline = new Promise<never>((_, reject) => {
    startDeadline = () => {
      timer = setTimeout(() => {
        reject(blockedError('Another tab with an older version of this app keeps the database open. Close it and try again.'))
      }, blockedDeadlineMs)
    }
  })
  try {
    return await Promise.race([
      openDB<YardstickSchema>(name, schemaVersion, {
        upgrade: (db) => {
          createStores(db)
          failPoint('during-upgrade')
        },
        blocked: () => {
          onBlocked()
          startDeadline()
        },
        blocking: (_, __, event) => {
          hooks.blocking(event)
        },
        terminated: hooks.terminated,
      }),
      deadline,
    ])
  } catch (error) {
    throw toStorageError(error)
  } finally {
    clearTimeout(timer)
  }
}

function createStores(db: IDBPDatabase<YardstickSchema>): void {
  db.createObjectStore('runs', { keyPath: 'runId' })
  db.createObjectStore('manifests', { keyPath: 'runId' })
  db.createObjectStore('responses')
  db.createObjectStore('journal', { keyPath: ['runId', 'seq'] }).createIndex('plan', ['runId', 'planIndex'], { unique: true })
  db.createObjectStore('results', { keyPath: 'runId' })
  db.createObjectStore('samples', { keyPath: ['runId', 'task', 'position'] })
  db.createObjectStore('quarantine', { autoIncrement: true })
}
