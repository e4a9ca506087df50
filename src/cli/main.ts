/** `npm run eval`: the command line over the built app in headless Chromium. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readEmbeddedModels, type EmbeddedModel } from '../app/setup/embedded.ts'
import { projectFolder } from './browser/build.ts'
import { compareFiles } from './commands/compare-files.ts'
import { exportFolder } from './commands/export-folder.ts'
import { importFiles } from './commands/import-files.ts'
import { importReturned, isExported } from './commands/import-returned.ts'
import { judgeCommand } from './commands/judge-answers.ts'
import { callerFolder, printPrompts, printTasks } from './commands/listings.ts'
import { printSpeed } from './commands/measure-speed.ts'
import { mergeFiles } from './commands/merge-files.ts'
import { offeredDtypes, runDtypes, sweptDtypes } from './commands/run-dtypes.ts'
import { runEvaluation } from './commands/run-evaluation.ts'
import { runFan } from './commands/run-fan.ts'
import { runSweep, sweptRevisions } from './commands/run-sweep.ts'
import { parseCommandLine, type CommandLine } from './flags/args.ts'
import { expandConfigs } from './flags/config-flags.ts'
import { UsageError } from './flags/flag-values.ts'
import { formatHelp } from './flags/flags.ts'
import { createProgress, standardError } from './output/progress.ts'
import { reportError } from './output/report-error.ts'
import { complain, print } from './output/terminal.ts'

/** What an outcome means for the shell; 0 is a complete run and nothing else. */
const exitCodes = { failed: 1, usage: 2 } as const

async function main(argv: readonly string[]): Promise<number> {
  const expanded = expandConfigs(argv, callerFolder())
  const line = parseCommandLine(expanded.argv)
  const progress = createProgress(standardError())
  for (const note of [...expanded.notes, ...line.notes]) progress.say(note)
  switch (line.command) {
    case 'help':
      print(formatHelp())
      return 0
    case 'models':
      print(formatModels(line, embeddedModels()))
      return 0
    case 'tasks':
      return printTasks(line, progress, print)
    case 'prompts':
      return printPrompts(line, progress, print)
    case 'speed':
      return printSpeed(line, progress, print)
    case 'command':
      if (expanded.commands.length === 0) throw new UsageError('command wants --config with a file that has evals_dataset')
      for (const command of expanded.commands) print(command)
      return 0
    case 'run': {
      const dtypes = sweptDtypes(line)
      if (dtypes !== null) return runDtypes(line, dtypes, { progress, print, evaluate: runEvaluation, offered: offeredDtypes })
      const revisions = sweptRevisions(line)
      return revisions === null ? runEvaluation(line, progress, print) : runSweep(line, revisions, progress, print, runEvaluation)
    }
    case 'import': {
      const output = { from: callerFolder(), json: line.json, say: (text: string) => progress.say(text), print }
      const [only, ...others] = line.files
      if (only !== undefined && others.length === 0 && isExported(only, output.from)) return importReturned(only, output)
      await importFiles(line.files, output)
      return 0
    }
    case 'compare':
      await compareFiles(line.files, { from: callerFolder(), json: line.json, say: (text) => progress.say(text), print }, line.details)
      return 0
    case 'fan':
      return runFan(line, { bundled: join(projectFolder, 'public', 'tasks'), progress, print, evaluate: runEvaluation })
    case 'export':
      return exportFolder(line, progress)
    case 'merge':
      return mergeFiles(line.files, {
        output: { from: callerFolder(), json: line.json, say: (text) => progress.say(text), print },
        outputPath: line.outputPath,
      })
    case 'judge':
      return judgeCommand(line, progress, print)
  }
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
