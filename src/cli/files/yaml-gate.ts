/**
 * Untrusted YAML, before this process reads it: a process of its own reads it first, with a limit of time, memory and stack. A parser
 * that never ends, or that takes its process down, does so there.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TaskFile } from '../../contracts/run-settings.ts'
import { projectFolder } from '../browser/build.ts'
import { childEnvironment } from '../browser/child-environment.ts'

interface GateLimits {
  /** For all files together; a start of the process is part of it. */
  readonly ms: number
  readonly heapMiB: number
}

const processFile = fileURLToPath(new URL('yaml-process.ts', import.meta.url))
/** KiB, half of what this process has: what fits there fits here, deep in whatever calls it. */
const stackKiB = 492

/**
 * Returns when every text can be read, or is refused by the parser, within the limits; throws an error that names the first file that can't.
 * Small flat texts aren't asked: so few characters without aliases and nesting can't take long.
 */
export function requireReadable(files: readonly TaskFile[], limits: GateLimits = { ms: 20_000 + 20 * files.length, heapMiB: 512 }): void {
  const asked = files.filter(({ text }) => !isSmallAndFlat(text))
  if (asked.length === 0) return
  const loader = process.execArgv.some((argument) => argument.includes('tsx')) ? process.execArgv : ['--import', 'tsx']
  const { status, stdout, error } = spawnSync(
    process.execPath,
    [...loader, `--max-old-space-size=${limits.heapMiB}`, `--stack-size=${stackKiB}`, processFile],
    {
      cwd: projectFolder,
      env: childEnvironment(),
      input: JSON.stringify(asked.map(({ path, text }) => ({ path, text }))),
      encoding: 'utf8',
      timeout: limits.ms,
      killSignal: 'SIGKILL',
    },
  )
  if (status === 0) return
  // It says which file it begins with; what it said last was too much for it.
  const begun = stdout.split('\n').length - 1
  const isLate = error !== undefined && 'code' in error && error.code === 'ETIMEDOUT'
  if (begun === 0 && !isLate) throw new Error('The process that reads YAML files did not start.', { cause: error })
  const path = asked[Math.max(0, begun - 1)]?.path ?? ''
  const why = isLate ? `it takes longer than ${limits.ms / 1000} s` : 'it needs more memory, or nests deeper, than any task file does'
  throw new Error(`${path}: this YAML file is not read: ${why}`)
}

/** True where reading is a matter of milliseconds: few characters, no aliases, no mappings as keys, few brackets and few dashes on a line. */
function isSmallAndFlat(text: string): boolean {
  if (text.length > 8192) return false
  const hasAliases = /[&*]\S/.test(text)
  const hasComplexKeys = /(?:^|[\s[{,-])\?\s/.test(text)
  const brackets = text.match(/[[{]/g)?.length ?? 0
  return !hasAliases && !hasComplexKeys && brackets <= 200 && !/(?:-[ \t]+){20}/.test(text)
}
