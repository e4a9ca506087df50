/** `npm run bench` as a test runs it. */
import { spawn } from 'node:child_process'
import { projectFolder } from '../../src/cli/browser/build.ts'

/** Runs the benchmark; gives its exit code and what it printed. */
export function bench(
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'tools/bench/main.ts', ...args], {
    cwd: projectFolder,
    env: { ...process.env, YARDSTICK_MODELS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (part: Buffer) => {
    stdout += part.toString()
  })
  child.stderr.on('data', (part: Buffer) => {
    stderr += part.toString()
  })
  return new Promise((done) => {
    child.on('close', (code) => done({ code, stdout, stderr }))
  })
}
