/** Trying again: which failures are worth it, how long to wait, and telling about it while waiting. */
import { EvalError, isEvalError } from '../../base/errors.ts'
import type { RunEvent } from '../../contracts/progress.ts'
import type { Clock } from './clock.ts'

/** What a download tells beside its bytes: events of a run as they are. */
export type DownloadNotice = Extract<RunEvent, { readonly type: 'waiting' | 'warning' }>

export type Notify = (notice: DownloadNotice) => void

/** Tries in a row without a byte gained, after which a download is given up. */
const maxTries = 8

/** A Hub that asks for a longer wait than this is asked again by the user, not by us. */
const longestWaitSeconds = 15 * 60

/** Waits, and counts the seconds down: one countdown at a time, however many requests wait. */
export interface Waiter {
  /** Waits; `message` says what for. */
  wait(seconds: number, message: string, signal?: AbortSignal): Promise<void>
  /** Waits while `host` has asked everybody to. */
  pass(host: string, signal?: AbortSignal): Promise<void>
  /** `host` wants no request of ours for so many seconds. */
  close(host: string, seconds: number): void
}

export function createWaiter(clock: Clock, notify: Notify): Waiter {
  const closedUntil = new Map<string, number>()
  let isCounting = false

  const waitUntil = async (until: () => number, message: string, signal?: AbortSignal): Promise<void> => {
    let isTeller = false
    try {
      for (let left = until() - clock.now(); left > 0; left = until() - clock.now()) {
        // A wait of less than a second is nothing that anybody could read.
        if (!isCounting && left >= 1000) isTeller = isCounting = true
        if (isTeller) notify({ type: 'waiting', what: 'network', message, seconds: Math.ceil(left / 1000) })
        await clock.sleep(Math.min(left, 1000), signal)
      }
    } finally {
      if (isTeller) isCounting = false
    }
  }
  return {
    wait: (seconds, message, signal) => {
      const end = clock.now() + seconds * 1000
      return waitUntil(() => end, message, signal)
    },
    pass: (host, signal) => waitUntil(() => closedUntil.get(host) ?? 0, `${host} asks for a pause between requests.`, signal),
    close: (host, seconds) => {
      closedUntil.set(host, Math.max(closedUntil.get(host) ?? 0, clock.now() + seconds * 1000))
    },
  }
}

interface PatienceOptions {
  readonly clock: Clock
  readonly waiter: Waiter
  readonly host: string
  readonly signal?: AbortSignal | undefined
  /** Tries in a row without progress. */
  readonly tries?: number
  /** Bytes gained so far; a failure after which there are more than before is the first of a new row. */
  readonly gained?: () => number
}

/**
 * Runs `attempt` until it succeeds. `hub/rate-limited` and `hub/unreachable` are tried again: after exactly the time that the host asked
 * for, else after 0.5 s, 1 s, 2 s … 30 s, each shortened by up to half at random. Any other error goes through at once.
 */
export async function withRetries<T>(attempt: () => Promise<T>, options: PatienceOptions): Promise<T> {
  const { clock, waiter, host, signal, tries = maxTries, gained = () => 0 } = options
  let failures = 0
  for (;;) {
    await waiter.pass(host, signal).catch((error: unknown) => {
      throw stopped(error)
    })
    const before = gained()
    try {
      return await attempt()
    } catch (error) {
      if (!isEvalError(error) || (error.code !== 'hub/rate-limited' && error.code !== 'hub/unreachable')) throw error
      failures = gained() > before ? 1 : failures + 1
      const asked = error.details['retryAfterSeconds']
      const seconds = typeof asked === 'number' ? asked : null
      if (failures >= tries || (seconds ?? 0) > longestWaitSeconds || error.details['isFinal'] === true) throw error
      try {
        if (seconds !== null) waiter.close(host, seconds)
        else await waiter.wait(backoffSeconds(failures, clock.random()), error.message, signal)
      } catch (reason) {
        throw stopped(reason)
      }
    }
  }
}

/** Seconds before try `failures` + 1. */
function backoffSeconds(failures: number, random: number): number {
  return Math.min(30, 0.5 * 2 ** (failures - 1)) * (0.5 + random / 2)
}

function stopped(error: unknown): EvalError {
  return isEvalError(error) ? error : new EvalError('run/stopped', 'Stopped while waiting for a download.', { cause: error })
}
