/** Time and chance, as the download layer uses them: tests bring their own. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
  /** Resolves after so many milliseconds; rejects with the signal's reason when it fires before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /** Calls `run` after so many milliseconds of silence, unless the function that it gives is called before. */
  alarm(ms: number, run: () => void): () => void
  /** At least 0, less than 1. */
  random(): number
}

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
    const timer = setTimeout(run, ms)
    return () => {
      clearTimeout(timer)
    }
  },
  random: () => Math.random(),
}
