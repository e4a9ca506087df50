/** The bundled task files as one file: their texts, and what they define. */
import { buildRegistry } from '../../src/core/registry.ts'
import { bundledRoot, type TaskPack } from '../../src/core/task-files.ts'
import { readTaskFolder } from './task-folder.ts'

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
