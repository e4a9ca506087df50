/** The worker's side of a border. */
import { expose, type Endpoint } from 'comlink'
import { toWire } from '../base/errors.ts'
import type { Watch } from '../base/watched-step.ts'
import { installErrorHandler } from './errors-over-comlink.ts'
import type { WorkerSignal } from './handshake.ts'

/** What `exposeWorker` needs of a worker's global scope; a `MessagePort` will do in tests. */
export type WorkerScope = Endpoint & { postMessage(message: unknown): void }

/**
 * Offers `api` (a flat object of async functions) to whoever started this worker, and says so: calls are held back until then.
 * An error that no call waits for (a rejection nobody handles) is told to the starter, which treats the worker as broken.
 */
export function exposeWorker(api: object, scope: WorkerScope = globalThis): void {
  installErrorHandler()
  expose(api, scope)
  scope.addEventListener('unhandledrejection', (event) => {
    const reason: unknown = 'reason' in event ? event.reason : event
    const signal: WorkerSignal = { yardstick: 'broken', error: toWire(reason) }
    scope.postMessage(signal)
    // It has been told; the console needn't tell it again.
    event.preventDefault()
  })
  const ready: WorkerSignal = { yardstick: 'ready' }
  scope.postMessage(ready)
}

/** Tells this worker's starter of every step, so that it can end one that takes too long; see `stuck-step.ts`. */
export function tellSteps(scope: Pick<WorkerScope, 'postMessage'> = globalThis): Watch {
  return (step) => {
    const signal: WorkerSignal = { yardstick: 'step', step }
    scope.postMessage(signal)
  }
}

/** Tells this worker's starter what it works on (`WorkerHandle.doing`): a thread that never comes back can't be asked. */
export function tellDoing(scope: Pick<WorkerScope, 'postMessage'> = globalThis): (what: string) => void {
  return (what) => {
    const signal: WorkerSignal = { yardstick: 'doing', what }
    scope.postMessage(signal)
  }
}
