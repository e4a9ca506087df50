/** The history: stored runs, newest first, and the main score of those that have one. */
import { toEvalError, type EvalError } from '../../base/errors.ts'
import type { ResultsRow } from '../../contracts/results.ts'
import type { RunRow, RunStatus } from '../../contracts/runs.ts'
import type { RunClient } from '../run-client.ts'
import { mainRow } from './samples.ts'

export class RunsList {
  state: 'none' | 'loading' | 'ready' | 'failed' = $state.raw('none')
  rows: readonly RunRow[] = $state.raw([])
  error: EvalError | null = $state.raw(null)
  /** Main score by run id; null for a run without results. */
  scores: { readonly [runId: string]: ResultsRow | null } = $state.raw({})
  /** Runs that some tab is working on, by the locks that it holds. */
  #held: readonly string[] = $state.raw([])
  readonly #client: RunClient

  constructor(client: RunClient) {
    this.#client = client
  }

  async load(): Promise<void> {
    if (this.state !== 'ready') this.state = 'loading'
    try {
      const rows = await this.#client.listRuns()
      this.#held = await heldRuns(rows)
      this.rows = rows
      this.error = null
      this.state = 'ready'
    } catch (error) {
      this.error = toEvalError(error)
      this.state = 'failed'
    }
  }

  /** Fetches main scores one after the other; a run whose results can't be read simply shows none here. */
  async loadScores(): Promise<void> {
    for (const { runId, status } of this.rows) {
      if (status !== 'complete' || runId in this.scores) continue
      const row = await this.#client.loadResults(runId).then(
        (summary) => (summary === null ? null : mainRow(summary.table)),
        () => null,
      )
      this.scores = { ...this.scores, [runId]: row }
    }
  }

  find(runId: string): RunRow | null {
    return this.rows.find((row) => row.runId === runId) ?? null
  }

  /** The stored status, but "interrupted" for a run that says "running" while nobody works on it: its tab was closed or died. */
  statusOf(row: RunRow): RunStatus {
    return row.status === 'running' && !this.#held.includes(row.runId) ? 'interrupted' : row.status
  }

  async remove(runId: string): Promise<void> {
    await this.#client.deleteRun(runId)
    this.rows = this.rows.filter((row) => row.runId !== runId)
  }

  async eraseAll(): Promise<void> {
    await this.#client.eraseAll()
    this.rows = []
    this.scores = {}
  }
}

/** Whether some tab works on the run. */
export async function isWorkedOn(runId: string): Promise<boolean> {
  return (await heldAmong([runId])).length > 0
}

/** Writers hold a Web Lock whose name contains the run's id. Without the Locks API nothing can be told, and "running" is believed. */
async function heldRuns(rows: readonly RunRow[]): Promise<readonly string[]> {
  return heldAmong(rows.filter((row) => row.status === 'running').map((row) => row.runId))
}

async function heldAmong(ids: readonly string[]): Promise<readonly string[]> {
  // The type says `locks` is always there; insecure contexts lack it.
  const locks = typeof navigator === 'undefined' ? undefined : (navigator.locks as LockManager | undefined)
  if (locks === undefined || ids.length === 0) return ids
  const { held = [] } = await locks.query()
  return ids.filter((id) => held.some((lock) => lock.name?.includes(id) === true))
}
