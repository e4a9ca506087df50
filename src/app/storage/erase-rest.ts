/** What this browser keeps beside the run worker's storage: the app for use without a network, and drafts of this tab. */
import { removeOffline } from './offline-files.ts'

/** Deletes it. What is left is the look and the language that were chosen. */
export async function eraseRest(): Promise<void> {
  await removeOffline()
  forgetDrafts()
}

/** Task files that were being written, and shared results that were run again. */
function forgetDrafts(): void {
  try {
    for (const name of Object.keys(sessionStorage)) if (name.startsWith('yardstick')) sessionStorage.removeItem(name)
  } catch {
    // The browser's settings forbid it: then nothing was kept there.
  }
}
