/** How long a batch may take before the model worker counts as hung. */
const leastMs = 60_000
/** Before anything was measured: one token a second, slower than any machine on which a run would end. */
const unmeasuredMsPerToken = 1_000
const slack = 20

interface BatchDeadline {
  /** Calls `work` on so many tokens with its deadline in milliseconds, and learns from how long it took. */
  within<T>(tokens: number, work: (milliseconds: number) => Promise<T>): Promise<T>
}

/**
 * Deadlines of one opened model: a minute, and twenty times what its slowest batch so far took for a token. A run on WASM blocks its worker,
 * so no heartbeat can tell a long one from an endless loop; only the time that such work has taken before can.
 */
export function batchDeadline(now: () => number): BatchDeadline {
  let slowestMsPerToken: number | null = null
  return {
    async within(tokens, work) {
      const start = now()
      const answers = await work(leastMs + tokens * (slowestMsPerToken === null ? unmeasuredMsPerToken : slack * slowestMsPerToken))
      if (tokens > 0) slowestMsPerToken = Math.max(slowestMsPerToken ?? 0, (now() - start) / tokens)
      return answers
    },
  }
}
