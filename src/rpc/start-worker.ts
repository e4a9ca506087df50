/** Starting workers, from the page or from another worker. */
import { bootstrapSource } from './bootstrap.ts'
import { connectWorker, type WorkerHandle } from './handle.ts'

interface StartOptions {
  /** Short name for messages and developer tools: "text", "model", "run". */
  readonly name: string
  /** Take network, storage, devices and nested workers away before the worker's file loads; see `bootstrap.ts`. */
  readonly lockdown?: boolean
}

/**
 * Starts the module worker at `address` (absolute, or relative to the built files) and gives its handle at once; calls wait until it
 * listens. The worker starts from a `blob:` module, because one started by address has only the policy of its own response headers: from
 * a `blob:` it inherits the page's, `<meta>` included. A worker that can't start makes every call reject with `worker/died`.
 */
export function startWorker<Api extends object>(address: string, { name, lockdown = false }: StartOptions): WorkerHandle<Api> {
  // Inside a worker `location` is the blob's address, against which nothing resolves.
  const moduleAddress: string = import.meta.url
  const absolute = new URL(address, moduleAddress).href
  const blob = URL.createObjectURL(new Blob([bootstrapSource(absolute, lockdown)], { type: 'text/javascript' }))
  const worker = new Worker(blob, { type: 'module', name })
  return connectWorker<Api>(worker, name, () => {
    URL.revokeObjectURL(blob)
  })
}
