/** A stored run's results, as the results part of the run page shows them. Its samples are the viewer's (`app/viewer`). */
import { toEvalError, type EvalError } from '../../base/errors.ts'
import type { RunClient } from '../run-client.ts'
import type { RunSummary } from '../../contracts/results.ts'

export class RunResultsView {
  readonly runId: string
  state: 'loading' | 'ready' | 'none' | 'failed' = $state.raw('loading')
  summary: RunSummary | null = $state.raw(null)
  error: EvalError | null = $state.raw(null)
  /** Tasks that have a sample file, in the order of the results file. */
  tasks: readonly string[] = $derived(tasksOf(this.summary))
  readonly #client: RunClient

  constructor(client: RunClient, runId: string) {
    this.#client = client
    this.runId = runId
  }

  async load(): Promise<void> {
    // Results that are shown stay while they are read anew.
    if (this.summary === null) this.state = 'loading'
    try {
      this.summary = await this.#client.loadResults(this.runId)
      this.state = this.summary === null ? 'none' : 'ready'
    } catch (error) {
      this.error = toEvalError(error)
      this.state = 'failed'
    }
  }
}

function tasksOf(summary: RunSummary | null): readonly string[] {
  const counted = summary?.resultsFile['n-samples']
  if (typeof counted === 'object' && counted !== null && !Array.isArray(counted)) return Object.keys(counted)
  return [...new Set(summary?.table.tasks.map((row) => row.task) ?? [])]
}
