/** Data files that a chosen task needs and that are in no place where they are looked for. */
import { posix } from 'node:path'
import { append } from '../../base/arrays.ts'
import { isEvalError } from '../../base/errors.ts'
import { makeNameMatcher } from '../../base/name-match.ts'
import type { TaskListing } from '../../contracts/listings.ts'
import type { Session } from '../browser/session.ts'
import type { LocalInputs } from '../commands/settings.ts'
import { describeMissing, includeOf, type MissingFile } from './task-folder.ts'

/** Throws when one of the chosen tasks, or what it includes, names a data file that is nowhere. Other tasks' files don't matter. */
export async function checkDataFiles(session: Session, wanted: readonly string[], { taskFiles, missing }: LocalInputs): Promise<void> {
  if (missing.length === 0) return
  const { tasks } = await session.call('listTasks', taskFiles)
  const files = withIncludes(filesOfTasks(wanted, tasks), new Map(taskFiles.map(({ path, text }) => [path, text])))
  const needed = missing.find(({ taskFile }) => files.has(taskFile))
  if (needed !== undefined) throw new Error(describeMissing(needed))
}

/** The files of the named tasks, groups and tags, members included; names may be globs. */
function filesOfTasks(wanted: readonly string[], tasks: readonly TaskListing[]): string[] {
  const seen = new Set<string>()
  const matchers = wanted.map(makeNameMatcher)
  const waiting = tasks.filter(({ name }) => matchers.some((matches) => matches(name))).map(({ name }) => name)
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    append(
      waiting,
      tasks.filter((task) => task.name === name).flatMap(({ members }) => members),
    )
  }
  return tasks.filter(({ name }) => seen.has(name)).map(({ file }) => file)
}

function withIncludes(files: readonly string[], texts: ReadonlyMap<string, string>): Set<string> {
  const all = new Set<string>()
  const waiting = [...files]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const text = texts.get(file)
    if (all.has(file) || text === undefined) continue
    all.add(file)
    const include = includeOf({ path: file, text })
    if (include !== null) waiting.push(posix.join(posix.dirname(file), include))
  }
  return all
}

/** The error itself, or the one that says where the data file that it is about was looked for. */
export function explainMissing(error: unknown, missing: readonly MissingFile[]): unknown {
  if (!isEvalError(error)) return error
  const about = missing.find(({ path }) => error.message.includes(path) || JSON.stringify(error.details).includes(JSON.stringify(path)))
  return about === undefined ? error : new Error(describeMissing(about), { cause: error })
}
