/** Names of the registry, for lists. */
import type { OutputType } from './requests.ts'

export interface TaskListing {
  readonly name: string
  /** Whose file it is: `bundled` for ours, `given` for the user's. */
  readonly root: string
  readonly kind: 'task' | 'group' | 'tag'
  readonly outputType: OutputType | null
  readonly file: string
  readonly members: readonly string[]
  /** Files that the task's own text names under `data_files` for a local loader. Empty for groups and tags. */
  readonly dataFiles: readonly string[]
}
