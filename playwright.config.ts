import { defineConfig } from '@playwright/test'
import { findBrowser, playwrightOptions } from './src/cli/browser/browser.ts'
import { quickCompiler } from './tests/e2e/compiler.ts'

const { path } = findBrowser((line) => {
  process.stderr.write(`${line}\n`)
})

export default defineConfig({
  testDir: 'tests/e2e',
  // Files at once, each with a browser of its own: a test is one thread, or a wait for a page, so one more than there are cores; none looks at times.
  workers: 3,
  fullyParallel: false,
  // A shared machine now and then starves a browser; a test that passes at its second try is listed as flaky, not hidden.
  retries: 1,
  timeout: 150_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  reporter: [['list'], ['./src/cli/browser/failure-reporter.ts']],
  outputDir: 'test-results',
  use: { launchOptions: playwrightOptions(path, 'hardware-or-software', quickCompiler) },
})
