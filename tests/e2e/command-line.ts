/** The command line as `npm run eval -- …` runs it, in the quick browser. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { projectFolder } from '../../src/cli/browser/build.ts'
import { quickBrowser } from './compiler.ts'

export interface Outcome {
  /** null: a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

interface Surroundings {
  /** Keeps the browser's profile, as `profile`; what is named without a folder is looked for here too. */
  readonly folder: string
  /** The caller's folder where it is another. */
  readonly cwd?: string
  /** Hears all of its standard error so far, with its process and a way to interrupt it as Ctrl-C does. */
  readonly onStderr?: (stderr: string, pid: number, stop: () => void) => void
}

/** Runs the command line to its end. */
export function runCommandLine(args: readonly string[], { folder, cwd = folder, onStderr }: Surroundings): Promise<Outcome> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'src/cli/main.ts', ...args], {
    cwd: projectFolder,
    env: { ...process.env, INIT_CWD: cwd, YARDSTICK_CHROMIUM: quickBrowser(), YARDSTICK_PROFILE: join(folder, 'profile') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString()
  })
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString()
    if (child.pid !== undefined) onStderr?.(stderr, child.pid, () => child.kill('SIGINT'))
  })
  return new Promise((done) => {
    child.on('close', (code) => done({ code, stdout, stderr }))
  })
}
