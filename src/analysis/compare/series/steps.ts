/** Long computations that stop now and then, so that a page can answer its reader in between. */

/** Yields where it may be left for a while, and returns what it computed. */
export type Steps<Result> = Generator<void, Result>

/** Runs all steps at once. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const next = steps.next()
    if (next.done === true) return next.value
  }
}
