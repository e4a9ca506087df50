/** News of runs from the tab that works on them to all others of this origin. */
import type { RunEvent } from '../contracts/progress.ts'

const channelName = 'yardstick-runs'

/** Events that a tab can show which came late; `started` (large) and `bytes` (many) it has no use for. */
const told: readonly RunEvent['type'][] = ['phase', 'engine', 'progress', 'generating', 'warning', 'waiting', 'done']

/** A teller of news; tells nobody where the browser has no BroadcastChannel. */
export function openRunChannel(): (runId: string, event: RunEvent) => void {
  const channel = typeof BroadcastChannel === 'undefined' ? null : new BroadcastChannel(channelName)
  return (runId, event) => {
    if (runId !== '' && told.includes(event.type)) channel?.postMessage({ runId, event })
  }
}

/** Calls `onEvent` with the news of one run until the function that it gives is called. What isn't such an event is left aside. */
export function listenToRun(runId: string, onEvent: (event: RunEvent) => void): () => void {
  if (typeof BroadcastChannel === 'undefined') return () => undefined
  const channel = new BroadcastChannel(channelName)
  // Loaded when first needed: only a tab that follows another one checks its words.
  const checks = import('./checks.ts')
  channel.onmessage = ({ data }: MessageEvent<unknown>) => {
    if (typeof data !== 'object' || data === null || !('runId' in data) || !('event' in data) || data.runId !== runId) return
    const { event } = data
    checks
      .then(({ check, runEventSchema }) => {
        onEvent(check(runEventSchema, event, 'News of a run'))
      })
      .catch(() => undefined)
  }
  return () => {
    channel.close()
  }
}
