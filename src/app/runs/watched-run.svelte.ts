/** A run that another tab works on, as this one follows it: read-only, from that tab's news. */
import type { RunRow } from '../../contracts/runs.ts'
import type { RunClient } from '../run-client.ts'
import { LiveRun } from './live-run.svelte.ts'
import { isWorkedOn } from './runs-list.svelte.ts'

/** How often it is looked whether the other tab is still there, in milliseconds: a tab that dies tells nothing. */
const lookEveryMs = 2_000

export class WatchedRun {
  readonly run: LiveRun
  readonly #client: RunClient
  readonly #runId: string

  constructor(client: RunClient, row: RunRow, now: () => number) {
    this.#client = client
    this.#runId = row.runId
    this.run = LiveRun.ofRow(row, now)
  }

  /** Follows until the function that it gives is called. `onEnd` is called when the run has ended or nobody works on it any more. */
  follow(onEnd: () => void): () => void {
    const stopListening = this.#client.listen(this.#runId, (event) => {
      if (event.type === 'done') onEnd()
      else this.run.receive(event)
    })
    const look = async (): Promise<void> => {
      if (!(await isWorkedOn(this.#runId))) onEnd()
    }
    const timer = setInterval(() => {
      look().catch(onEnd)
    }, lookEveryMs)
    return () => {
      stopListening()
      clearInterval(timer)
    }
  }
}
