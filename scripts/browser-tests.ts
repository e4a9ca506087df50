/** `npm run browser [-- playwright's arguments]`: the tests in a real Chromium, against the built app. */
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { findBrowser } from '../src/cli/browser/browser.ts'
import { buildIfStale, projectFolder } from '../src/cli/browser/build.ts'

/** Firefox is driven over a WebSocket, which Node has by itself from version 22 on. */
function withWebSocket(): { readonly NODE_OPTIONS?: string } {
  if (typeof WebSocket !== 'undefined') return {}
  return { NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --experimental-websocket`.trim() }
}

function main(argv: readonly string[]): number {
  const say = (line: string): void => {
    process.stderr.write(`${line}\n`)
  }
  buildIfStale(say)
  // Found once here, so that an installation happens before the tests' own time limits begin.
  const { path, version } = findBrowser(say)
  say(version)
  const cli = createRequire(import.meta.url).resolve('@playwright/test/cli')
  const { status } = spawnSync(process.execPath, [cli, 'test', ...argv], {
    cwd: projectFolder,
    env: { ...process.env, YARDSTICK_CHROMIUM: path, ...withWebSocket() },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  return status ?? 1
}

try {
  process.exitCode = main(process.argv.slice(2))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}
