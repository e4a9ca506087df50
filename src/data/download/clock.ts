/** Time and chance, as the download layer uses them: tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after so many milliseconds; rejects with the signal's reason when it fires before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Calls `run` after so many milliseconds of silence, unless the function that it gives is called before. Time in which the machine slept or the
   * browser froze the page doesn't count: what is waited for stood still as well.
   */
  alarm(ms: number, run: () => void): () => void
  /** At least 0, less than 1. */
  random(): number
}

/** A timer that comes later than by this (and by half its time) was held up: the thread wasn't awake. */
const latestMs = 5_000

/** The machine's own. */
export const realClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer)
        // The reason is whatever the one who stops us gave, an error by convention.
        reject(signal?.reason as Error)
      }
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', stop)
        resolve()
      }, ms)
      if (signal?.aborted === true) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    }),
  alarm: (ms, run) => {
    let timer: ReturnType<typeof setTimeout>
    const schedule = (): void => {
      const due = performance.now() + ms
      timer = setTimeout(() => {
        if (performance.now() - due > Math.max(latestMs, ms / 2)) schedule()
        else run()
      }, ms)
    }
    schedule()
    return () => {
      clearTimeout(timer)
    }
  },
  random: () => Math.random(),
}
