/** `dist/`, built when it is missing or older than its sources. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from './child-environment.ts'

/** The project's root folder. */
export const projectFolder = fileURLToPath(new URL('../../..', import.meta.url)).replace(/[/\\]$/, '')
export const distFolder = join(projectFolder, 'dist')

/** What a build reads, relative to the root. */
const sources = [
  'src',
  'workers',
  'public',
  'index.html',
  'driver.html',
  'address.html',
  'vite.config.ts',
  'tools/build/task-pack.ts',
  'package.json',
  'package-lock.json',
]

/** Builds if need be, with Vite's output on standard error. Throws when the build fails. */
export function buildIfStale(say: (line: string) => void): void {
  const reason = staleReason()
  if (reason === null) return
  say(`Building the app (${reason})`)
  build()
}

/** Builds, with Vite's output on standard error. Throws when that fails. */
export function build(): void {
  const vite = join(projectFolder, 'node_modules', 'vite', 'bin', 'vite.js')
  const { status } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: projectFolder,
    stdio: ['ignore', process.stderr, process.stderr],
    // A build runs its plugins' code.
    env: childEnvironment(),
  })
  if (status !== 0) throw new Error('The build failed; npm run build shows why.')
}

/** Why `dist/` can't be served as it is; null when it can. */
function staleReason(): string | null {
  const entry = join(distFolder, 'driver.html')
  if (!existsSync(entry)) return 'there is no dist/ yet'
  const builtMs = statSync(entry).mtimeMs
  const newer = sources.map((name) => newestIn(join(projectFolder, name))).find((file) => file !== null && file.mtimeMs > builtMs)
  return newer === undefined || newer === null ? null : `${newer.path.slice(projectFolder.length + 1)} is newer than dist/`
}

function newestIn(path: string): { readonly path: string; readonly mtimeMs: number } | null {
  if (!existsSync(path)) return null
  const stat = statSync(path)
  if (!stat.isDirectory()) return { path, mtimeMs: stat.mtimeMs }
  const files = readdirSync(path).map((name) => newestIn(join(path, name)))
  return files.reduce((newest, file) => (file !== null && (newest === null || file.mtimeMs > newest.mtimeMs) ? file : newest), null)
}
