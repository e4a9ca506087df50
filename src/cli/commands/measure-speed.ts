/** `npm run eval -- speed`: how fast a model is on this device, as a Markdown table. */
import { speedTable, speedToJson } from '../../analysis/speed/speed-table.ts'
import type { CommandLine } from '../flags/args.ts'
import type { Progress } from '../output/progress.ts'
import { withSession } from './listings.ts'
import { chooseModel, runSettings } from './settings.ts'

/** Prints the table, or with `--json` what it is made of. */
export async function printSpeed(line: CommandLine, progress: Progress, print: (text: string) => void): Promise<number> {
  await withSession(line, progress, async (session, inputs) => {
    const choice = chooseModel(line, await session.call('listModels'))
    const settings = runSettings(line, { ...choice, dtype: line.dtypes?.[0] ?? choice.dtype }, inputs, null)
    progress.say(`Measuring ${choice.model}: prompts of 512 tokens and texts of 128, five times each after one unmeasured`)
    const speed = await session.call('measureSpeed', settings)
    print(line.json ? JSON.stringify(speedToJson(speed), null, 2) : speedTable(speed))
  })
  return 0
}
