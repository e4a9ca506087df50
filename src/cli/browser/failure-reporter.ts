import type { FullConfig, Reporter, TestCase, TestResult } from '@playwright/test/reporter'
import { print } from '../output/terminal.ts'

const maxLines = 12
// oxlint-disable-next-line no-control-regex -- colours are control characters
const colours = /\u001b\[[0-9;]*m/g

/**
 * Prints why a test failed as soon as it has: a log of which only the beginning is kept names the test and the reason, where
 * Playwright's list gives all reasons at its end.
 */
export default class FailureReporter implements Reporter {
  private rootDir = ''

  onBegin({ rootDir }: FullConfig): void {
    this.rootDir = rootDir
  }

  onTestEnd(_test: TestCase, { errors }: TestResult): void {
    for (const { message = 'no message', location } of errors) {
      const lines = message.replaceAll(colours, '').split('\n').slice(0, maxLines)
      const place = location ? `${location.file.replace(`${this.rootDir}/`, '')}:${location.line}: ` : ''
      print(`      ${place}${lines.join('\n      ')}`)
    }
  }

  printsToStdio(): boolean {
    return true
  }
}
