/** Tokens a second of one text that is being written. */

export interface TokenRate {
  /** From now on tokens are written: the prompt was read. */
  begin(): void
  /** Tokens a second since then, given how many there are now; null before any time has passed. */
  perSecond(tokens: number): number | null
}

/** `clock` gives milliseconds. */
export function tokenRate(clock: () => number): TokenRate {
  let sinceMs: number | null = null
  return {
    begin() {
      sinceMs = clock()
    },
    perSecond(tokens) {
      const ms = sinceMs === null ? 0 : clock() - sinceMs
      return ms > 0 && tokens > 0 ? (tokens * 1000) / ms : null
    },
  }
}
