/** The command line as `npm run eval -- …` runs it, in the quick browser. */
import { spawn } from 'node:child_process'
import { readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { quickBrowser } from './compiler.ts'
import { runScript, type OnStderr, type Outcome } from './run-script.ts'

export type { Outcome } from './run-script.ts'

interface Surroundings {
  /** Keeps the browser's profile, as `profile`; what is named without a folder is looked for here too. */
  readonly folder: string
  /** The caller's folder where it is another. */
  readonly cwd?: string
  readonly onStderr?: OnStderr
}

/** Runs the command line to its end. */
export function runCommandLine(args: readonly string[], { folder, cwd = folder, onStderr }: Surroundings): Promise<Outcome> {
  return runScript('src/cli/main.ts', args, environment(cwd, join(folder, 'profile')), onStderr)
}

const environment = (cwd: string, profile: string) => ({
  INIT_CWD: cwd,
  YARDSTICK_CHROMIUM: quickBrowser(),
  YARDSTICK_PROFILE: profile,
})

/** A command line that goes on. */
export interface Started {
  readonly ended: Promise<Outcome>
  readonly pid: number
  /** Ctrl-C. */
  readonly stop: () => void
  /** Node and the browser at once, without a word, as a machine that goes down kills them. */
  readonly kill: () => void
}

interface KillableSurroundings {
  readonly folder: string
  /** Name of the browser's profile in `folder`. */
  readonly profile?: string
  readonly env?: NodeJS.ProcessEnv
  /** Hears all of the standard error so far. */
  readonly onStderr?: (stderr: string, started: Started) => void
}

/** Starts the command line in a process group of its own. */
export function startCommandLine(
  args: readonly string[],
  { folder, profile = 'profile', env = {}, onStderr = () => undefined }: KillableSurroundings,
): Started {
  const place = join(folder, profile)
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: projectFolder,
    env: { ...process.env, ...env, ...environment(folder, place) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let [stdout, stderr] = ['', '']
  const started: Started = {
    ended: new Promise((done) => child.on('close', (code) => done({ code, stdout, stderr }))),
    pid: child.pid ?? 0,
    stop: () => child.kill('SIGINT'),
    kill: () => {
      killGroup(child.pid ?? 0)
      // The browser has a group of its own; its lock in the profile names it.
      killGroup(Number(/-(\d+)$/.exec(readlinkSync(join(place, 'browser', 'SingletonLock')))?.[1]))
    },
  }
  child.stdout.on('data', (part: Buffer) => (stdout += part.toString()))
  child.stderr.on('data', (part: Buffer) => onStderr((stderr += part.toString()), started))
  return started
}

function killGroup(group: number): void {
  if (!(group > 1)) throw new Error(`no process group: ${group}`)
  try {
    process.kill(-group, 'SIGKILL')
  } catch {
    // It is gone already.
  }
}
