/** Which data files on this machine some tasks need. */
import { append } from '../../base/arrays.ts'
import type { TaskListing } from '../../contracts/listings.ts'

/** The files that the named tasks read, members of groups and tags included; each once, in order of their paths. */
export function neededFiles(names: readonly string[], tasks: readonly TaskListing[]): readonly string[] {
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const seen = new Set<string>()
  const waiting = [...names]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    append(waiting, byName.get(name)?.members ?? [])
  }
  return [...new Set([...seen].flatMap((name) => byName.get(name)?.dataFiles ?? []))].sort()
}
