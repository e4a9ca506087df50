import { expect, it } from 'vitest'
import { judgeCommand } from '../../../src/cli/commands/judge-answers.ts'
import { parseCommandLine } from '../../../src/cli/flags/args.ts'
import { UsageError } from '../../../src/cli/flags/flag-values.ts'
import { createProgress } from '../../../src/cli/output/progress.ts'

const progress = createProgress({ isTerminal: false, columns: 80, write: () => true, now: () => 0 })

it.each([
  ['judge', 'judge wants one run: its id, or a folder or file with its results and samples'],
  ['judge one two', 'judge wants one run'],
  ['judge one', 'judge wants --judge_model'],
])('%s is refused before anything is opened', async (text, message) => {
  const refused = judgeCommand(parseCommandLine(text.split(' ')), progress, () => undefined)
  await expect(refused).rejects.toThrow(UsageError)
  await expect(refused).rejects.toThrow(message)
})
