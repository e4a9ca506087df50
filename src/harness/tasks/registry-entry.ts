import type { TaskListing } from '../../contracts/listings.ts'

/** One name of the registry. */
export interface RegistryEntry {
  readonly name: string
  readonly kind: 'task' | 'group' | 'tag'
  readonly root: string
  /** Empty for a tag. */
  readonly file: string
  /** Tasks that carry this name as a tag. */
  readonly tagged: ReadonlySet<string>
  /** How the name is listed, when that is known without reading its file. */
  readonly listing: TaskListing | null
}
