/**
 * `npm run bench -- --stream [--json] [--quick] [--bytes N] [--turns N] [--seed N]`: what the built app does with large data (1 GB, 100 MB
 * with `--quick`, or `--bytes`; each file `--turns` times), in a real browser. Prints a table, or with `--json` one object on standard
 * output. Exit code 1 when a limit is exceeded or an arm is asked for that isn't there.
 *
 * `npm run bench -- --tasks [--json] [--quick] [--seed N]`: what the task engine costs, in this process. Limits nothing: times are this machine's.
 */
import { cpus, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { faultsOf, measureStreams, tableOf } from './lib/bench/stream-arm.ts'
import { measureTasks, taskTable } from './lib/bench/task-arm.ts'

const { values: flags } = parseArgs({
  options: {
    stream: { type: 'boolean', default: false },
    tasks: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    bytes: { type: 'string' },
    turns: { type: 'string', default: '1' },
    growth: { type: 'boolean', default: false },
    models: { type: 'string' },
    seed: { type: 'string', default: '1' },
  },
})

const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** The machine that the numbers are of. */
function describeMachine(): { readonly cpu: string; readonly cores: number; readonly memory_bytes: number; readonly platform: string } {
  const [first] = cpus()
  return { cpu: first?.model ?? 'unknown', cores: cpus().length, memory_bytes: totalmem(), platform: `${process.platform} ${process.arch}` }
}

function reportTasks(): void {
  const rows = measureTasks({ seed: Number(flags.seed), draws: flags.quick ? 10_000 : 100_000, say })
  const machine = describeMachine()
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ machine, tasks: rows })}\n`
      : `${machine.cpu}, ${machine.cores} cores, seed ${flags.seed}\n\n${taskTable(rows)}\n`,
  )
}

async function main(): Promise<number> {
  if (flags.tasks) {
    reportTasks()
    return 0
  }
  if (!flags.stream || flags.growth) {
    say('Only the arm --stream is built so far: the speed of models is not measured yet, nor its growth.')
    return 1
  }
  const bytes = flags.bytes === undefined ? (flags.quick ? 100e6 : 1e9) : Number(flags.bytes)
  const report = await measureStreams({ bytes, turns: Number(flags.turns), seed: Number(flags.seed), say })
  const machine = describeMachine()
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ machine, ...report })}\n`
      : `${machine.cpu}, ${machine.cores} cores, seed ${flags.seed}\n\n${tableOf(report)}\n`,
  )
  const faults = faultsOf(report)
  for (const fault of faults) say(`Limit exceeded: ${fault}`)
  return faults.length === 0 ? 0 : 1
}

process.exitCode = await main()
