/** Opening the database `yardstick`, and its transactions. */
import { openDB, type IDBPDatabase, type IDBPTransaction } from 'idb'
import { EvalError } from '../base/errors.ts'
import { startNewLog } from './log-rotation.ts'
import { schemaVersion, upgradeSchema, type StoreName, type YardstickSchema } from './schema.ts'
import { isConnectionLost, toStorageError } from './storage-errors.ts'

type Mode = 'readonly' | 'readwrite'
export type Transaction<M extends Mode> = IDBPTransaction<YardstickSchema, StoreName[], M>

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

export interface DatabaseHooks {
  /** Another tab with an older version holds the database; opening goes on waiting for 5 s. */
  readonly onBlocked?: () => void
  /** A newer version of the app wants to upgrade. The connection closes when this resolves, so that a run's end can be waited for. */
  readonly whenIdle?: () => Promise<void>
  /** The connection was closed for a newer version: this page can store nothing more until it is reloaded. */
  readonly onOutdated?: (reason: EvalError) => void
  /** The browser found the database damaged, threw it away and began a new one. */
  readonly onDataLoss?: (reason: EvalError) => void
}

/**
 * Opens the database, creating or upgrading it.
 * Throws `storage/unavailable` without IndexedDB, `storage/newer` when it was written by a later version, `storage/blocked` when another tab
 * holds an older version open for 5 s.
 */
export async function openDatabase(name: string, hooks: DatabaseHooks): Promise<Database> {
  const {
    onBlocked = () => undefined,
    whenIdle = () => Promise.resolve(),
    onOutdated = () => undefined,
    onDataLoss = () => undefined,
  } = hooks
  const outdated = blockedError('A newer version of this app runs in another tab. Reload this page to go on with it.')
  let isOutdated = false
  let connection: Promise<IDBPDatabase<YardstickSchema>> | null = null

  const connect = (): Promise<IDBPDatabase<YardstickSchema>> => {
    if (isOutdated) return Promise.reject(outdated)
    if (connection !== null) return connection
    const opening = openWithNewLog(name, onBlocked, {
      blocking: (event) => {
        // Another tab wants to upgrade (or to delete everything): let it as soon as nothing is going on here, and write no more.
        const held = event.target as IDBDatabase | null // 'versionchange' is sent to the connection itself.
        const yieldNow = (): void => {
          isOutdated = true
          held?.close()
          onOutdated(outdated)
        }
        whenIdle().then(yieldNow, yieldNow)
      },
      terminated: () => {
        connection = null
      },
      upgrading: (event) => {
        const loss = describeLoss(event)
        if (loss !== null) onDataLoss(new EvalError('storage/corrupt', loss))
      },
    })
    connection = opening
    // One that failed is not the answer to whoever asks next: room may have been made meanwhile.
    opening.catch(() => {
      if (connection === opening) connection = null
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
  const attemptTwice: typeof attempt = async (...args) => {
    try {
      return await attempt(...args)
    } catch (error) {
      if (!isConnectionLost(error)) throw error
      connection = null
      return attempt(...args)
    }
  }
  /** Why nothing can be written now; null once something could be read or written again. */
  let noRoom: EvalError | null = null
  return {
    transact: async (stores, mode, body, durability = 'relaxed') => {
      try {
        const result = await attemptTwice(stores, mode, body, durability)
        noRoom = null
        return result
      } catch (error) {
        const known = toStorageError(error)
        if (known.code === 'storage/quota') noRoom = known
        // Chromium ends the connection when the disk is full, and can't open the database until there is room: it isn't damaged.
        throw noRoom !== null && known.code === 'storage/corrupt' ? noRoom : known
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

/** Chromium's own word on a database that it couldn't read and has replaced by an empty one; null when nothing was lost. */
function describeLoss(event: Event): string | null {
  const { dataLoss, dataLossMessage } = event as { readonly dataLoss?: unknown; readonly dataLossMessage?: unknown } // In no standard.
  if (dataLoss !== 'total') return null
  const why = typeof dataLossMessage === 'string' && dataLossMessage !== '' ? ` (${dataLossMessage})` : ''
  return `The browser found its database damaged${why} and has begun a new, empty one: runs that were kept before are gone. Results that were downloaded are not affected.`
}

function blockedError(message: string): EvalError {
  return new EvalError('storage/blocked', message)
}

interface ConnectionHooks {
  readonly blocking: (event: Event) => void
  readonly terminated: () => void
  readonly upgrading: (event: Event) => void
}

async function openWithNewLog(...args: Parameters<typeof open>): ReturnType<typeof open> {
  const db = await open(...args)
  // Not before: of a database that is lost, Chromium tells whoever opens one first.
  await startNewLog()
  return db
}

async function open(name: string, onBlocked: () => void, hooks: ConnectionHooks): Promise<IDBPDatabase<YardstickSchema>> {
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
  let isGivenUp = false
  try {
    const opening = openDB<YardstickSchema>(name, schemaVersion, {
      upgrade: (db, oldVersion, _newVersion, transaction, event) => {
        hooks.upgrading(event)
        upgradeSchema(db, oldVersion, transaction).catch(() => {
          abortQuietly(transaction)
        })
      },
      blocked: () => {
        onBlocked()
        startDeadline()
      },
      blocking: (_, __, event) => {
        hooks.blocking(event)
      },
      terminated: hooks.terminated,
    })
    // A request that was blocked goes through once the other tab has closed: nobody waits for it any more, and it would block others in turn.
    opening.then(
      (db) => {
        if (isGivenUp) db.close()
      },
      () => undefined,
    )
    return await Promise.race([opening, deadline])
  } catch (error) {
    isGivenUp = true
    throw toStorageError(error)
  } finally {
    clearTimeout(timer)
  }
}
