/** Which of V8's two WebAssembly compilers the browser of a test has. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findBrowser } from '../../src/cli/browser/browser.ts'

/**
 * Chromium's arguments for the quick compiler alone. ONNX Runtime is compiled anew in every tab, and a second time by the optimising
 * compiler while the model runs: more work than a short run itself. `goldens.spec.ts` holds the numbers of what users have, with
 * both compilers.
 */
export const quickCompiler: readonly string[] = ['--js-flags=--liftoff-only']

let script: string | null = null

/** A program that starts the browser with the quick compiler alone, for `YARDSTICK_CHROMIUM` of a command line that a test starts. */
export function quickBrowser(): string {
  const { path } = findBrowser(() => undefined)
  if (process.platform === 'win32') return path
  if (script === null) {
    const folder = mkdtempSync(join(tmpdir(), 'yardstick-browser-'))
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
    script = join(folder, 'chromium')
    // The browser takes the script's place, so that a signal to it reaches the browser.
    writeFileSync(script, `#!/bin/sh\nexec '${path.replaceAll("'", `'\\''`)}' ${quickCompiler.join(' ')} "$@"\n`, { mode: 0o755 })
  }
  return script
}
