/** A long computation on the page, in slices between which it answers its reader. */
import type { Steps } from '../../analysis/compare/series/steps.ts'

/** A slice ends after so long, when its last step does: well below the 50 ms from which readers notice. */
const sliceMs = 10

/** Runs steps to their end with pauses; gives up with null once `isWanted` says no. */
export async function runInSlices<Result>(steps: Steps<Result>, isWanted: () => boolean): Promise<Result | null> {
  for (;;) {
    const until = performance.now() + sliceMs
    while (performance.now() < until) {
      const next = steps.next()
      if (next.done === true) return next.value
    }
    await pause()
    if (!isWanted()) return null
  }
}

/** Lets everything that waits have its turn. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0))
}
