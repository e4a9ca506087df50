/** A worker that is replaced when it died. */
import type { EvalError } from '../core/errors.ts'
import type { Called, WorkerHandle } from './handle.ts'

export interface SupervisedWorker<Api> {
  /** As `WorkerHandle.api`; a call after a death starts a new worker and prepares it first. */
  readonly api: Called<Api>
  /** As `WorkerHandle.callWithDeadline`; the time to start and prepare counts too. */
  callWithDeadline<T>(milliseconds: number, use: (api: Called<Api>) => Promise<T>): Promise<T>
  /** Ends the current worker, if any; the next call starts another. */
  terminate(reason?: EvalError): void
  /** How many workers were started so far. */
  readonly starts: () => number
}

/**
 * Keeps one worker alive on demand. `start` makes it, `prepare` brings a fresh one to the state that calls rely on (a tokenizer loaded,
 * say) and runs before any other call. When `prepare` fails, the calls that waited for it reject with its error and the worker is dropped.
 */
export function supervise<Api extends object>(
  start: () => WorkerHandle<Api>,
  prepare: (api: Called<Api>) => Promise<void> = () => Promise.resolve(),
): SupervisedWorker<Api> {
  let current: { readonly handle: WorkerHandle<Api>; readonly prepared: Promise<void> } | null = null
  let starts = 0

  const living = (): { readonly handle: WorkerHandle<Api>; readonly prepared: Promise<void> } => {
    if (current?.handle.isAlive() === true) return current
    const handle = start()
    starts += 1
    const prepared = prepare(handle.api).catch((error: unknown) => {
      handle.terminate()
      throw error
    })
    // Callers hear of a failed preparation through their own call; without any, nobody has to.
    prepared.catch(() => undefined)
    current = { handle, prepared }
    return current
  }
  const api = new Proxy(
    {},
    {
      get: (_, method) => {
        if (typeof method === 'symbol' || method === 'then') return undefined
        return async (...args: unknown[]) => {
          const { handle, prepared } = living()
          await prepared
          const run = handle.api[method as keyof Api] as (...args: unknown[]) => Promise<unknown> // The proxy serves exactly the API's names.
          return run(...args)
        }
      },
    },
  ) as Called<Api> // A proxy has no members of its own to type.

  return {
    api,
    callWithDeadline: (milliseconds, use) => {
      const { handle, prepared } = living()
      return handle.callWithDeadline(milliseconds, async (inner) => {
        await prepared
        return use(inner)
      })
    },
    terminate: (reason) => {
      current?.handle.terminate(reason)
      current = null
    },
    starts: () => starts,
  }
}
