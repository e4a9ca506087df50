/** The bundled task files as one file: their texts, and what they define. */
import { readTaskFolder } from '../../src/cli/files/task-folder.ts'
import { buildRegistry } from '../../src/harness/tasks/registry.ts'
import { bundledRoot, type TaskPack } from '../../src/harness/tasks/task-files.ts'

/** Where the pack lies in the built app. */
export const taskPackFile = 'tasks/pack.json'

/** Packs a folder of task files. Throws for one that can't be read: a build must not bring broken tasks. */
export function makeTaskPack(folder: string): TaskPack {
  const files = readTaskFolder(folder)
  const registry = buildRegistry([{ name: bundledRoot, files }])
  const [problem] = registry.problems
  if (problem !== undefined) throw problem.error
  return { files: Object.fromEntries(files.map(({ path, text }) => [path, text])), listing: registry.list() }
}
