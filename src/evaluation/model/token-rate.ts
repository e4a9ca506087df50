/** Tokens a second: of one text that is being written, and of a whole run. */
import type { PassTimes, RunSpeed, TokenCount } from '../../contracts/yardstick-results.ts'

interface TokenRate {
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

/** What the model was asked for in this session, and how long it took. */
export class SpeedMeter {
  #scored: TokenCount | null = null
  #written: TokenCount | null = null
  #times: PassTimes | null = null

  /** So many tokens were computed for log-likelihoods. */
  scored(tokens: number, milliseconds: number): void {
    this.#scored = plus(this.#scored, tokens, milliseconds)
  }

  /** So many tokens of texts were written after their prompts were read. */
  written(tokens: number, milliseconds: number): void {
    this.#written = plus(this.#written, tokens, milliseconds)
  }

  /** Where the session's time went, once it has ended. */
  spent(times: PassTimes): void {
    this.#times = times
  }

  /** Null when the model was asked for nothing. */
  read(): RunSpeed | null {
    if (this.#scored === null && this.#written === null) return null
    return { scored: this.#scored, written: this.#written, ...(this.#times === null ? {} : { times: this.#times }) }
  }
}

function plus(before: TokenCount | null, tokens: number, milliseconds: number): TokenCount {
  return { tokens: (before?.tokens ?? 0) + tokens, seconds: (before?.seconds ?? 0) + milliseconds / 1000 }
}
