/** The runs that were opened from files in this tab: in memory only, apart from the runs that were made here. */
import type { RunClient } from '../run-client.ts'
import { openFiles } from './open-files.ts'
import type { OpenedRun } from './opened-run.ts'
import type { NamedFile } from './read-lines.ts'

class OpenedRuns {
  /** The latest first. */
  list: readonly OpenedRun[] = $state.raw([])
  isReading = $state.raw(false)
  #next = 0

  /** Opens files and gives the runs in them. Throws `results/invalid` and keeps none of them then. */
  async open(files: readonly NamedFile[]): Promise<readonly OpenedRun[]> {
    this.isReading = true
    try {
      const runs = await openFiles(files, () => `opened-${(this.#next += 1)}`)
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
