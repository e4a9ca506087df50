/** What the run worker offers to the page, put together of its parts: a flat object, since calls cross to it by name. */
import type { RunWorkerApi } from '../../rpc/run-worker-api.ts'
import { RunInputs } from '../inputs/run-inputs.ts'
import { serveInputs } from './inputs.ts'
import { KeptStore } from './kept-store.ts'
import { serveQueue } from './queue.ts'
import { Runner } from './runner.ts'
import { serveRuns } from './runs.ts'
import { serveSamples } from './samples.ts'
import type { ServiceOptions } from './service-options.ts'
import { serveStorage } from './storage.ts'
import { serveTasks } from './tasks.ts'

export function createRunService(options: ServiceOptions): RunWorkerApi {
  const kept: KeptStore = new KeptStore(
    (hooks) => options.openStore(hooks),
    () => runner.idle,
  )
  const inputs = new RunInputs(options, () => kept.open())
  const runner: Runner = new Runner(options, inputs, kept)
  return {
    ...serveRuns(runner, inputs, kept),
    ...serveQueue(runner, kept),
    ...serveInputs(options, inputs),
    ...serveTasks(options, inputs),
    ...serveSamples(kept),
    ...serveStorage(inputs, kept),
  }
}
