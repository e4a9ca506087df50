/** Saved runs dropped on a page that has no place of its own for files: they are opened from wherever the reader is. */
import type { AppState } from '../app-state.svelte.ts'
import { formatHash } from '../router.svelte.ts'

/**
 * Takes files that nothing else on the page takes, opens the runs in them and shows them: the run where it is one, else the list. A file that is no
 * run is told as a notice.
 */
export function listenForDrops({ router, notices }: Pick<AppState, 'router' | 'notices'>): void {
  const isFree = (event: DragEvent): boolean =>
    // These pages are such a place as a whole.
    !event.defaultPrevented && !['open', 'task'].includes(router.route.page) && event.dataTransfer?.types.includes('Files') === true
  const over = (event: DragEvent): void => {
    if (isFree(event)) event.preventDefault()
  }
  const drop = (event: DragEvent): void => {
    if (!isFree(event)) return
    event.preventDefault()
    // The list is empty after the event.
    const files = [...(event.dataTransfer?.files ?? [])]
    open(files).then(
      (hash) => router.go(hash),
      (error: unknown) => notices.report(error),
    )
  }
  addEventListener('dragover', over)
  addEventListener('drop', drop)
}

async function open(files: readonly File[]): Promise<string> {
  const { openedRuns } = await import('./opened-runs.svelte.ts')
  const [first, ...others] = await openedRuns.open(files.map((file) => ({ name: file.name, file })))
  return formatHash('/open', first !== undefined && others.length === 0 ? { run: first.id } : {})
}
