/** Web Locks: one writer a run, one run at a time on the GPU. A lock goes with its tab or worker, however that ends. */

/** The lock of a run's only writer. */
export function runLockName(runId: string): string {
  return `run:${runId}`
}

/** The lock of whoever computes on the GPU. */
export const gpuLockName = 'gpu'

/** Ids of the runs that somebody works on now, in any tab. */
export async function heldRunIds(): Promise<readonly string[]> {
  const { held = [] } = (await lockManager()?.query()) ?? {}
  const prefix = runLockName('')
  return held.flatMap(({ name = '' }) => (name.startsWith(prefix) ? [name.slice(prefix.length)] : []))
}

/**
 * Runs `body` if the lock is free now and gives what it gives; `held` when somebody else has it. `onLost` is called when the lock is stolen
 * from the body, which goes on and must end itself.
 */
export async function tryLock<T>(
  name: string,
  body: () => Promise<T>,
  onLost: () => void = () => undefined,
): Promise<{ readonly held: true } | { readonly held: false; readonly value: T }> {
  return holdLock<{ readonly held: true } | { readonly held: false; readonly value: T }>(
    name,
    { ifAvailable: true },
    async (isMine) => (isMine ? { held: false, value: await body() } : { held: true }),
    onLost,
  )
}

/** Runs `body` as the lock's holder although somebody else may hold it, who loses it. `onLost` as for `tryLock`. */
export async function stealLock<T>(name: string, body: () => Promise<T>, onLost: () => void = () => undefined): Promise<T> {
  return holdLock(name, { steal: true }, body, onLost)
}

/** A lock that is held until it is released. */
export interface HeldLock {
  release(): void
}

/** Waits for the lock and holds it. `onWait` is called when it isn't free at once; `signal` ends the waiting with its reason. */
export async function acquireLock(name: string, onWait: () => void, signal: AbortSignal): Promise<HeldLock> {
  const manager = lockManager()
  if (manager === undefined) return { release: () => undefined }
  if (await isLockHeld(name)) onWait()
  return new Promise((resolve, reject) => {
    manager
      .request(
        name,
        { signal },
        () =>
          new Promise<void>((release) => {
            resolve({ release })
          }),
      )
      .catch(reject)
  })
}

/** Whether anybody holds the lock now. Asking takes nothing: a probe that took the lock would look like its holder to others. */
export async function isLockHeld(name: string): Promise<boolean> {
  const { held = [] } = (await lockManager()?.query()) ?? {}
  return held.some((lock) => lock.name === name)
}

async function holdLock<T>(name: string, options: LockOptions, body: (isMine: boolean) => Promise<T>, onLost: () => void): Promise<T> {
  const manager = lockManager()
  if (manager === undefined) return body(true)
  let running: Promise<T> | null = null
  let hasEnded = false
  try {
    return await manager.request(name, options, (lock) => {
      running = body(lock !== null).finally(() => (hasEnded = true))
      return running
    })
  } catch (error) {
    if (running === null || hasEnded) throw error
    // The request rejects as soon as the lock is stolen, while the body still runs.
    onLost()
    return running
  }
}

/** Absent in insecure contexts and in Node, whatever the types say. */
function lockManager(): LockManager | undefined {
  return typeof navigator === 'undefined' ? undefined : navigator.locks
}
