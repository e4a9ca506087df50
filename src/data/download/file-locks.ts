/** Locks on files, over every tab and worker of the origin: one downloads a file, and nobody deletes one that is in use. */

export interface FileLocks {
  /** Runs `body` as the only holder of `name`; waits for it. `signal` ends the waiting. */
  exclusive<T>(name: string, body: () => Promise<T>, signal?: AbortSignal): Promise<T>
  /** Runs `body` as the only holder if nobody holds `name` in any way now. */
  tryExclusive<T>(name: string, body: () => Promise<T>): Promise<{ readonly held: true } | { readonly held: false; readonly value: T }>
  /** Holds `name` together with others, until the function that it gives is called. */
  share(name: string): Promise<() => void>
}

/** The lock of whoever downloads the file. */
export function downloadLockName(key: string): string {
  return `file-download:${key}`
}

/** Shared by everybody who uses the file; whoever deletes it needs it alone. */
export function useLockName(key: string): string {
  return `file-use:${key}`
}

/** The browser's Web Locks; where there are none, locks within this worker alone. */
export function openFileLocks(): FileLocks {
  // Absent in insecure contexts and in Node, whatever the types say.
  const manager = typeof navigator === 'undefined' ? undefined : (navigator.locks as LockManager | undefined)
  return manager === undefined ? memoryLocks() : webLocks(manager)
}

function webLocks(manager: LockManager): FileLocks {
  return {
    exclusive: (name, body, signal) => manager.request(name, signal === undefined ? {} : { signal }, body),
    tryExclusive: (name, body) =>
      manager.request(name, { ifAvailable: true }, async (lock) => (lock === null ? { held: true } : { held: false, value: await body() })),
    share: (name) =>
      new Promise((resolve, reject) => {
        manager
          .request(name, { mode: 'shared' }, () => new Promise<void>((release) => resolve(release)))
          // Rejects after it was granted only when the lock is stolen, which nobody does.
          .catch(reject)
      }),
  }
}

/** Locks within one realm, for tests and for browsers without Web Locks. */
export function memoryLocks(): FileLocks {
  interface Held {
    sharers: number
    isExclusive: boolean
    readonly waiting: { readonly isShared: boolean; readonly grant: () => void }[]
  }
  const locks = new Map<string, Held>()
  const lockOf = (name: string): Held => {
    const lock = locks.get(name) ?? { sharers: 0, isExclusive: false, waiting: [] }
    locks.set(name, lock)
    return lock
  }
  const isFree = (lock: Held, isShared: boolean): boolean => !lock.isExclusive && (isShared || lock.sharers === 0)
  const take = (lock: Held, isShared: boolean): void => {
    if (isShared) lock.sharers += 1
    else lock.isExclusive = true
  }
  const release = (name: string, isShared: boolean): void => {
    const lock = lockOf(name)
    if (isShared) lock.sharers -= 1
    else lock.isExclusive = false
    for (let [next] = lock.waiting; next !== undefined && isFree(lock, next.isShared); [next] = lock.waiting) {
      lock.waiting.shift()
      take(lock, next.isShared)
      next.grant()
    }
    if (lock.sharers === 0 && !lock.isExclusive) locks.delete(name)
  }
  const request = (name: string, isShared: boolean, signal?: AbortSignal): Promise<void> => {
    const lock = lockOf(name)
    if (lock.waiting.length === 0 && isFree(lock, isShared)) {
      take(lock, isShared)
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const entry = { isShared, grant: resolve }
      lock.waiting.push(entry)
      signal?.addEventListener('abort', () => {
        const at = lock.waiting.indexOf(entry)
        if (at < 0) return
        lock.waiting.splice(at, 1)
        reject(new DOMException('The request was aborted.', 'AbortError'))
      })
    })
  }
  const holding = async <T>(name: string, body: () => Promise<T>): Promise<T> => {
    try {
      return await body()
    } finally {
      release(name, false)
    }
  }
  return {
    exclusive: async (name, body, signal) => {
      await request(name, false, signal)
      return holding(name, body)
    },
    tryExclusive: async (name, body) => {
      const lock = lockOf(name)
      if (lock.waiting.length > 0 || !isFree(lock, false)) return { held: true }
      take(lock, false)
      return { held: false, value: await holding(name, body) }
    },
    share: async (name) => {
      await request(name, true)
      return () => release(name, true)
    },
  }
}
