/** `npm run eval`: the command line over the built app in headless Chromium. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readEmbeddedModels, type EmbeddedModel } from '../app/setup/embedded.ts'
import { projectFolder } from './browser/build.ts'
import { callerFolder } from './files/caller-folder.ts'
import { parseCommandLine, type CommandLine } from './flags/args.ts'
import { expandConfigs } from './flags/config-flags.ts'
import { UsageError } from './flags/flag-values.ts'
import { formatHelp } from './flags/flags.ts'
import { sweptDtypes, sweptRevisions } from './flags/swept-flags.ts'
import { createProgress, standardError, type Progress } from './output/progress.ts'
import { reportError } from './output/report-error.ts'
import { complain, print } from './output/terminal.ts'

/** What an outcome means for the shell; 0 is a complete run and nothing else. */
const exitCodes = { failed: 1, usage: 2 } as const

/** Each command loads what it needs: all of them take 1.2 s of processor time, Playwright a third of it. */
async function main(argv: readonly string[]): Promise<number> {
  const expanded = expandConfigs(argv, callerFolder())
  const line = parseCommandLine(expanded.argv)
  const progress = createProgress(standardError())
  for (const note of [...expanded.notes, ...line.notes]) progress.say(note)
  const output = { from: callerFolder(), json: line.json, say: (text: string) => progress.say(text), print }
  switch (line.command) {
    case 'help':
      print(formatHelp())
      return 0
    case 'models':
      print(formatModels(line, embeddedModels()))
      return 0
    case 'tasks':
      return (await import('./commands/listings.ts')).printTasks(line, progress, print)
    case 'prompts':
      return (await import('./commands/listings.ts')).printPrompts(line, progress, print)
    case 'speed':
      return (await import('./commands/measure-speed.ts')).printSpeed(line, progress, print)
    case 'command':
      if (expanded.commands.length === 0) throw new UsageError('command wants --config with a file that has evals_dataset')
      for (const command of expanded.commands) print(command)
      return 0
    case 'run':
      return runOnceOrMore(line, progress)
    case 'import': {
      const { importReturned, isExported } = await import('./commands/import-returned.ts')
      const [only, ...others] = line.files
      if (only !== undefined && others.length === 0 && isExported(only, output.from)) return importReturned(only, output)
      await (await import('./commands/import-files.ts')).importFiles(line.files, output)
      return 0
    }
    case 'compare':
      await (await import('./commands/compare-files.ts')).compareFiles(line.files, output, line.details)
      return 0
    case 'fan': {
      const [{ runFan }, { runEvaluation }] = await Promise.all([import('./commands/run-fan.ts'), import('./commands/run-evaluation.ts')])
      return runFan(line, { bundled: join(projectFolder, 'public', 'tasks'), progress, print, evaluate: runEvaluation })
    }
    case 'export':
      return (await import('./commands/export-folder.ts')).exportFolder(line, progress)
    case 'merge':
      return (await import('./commands/merge-files.ts')).mergeFiles(line.files, { output, outputPath: line.outputPath })
    case 'judge':
      return (await import('./commands/judge-answers.ts')).judgeCommand(line, progress, print)
  }
}

async function runOnceOrMore(line: CommandLine, progress: Progress): Promise<number> {
  const [dtypes, revisions] = [sweptDtypes(line), sweptRevisions(line)]
  const { runEvaluation } = await import('./commands/run-evaluation.ts')
  if (dtypes !== null) {
    const { offeredDtypes, runDtypes } = await import('./commands/run-dtypes.ts')
    return runDtypes(line, dtypes, { progress, print, evaluate: runEvaluation, offered: offeredDtypes })
  }
  if (revisions === null) return runEvaluation(line, progress, print)
  const { runSweep } = await import('./commands/run-sweep.ts')
  return runSweep(line, revisions, progress, print, runEvaluation)
}

function embeddedModels(): EmbeddedModel[] {
  return readEmbeddedModels(JSON.parse(readFileSync(join(projectFolder, 'public', 'hub', 'embedded.json'), 'utf8')))
}

function formatModels(line: CommandLine, models: readonly EmbeddedModel[]): string {
  if (line.json)
    return JSON.stringify(
      models.map(({ id, dtypes, family }) => ({ id, dtypes, family })),
      null,
      2,
    )
  const rows = models.map(({ id, family, dtypes, isDefault }) => `${id}  ${family}  ${dtypes.join(', ')}${isDefault ? '  (default)' : ''}`)
  return line.embedded
    ? rows.join('\n')
    : [
        'Embedded models:',
        ...rows,
        '',
        'Any model on the Hub with safetensors or ONNX files can be named by its id, any folder in the same layout by its path.',
      ].join('\n')
}

main(process.argv.slice(2)).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    reportError(error, complain)
    process.exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.failed
  },
)
