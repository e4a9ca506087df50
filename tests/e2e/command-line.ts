/** The command line as `npm run eval -- …` runs it, in the quick browser. */
import { join } from 'node:path'
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
  const env = { INIT_CWD: cwd, YARDSTICK_CHROMIUM: quickBrowser(), YARDSTICK_PROFILE: join(folder, 'profile') }
  return runScript('src/cli/main.ts', args, env, onStderr)
}
