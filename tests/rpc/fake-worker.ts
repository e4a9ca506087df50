/** A "worker" over a MessageChannel: the same thread, the same structured clone, and a death on demand. */
import { exposeWorker } from '../../src/rpc/expose.ts'
import type { WorkerLike } from '../../src/rpc/handle.ts'

export interface FakeWorker {
  readonly worker: WorkerLike
  /** The worker's file has loaded: it listens from now on. */
  readonly listen: (api: object) => void
  /** Something the bootstrap or the worker posts by itself. */
  readonly say: (message: unknown) => void
  /** As the browser does for an uncaught throw; false when the throw has been dealt with. */
  readonly crash: (message: string) => boolean
  readonly isTerminated: () => boolean
}

export function makeFakeWorker(): FakeWorker {
  const { port1, port2 } = new MessageChannel()
  const outside = new EventTarget()
  port1.addEventListener('message', (event) => outside.dispatchEvent(new MessageEvent('message', { data: event.data as unknown })))
  port1.start()
  let isTerminated = false
  const worker: WorkerLike = {
    postMessage: (message, transfer) => {
      port1.postMessage(message, transfer ?? [])
    },
    addEventListener: outside.addEventListener.bind(outside),
    removeEventListener: outside.removeEventListener.bind(outside),
    terminate: () => {
      isTerminated = true
      port1.close()
      port2.close()
    },
  }
  return {
    worker,
    listen: (api) => {
      exposeWorker(api, port2)
    },
    say: (message) => {
      port2.postMessage(message)
    },
    crash: (message) =>
      outside.dispatchEvent(Object.assign(new Event('error', { cancelable: true }), { message, filename: 'x.js', lineno: 3 })),
    isTerminated: () => isTerminated,
  }
}
