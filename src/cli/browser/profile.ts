/** The browser profile of the command line, and the lock that lets one process at a time use it. */
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** `YARDSTICK_PROFILE`, or `yardstick` in the user's cache folder. */
export function profileFolder(env: NodeJS.ProcessEnv = process.env): string {
  const given = env['YARDSTICK_PROFILE']
  if (given !== undefined && given !== '') return given
  if (process.platform === 'win32') return join(env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'), 'yardstick')
  if (process.platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'yardstick')
  const cache = env['XDG_CACHE_HOME']
  return join(cache !== undefined && cache !== '' ? cache : join(homedir(), '.cache'), 'yardstick')
}

interface Holder {
  readonly pid: number
  readonly since: string
  readonly command: string
}

/**
 * Takes the profile for this process and gives the function that lets it go. Waits while another process holds it, after telling
 * `say` which one; the lock of a process that is gone is taken over.
 */
export async function lockProfile(folder: string, say: (line: string) => void, signal: AbortSignal): Promise<() => void> {
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'yardstick.lock')
  const own: Holder = { pid: process.pid, since: new Date().toISOString(), command: process.argv.slice(2).join(' ') }
  let told = 0
  while (!tryCreate(file, own)) {
    const holder = readHolder(file)
    if (holder === null || !isAlive(holder.pid)) {
      rmSync(file, { force: true })
      continue
    }
    if (told !== holder.pid) {
      told = holder.pid
      say(
        `Waiting: process ${holder.pid} (${holder.command === '' ? 'npm run eval' : holder.command}) has used the profile ${folder} since ${holder.since}`,
      )
    }
    await sleep(500, undefined, { signal })
  }
  return () => {
    if (readHolder(file)?.pid === process.pid) rmSync(file, { force: true })
  }
}

function tryCreate(file: string, holder: Holder): boolean {
  // A link appears with its whole content or not at all, so nobody reads half a lock.
  const draft = `${file}.${holder.pid}`
  writeFileSync(draft, JSON.stringify(holder))
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Null for a file that is gone, because its holder lets go right now, or that is no lock. */
function readHolder(file: string): Holder | null {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof value !== 'object' || value === null || !('pid' in value) || typeof value.pid !== 'number') return null
    const since = 'since' in value && typeof value.since === 'string' ? value.since : 'some time'
    const command = 'command' in value && typeof value.command === 'string' ? value.command : ''
    return { pid: value.pid, since, command }
  } catch {
    return null
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // EPERM: it lives, as another user's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
