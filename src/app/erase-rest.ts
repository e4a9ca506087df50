/** What this browser keeps beside the run worker's storage: the app for use without a network, drafts of this tab; and lists that are shown of it. */
import type { AppState } from './app-state.svelte.ts'
import { removeOffline } from './offline-files.ts'
import { queueOf } from './queue/run-queue.svelte.ts'

/** Deletes it, and reads the queue anew, which is empty now. What is left is the look and the language that were chosen. */
export async function eraseRest(app: AppState): Promise<void> {
  await removeOffline()
  forgetDrafts()
  await queueOf(app).load()
}

/** Task files that were being written, and shared results that were run again. */
function forgetDrafts(): void {
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith('yardstick')) sessionStorage.removeItem(name)
  } catch {
    // The browser's settings forbid it: then nothing was kept there.
  }
}
