import { defineConfig } from '@playwright/test'
import { findBrowser, playwrightOptions } from './scripts/lib/browser.ts'

const { path } = findBrowser((line) => {
  process.stderr.write(`${line}\n`)
})

export default defineConfig({
  testDir: 'tests/e2e',
  // One at a time: a software GPU takes the whole machine.
  workers: 1,
  fullyParallel: false,
  retries: 0,
  timeout: 150_000,
  expect: { timeout: 15_000 },
  forbidOnly: true,
  reporter: [['list']],
  outputDir: 'test-results',
  use: { launchOptions: playwrightOptions(path, 'hardware-or-software') },
})
