/** A script of the project as a test runs it. */
import { spawn } from 'node:child_process'
import { projectFolder } from '../../src/cli/browser/build.ts'

export interface Outcome {
  /** null: a signal ended it. */
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Hears all of a script's standard error so far, with its process and a way to interrupt it as Ctrl-C does. */
export type OnStderr = (stderr: string, pid: number, stop: () => void) => void

/** Runs a script, named from the project's folder, to its end. */
export function runScript(script: string, args: readonly string[], env: NodeJS.ProcessEnv, onStderr?: OnStderr): Promise<Outcome> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, ...args], {
    cwd: projectFolder,
    env: { ...process.env, ...env },
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
