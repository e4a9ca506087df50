/** `npm run bench` as a test runs it. */
import { quickBrowser } from './compiler.ts'
import { runScript, type Outcome } from './run-script.ts'

/** Runs the benchmark in the quick browser, as no times are looked at; gives its exit code and what it printed. */
export function bench(...args: readonly string[]): Promise<Outcome> {
  return runScript('tools/bench/main.ts', args, { YARDSTICK_MODELS: '', YARDSTICK_CHROMIUM: quickBrowser() })
}
