/** Deadlines that count only the time in which this thread was awake. */

/** Where time and timers come from; tests bring others. */
export interface Timers {
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly set: (run: () => void, milliseconds: number) => unknown
  readonly clear: (timer: unknown) => void
}

const realTimers: Timers = {
  now: () => performance.now(),
  set: (run, milliseconds) => setTimeout(run, milliseconds),
  clear: (timer) => {
    clearTimeout(timer as number) // Only ever what `set` gave.
  },
}

const longestTickMs = 1_000
const ticksPerDeadline = 8

/**
 * Calls `onMissed` once `milliseconds` of waking time have passed; gives a function that calls it off.
 *
 * The time is counted in ticks. A tick that comes much too late means that the browser was frozen, the machine slept or the process was
 * stopped: whoever is waited for stood still as well, so such a gap counts as two ticks at most.
 */
export function startDeadline(milliseconds: number, onMissed: () => void, timers: Timers = realTimers): () => void {
  const tickMs = Math.min(longestTickMs, milliseconds / ticksPerDeadline)
  let awakeMs = 0
  let last = timers.now()
  let timer: unknown
  const wait = (): void => {
    timer = timers.set(tick, Math.min(tickMs, milliseconds - awakeMs))
  }
  const tick = (): void => {
    const now = timers.now()
    // A timer may be early by a fraction; it must count as something, or the last tick would never end.
    awakeMs += Math.min(Math.max(now - last, 1), 2 * tickMs)
    last = now
    if (awakeMs >= milliseconds) onMissed()
    else wait()
  }
  wait()
  return () => {
    timers.clear(timer)
  }
}

/** Waits `milliseconds`, or rejects with the signal's reason as soon as it is aborted. */
export function sleep(milliseconds: number, signal: AbortSignal, timers: Timers = realTimers): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (): void => {
      timers.clear(timer)
      reject(signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)))
    }
    const timer = timers.set(() => {
      signal.removeEventListener('abort', fail)
      resolve()
    }, milliseconds)
    if (signal.aborted) fail()
    else signal.addEventListener('abort', fail, { once: true })
  })
}
