/** A thread of the fuzzer: runs the cases that it is told to, and tells which one it is at in shared memory. */
import { parentPort, workerData } from 'node:worker_threads'
import { prepare, type TargetName } from './targets.ts'

/** What a thread is started with. */
export interface WorkerTask {
  readonly seed: string
  /** Cases in their order. */
  readonly cases: readonly { readonly target: TargetName; readonly index: number }[]
  /** Position of the first of them to run. */
  readonly from: number
  /** [0] position of the case that runs, [1] its start in milliseconds of the clock (lower 31 bits), [2] cases read so far. */
  readonly shared: Int32Array
}

/** What a thread tells. */
export type WorkerMessage = { readonly type: 'failure'; readonly position: number; readonly what: string } | { readonly type: 'done' }

/** Memory beyond the heap, which no limit of the thread covers. */
const maxBufferBytes = 512 * 2 ** 20

const { seed, cases, from, shared } = workerData as WorkerTask // Made by fuzz.ts.

function tell(message: WorkerMessage): void {
  parentPort?.postMessage(message)
}

process.on('unhandledRejection', (error) => {
  tell({ type: 'failure', position: shared[0] ?? 0, what: `a rejection that nobody handles: ${String(error)}` })
})

for (let position = from; position < cases.length; position++) {
  const one = cases[position]
  if (one === undefined) break
  Atomics.store(shared, 0, position)
  const input = await prepare(seed, one.target, one.index)
  Atomics.store(shared, 1, Date.now() & 0x7fffffff)
  const before = process.memoryUsage().arrayBuffers
  const { failure, wasRead } = await input.run()
  if (wasRead) Atomics.add(shared, 2, 1)
  if (failure !== null) tell({ type: 'failure', position, what: failure })
  const grown = process.memoryUsage().arrayBuffers - before
  if (grown > maxBufferBytes) tell({ type: 'failure', position, what: `took ${Math.round(grown / 2 ** 20)} MiB of buffers` })
}
tell({ type: 'done' })
