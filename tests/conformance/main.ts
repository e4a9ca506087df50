/**
 * `npm run conformance -- [--deadline SECONDS] FILE…`: runs the cases of conformance corpora (`.jsonl`, `.jsonl.gz`) through the core,
 * prints those that differ and why, and last `N passed, N failed`. Exits with 1 when a case failed or a file can't be read.
 */
import { reportError } from '../../src/cli/output/report-error.ts'
import { complain, print } from '../../src/cli/output/terminal.ts'
import { checkConformance } from './check-conformance.ts'

checkConformance(process.argv.slice(2), print).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    reportError(error, complain)
    process.exitCode = 1
  },
)
