/** The queue of runs, for the page. */
import { checkSettings } from '../../rpc/checks.ts'
import type { QueueApi } from '../../rpc/run-worker-api.ts'
import type { KeptStore } from './kept-store.ts'
import { RunQueue } from './run-queue.ts'
import type { Runner } from './runner.ts'

export function serveQueue(runner: Runner, kept: KeptStore): QueueApi {
  const queue = new RunQueue({
    openStore: () => kept.open(),
    start: async (settings, runId, onEvent) =>
      runner.run({ settings: checkSettings(settings), resumeOf: null, excluded: [], runId }, onEvent, false),
    resume: (row, onEvent) => runner.run({ settings: row.manifest.settings, resumeOf: row, excluded: [] }, onEvent, false),
    newRunId: () => crypto.randomUUID(),
  })
  return {
    readQueue: () => queue.read(),
    addToQueue: async (settings) => queue.add(settings.map(checkSettings)),
    dropFromQueue: (places) => queue.drop(places),
    takeQueue: () => queue.take(),
    leaveQueue: async () => queue.leave(),
    runQueued: (place, onEvent) => queue.run(place, onEvent),
  }
}
