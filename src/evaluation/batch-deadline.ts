/** How long a batch may take before the model worker counts as hung. */
import type { ForwardAnswer, ForwardItem } from '../core/types.ts'

const leastMs = 60_000
/** Before anything was measured: one token a second, slower than any machine on which a run would end. */
const unmeasuredMsPerToken = 1_000
const slack = 20

export interface BatchDeadline {
  /** Calls `score` with the batch's deadline in milliseconds and learns from how long it took. */
  within(
    items: readonly ForwardItem[],
    score: (milliseconds: number) => Promise<readonly ForwardAnswer[]>,
  ): Promise<readonly ForwardAnswer[]>
}

/**
 * Deadlines of one opened model: a minute, and twenty times what its slowest batch so far took for a token. A run on WASM blocks its worker,
 * so no heartbeat can tell a long one from an endless loop; only the time that such work has taken before can.
 */
export function batchDeadline(now: () => number): BatchDeadline {
  let slowestMsPerToken: number | null = null
  return {
    async within(items, score) {
      const tokens = items.reduce((sum, { input }) => sum + input.length, 0)
      const start = now()
      const answers = await score(leastMs + tokens * (slowestMsPerToken === null ? unmeasuredMsPerToken : slack * slowestMsPerToken))
      if (tokens > 0) slowestMsPerToken = Math.max(slowestMsPerToken ?? 0, (now() - start) / tokens)
      return answers
    },
  }
}
