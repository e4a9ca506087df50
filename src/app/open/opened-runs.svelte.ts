/** The runs that were opened from files in this tab: in memory only, apart from the runs that were made here. */
import { startWorker } from '../../rpc/start-worker.ts'
import type { RunClient } from '../run-client.ts'
import { openInWorker, type OpenWorkerApi } from './open-worker.ts'
import openWorkerUrl from './open.worker.ts?worker&url'
import type { OpenedRun } from './opened-run.ts'
import type { NamedFile } from './read-lines.ts'

class OpenedRuns {
  /** The latest first. */
  list: readonly OpenedRun[] = $state.raw([])
  isReading = $state.raw(false)
  #next = 1

  /** Opens files and gives the runs in them. Throws as `openInWorker`, and keeps none of them then. */
  async open(files: readonly NamedFile[]): Promise<readonly OpenedRun[]> {
    this.isReading = true
    try {
      const address = new URL(openWorkerUrl, document.baseURI).href
      const first = this.#next
      // Each file is a run at most, or two where a name is used up; another reading may begin meanwhile.
      this.#next += 2 * files.length + 1
      const runs = await openInWorker(files, first, () => startWorker<OpenWorkerApi>(address, { name: 'open', lockdown: true }))
      this.list = [...runs, ...this.list]
      return runs
    } finally {
      this.isReading = false
    }
  }

  find(id: string | undefined): OpenedRun | null {
    return this.list.find((run) => run.id === id) ?? null
  }

  close(id: string): void {
    this.list = this.list.filter((run) => run.id !== id)
  }
}

/** One list for the tab: it outlives the page that shows it, and this file is loaded with that page. */
export const openedRuns = new OpenedRuns()

/** The results of an opened run in the form that a stored run's come in. */
export function resultsOf(run: OpenedRun): Pick<RunClient, 'loadResults'> {
  return { loadResults: () => Promise.resolve(run.summary) }
}
