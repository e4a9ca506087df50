/** Which unit tests share a process and the modules that it has loaded, and which have a process each. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Where tests call functions with arguments. Engines, decoders and stores keep memory, workers or globals of their own. */
const plainFolders = ['analysis', 'app', 'base', 'harness', 'planning', 'ports', 'python', 'settings', 'ui']

/** What a test says that changes or measures its process, which others would notice. */
const touchesProcess = /\bvi\.|\bprocess\.(env|chdir|memoryUsage|on)\b|\bglobalThis\b|fake-indexeddb\/auto/

/** The test files, from the project's folder, whose tests can share a process: loading the same modules a hundred times is a third of their work. */
export function listSharing(): string[] {
  return plainFolders
    .flatMap((folder) => readdirSync(join('tests', folder), { recursive: true, encoding: 'utf8' }).map((name) => `tests/${folder}/${name}`))
    .filter((path) => path.endsWith('.test.ts') && !touchesProcess.test(readFileSync(path, 'utf8')))
}
