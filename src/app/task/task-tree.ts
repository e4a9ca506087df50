/** The task list as rows: groups first, folded up, so that hundreds of tasks can be looked through. */
import type { TaskListing } from '../../contracts/listings.ts'

interface TaskRow {
  /** Unique within the list: the names from the top down, since a task can be in several groups. */
  readonly key: string
  readonly listing: TaskListing
  /** 0 at the top. */
  readonly depth: number
  readonly isExpanded: boolean
  /** The chosen group or tag above, which asks for this one already; null when there is none. */
  readonly coveredBy: string | null
}

export interface TaskView {
  readonly search: string
  /** Keys of the rows that are unfolded. */
  readonly expanded: ReadonlySet<string>
  readonly chosen: readonly string[]
}

/** Tags this long fold their tasks up, as groups do. Short ones name tasks that people look for by name. */
const longTag = 10
const order = { group: 0, tag: 1, task: 2 } as const

/**
 * The rows to show. Without a search: groups and tags that no other group holds, with the members of unfolded ones below them, then
 * every task that none of them hides. With a search: whatever has all its words in the name or output type, without folding.
 */
export function taskRows(tasks: readonly TaskListing[], { search, expanded, chosen }: TaskView): TaskRow[] {
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const isChosen = new Set(chosen)
  const rows: TaskRow[] = []
  const add = (listing: TaskListing, above: readonly string[], coveredBy: string | null): void => {
    const key = [...above, listing.name].join('/')
    const isExpanded = expanded.has(key)
    rows.push({ key, listing, depth: above.length, isExpanded, coveredBy })
    if (!isExpanded) return
    for (const name of listing.members) {
      const member = byName.get(name)
      // A group that holds itself is the task engine's to refuse; here it just isn't unfolded again.
      if (member === undefined || name === listing.name || above.includes(name)) continue
      add(member, [...above, listing.name], isChosen.has(listing.name) ? listing.name : coveredBy)
    }
  }
  const words = search.trim().toLowerCase().split(/\s+/)
  const top =
    search.trim() === ''
      ? withoutHidden(tasks)
      : tasks.filter((task) => words.every((word) => `${task.name} ${task.outputType ?? ''}`.toLowerCase().includes(word)))
  for (const task of [...top].sort(compare)) add(task, [], null)
  return rows
}

function withoutHidden(tasks: readonly TaskListing[]): TaskListing[] {
  const hidden = new Set(
    tasks
      .filter((task) => task.kind === 'group' || (task.kind === 'tag' && task.members.length > longTag))
      .flatMap((task) => task.members.filter((name) => name !== task.name)),
  )
  return tasks.filter((task) => !hidden.has(task.name))
}

function compare(a: TaskListing, b: TaskListing): number {
  return order[a.kind] - order[b.kind] || (a.name < b.name ? -1 : 1)
}
