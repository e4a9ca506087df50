/** Web Locks: one writer a run, one run at a time on the GPU. A lock goes with its tab or worker, however that ends. */

/** The lock of a run's only writer. */
export function runLockName(runId: string): string {
  return `run:${runId}`
}

/** The lock of whoever computes on the GPU. */
export const gpuLockName = 'gpu'

/** Runs `body` once the lock is free; where the browser has no Web Locks, at once. `signal` ends the waiting. */
export async function withLock<T>(name: string, body: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const manager = lockManager()
  if (manager === undefined) return body()
  return manager.request(name, signal === undefined ? {} : { signal }, body)
}

/** Runs `body` if the lock is free now and gives what it gives; `held` when somebody else has it. */
export async function tryLock<T>(
  name: string,
  body: () => Promise<T>,
): Promise<{ readonly held: true } | { readonly held: false; readonly value: T }> {
  const manager = lockManager()
  if (manager === undefined) return { held: false, value: await body() }
  return manager.request(name, { ifAvailable: true }, async (lock) =>
    lock === null ? { held: true } : { held: false, value: await body() },
  )
}

/** Absent in insecure contexts and in Node, whatever the types say. */
function lockManager(): LockManager | undefined {
  return typeof navigator === 'undefined' ? undefined : navigator.locks
}
