/**
 * `npm run bench -- [--json] [--quick] [--growth] [--stream] [--gpu] [--models FOLDER]`: how fast the same token ids are scored by a transformers.js
 * loop, by one forward pass a question, by our two scoring paths (the fast one also on a graph of our own) and by the harness, in real browsers on this machine. Prints a table, or
 * with `--json` one object on standard output. `--help` lists narrower runs.
 *
 * `--stream`: what the built app does with large data (1 GB, 100 MB with `--quick`). `--tasks`: what the task engine costs, in this process. `--page`: the
 * sample viewer over 14,000 docs, and long tasks on the page while a run goes on. `--gpu`: all that a machine with a GPU and nothing else can tell.
 *
 * Exit code 1 when something failed, a limit is exceeded, or a piece is missing, which it names; with `--gpu` missing pieces are only named.
 */
import { cpus, totalmem } from 'node:os'
import { resolve } from 'node:path'
import { callerFolder } from '../../src/cli/files/caller-folder.ts'
import { BenchUsageError, parseBenchFlags, usage, type BenchFlags } from './args.ts'
import { measureGpu } from './gpu/measure.ts'
import { gpuTable } from './gpu/table.ts'
import { findHarnessPython } from './harness-arm.ts'
import { faultsOfRows } from './limits.ts'
import { measureGrowth, measureModels } from './model-arms.ts'
import { embeddedModels, missingOf, smolModel, type BenchModel } from './model-files.ts'
import { measurePage, pageTable } from './page-arm.ts'
import { benchTable } from './rows.ts'
import { faultsOf, measureStreams, tableOf } from './stream-arm.ts'
import { measureTasks, taskTable } from './task-arm.ts'

const say = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** The machine that the numbers are of. */
function describeMachine(): { readonly cpu: string; readonly cores: number; readonly memory_bytes: number; readonly platform: string } {
  const [first] = cpus()
  return { cpu: first?.model ?? 'unknown', cores: cpus().length, memory_bytes: totalmem(), platform: `${process.platform} ${process.arch}` }
}

function print(flags: BenchFlags, report: object, table: string): void {
  const machine = describeMachine()
  process.stdout.write(
    flags.json ? `${JSON.stringify({ machine, ...report })}\n` : `${machine.cpu}, ${machine.cores} cores, seed ${flags.seed}\n\n${table}\n`,
  )
}

async function main(): Promise<number> {
  const flags = parseBenchFlags(process.argv.slice(2), process.env)
  if (flags === null) {
    process.stdout.write(usage)
    return 0
  }
  switch (flags.kind) {
    case 'tasks':
      return runTasks(flags)
    case 'stream':
      return runStreams(flags)
    case 'page':
      return runPage(flags)
    case 'models':
      return runModels(flags)
    case 'growth':
      return runGrowth(flags)
    case 'gpu':
      return runGpu(flags)
  }
}

function runTasks(flags: BenchFlags): number {
  const tasks = measureTasks({ seed: flags.seed, draws: flags.quick ? 10_000 : 100_000, say })
  print(flags, { tasks }, taskTable(tasks))
  return 0
}

async function runPage(flags: BenchFlags): Promise<number> {
  const report = await measurePage({ docs: flags.quick ? 1_000 : 14_000, limit: flags.quick ? 40 : 400, seed: flags.seed, say })
  print(flags, report, pageTable(report))
  return 0
}

async function runStreams(flags: BenchFlags): Promise<number> {
  const report = await measureStreams({ bytes: flags.bytes, turns: flags.turns, seed: flags.seed, say })
  print(flags, report, tableOf(report))
  return reportFaults(faultsOf(report)) === 0 ? 0 : 1
}

/** Parts that lack something are named in the report and cost no exit code; what differs or breaks does, and a browser without an adapter. */
async function runGpu(flags: BenchFlags): Promise<number> {
  const report = await measureGpu(flags, say)
  print(flags, report, gpuTable(report.gpu, report.arms))
  if (report.gpu.adapter === null) say('Nothing was measured: this browser offers no WebGPU adapter.')
  return report.gpu.faults.length === 0 && report.gpu.adapter !== null ? 0 : 1
}

/** What is missing is said, and the rest measured all the same. */
async function runModels(flags: BenchFlags): Promise<number> {
  const { models, absent } = findModels(flags)
  const leftOut: string[] = []
  const python = flags.arms.includes('harness') ? findHarnessPython() : null
  if (flags.arms.includes('harness') && python === null)
    (flags.armsAreChosen ? absent : leftOut).push(
      'The arm harness is left out: name a Python that has lm_eval and torch with YARDSTICK_PYTHON.',
    )
  const arms = models.length === 0 ? [] : await measureModels({ ...flags, models, python, say })
  if (arms.length > 0) print(flags, { arms }, benchTable(arms))
  for (const sentence of [...leftOut, ...absent]) say(sentence)
  return reportFaults(faultsOfRows(arms)) === 0 && absent.length === 0 ? 0 : 1
}

async function runGrowth(flags: BenchFlags): Promise<number> {
  const { models, absent } = findModels({ ...flags, targets: ['embedded'] })
  const counts = flags.quick ? [10, 100, 1000] : [100, 1000, 10_000]
  const arms = models.length === 0 ? [] : await measureGrowth({ ...flags, models, python: null, say }, counts)
  if (arms.length > 0) print(flags, { arms }, benchTable(arms))
  for (const sentence of absent) say(sentence)
  return reportFaults(faultsOfRows(arms)) === 0 && absent.length === 0 ? 0 : 1
}

/** Says each; gives how many. */
function reportFaults(faults: readonly string[]): number {
  for (const fault of faults) say(`Limit exceeded: ${fault}`)
  return faults.length
}

function findModels({ targets, models }: BenchFlags): { readonly models: readonly BenchModel[]; readonly absent: string[] } {
  const wanted = [...(models === null ? [] : [smolModel(resolve(callerFolder(), models))]), ...embeddedModels()]
  const chosen = wanted.filter(({ key }) => targets.some((target) => target === key))
  const absent = chosen.flatMap((model) => {
    const missing = missingOf(model)
    return missing === null ? [] : [`${model.id} can't be measured: ${missing} is missing.`]
  })
  if (models === null && targets.includes('smollm2'))
    absent.push("SmolLM2 can't be measured: name the folder that build_hub.py wrote with --models or YARDSTICK_MODELS.")
  return { models: chosen.filter((model) => missingOf(model) === null), absent }
}

// Playwright closes its browsers on these, and would leave everything here waiting for them.
for (const [name, code] of [
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)
  process.once(name, () => process.exit(code))

try {
  process.exitCode = await main()
} catch (error) {
  if (error instanceof BenchUsageError) say(`${error.message}\n\n${usage}`)
  else say(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
}
