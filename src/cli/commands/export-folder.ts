/** `npm run eval -- export [FOLDER] [flags]`: a folder that takes the run to lm_eval elsewhere, with the browser's results where there are some. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { RunRow } from '../../contracts/runs.ts'
import type { ClusterFiles } from '../../driver.ts'
import { sameSettings } from '../../settings/same-settings.ts'
import type { Session } from '../browser/session.ts'
import { callerFolder } from '../files/caller-folder.ts'
import type { CommandLine } from '../flags/args.ts'
import { UsageError } from '../flags/flag-values.ts'
import type { Progress } from '../output/progress.ts'
import { withSession } from './listings.ts'
import { nameOutputs, writeOwn, writeResults, writeSamples } from './result-files.ts'
import { prepare, sampledTasks } from './run-evaluation.ts'
import { readSamples } from './settings.ts'

const defaultFolder = 'cluster'

/** Writes the folder, which must be new or empty. Gives the exit code. */
export async function exportFolder(line: CommandLine, progress: Progress): Promise<number> {
  const [name = defaultFolder, ...others] = line.files
  if (others.length > 0) throw new UsageError(`export takes one folder, found ${line.files.join(', ')}`)
  const folder = resolve(callerFolder(), name)
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new UsageError(`export: ${folder} isn't empty; another name, or an empty folder, keeps two exports apart`)
  await withSession(line, progress, async (session, inputs) => {
    const samples = readSamples(line.samples, callerFolder())
    const { settings } = await prepare(session, { ...line, resume: false }, inputs, samples, progress, () => undefined)
    const made = await session.call('makeClusterFolder', settings, line.parallelism)
    writeFolder(folder, made)
    const run = await completeRun(session, settings)
    if (run !== null) await writeBrowserRun(session, run, join(folder, made.browserFolder))
    progress.say(
      `Wrote ${folder}: ${made.files.length + made.binaries.length} files${run === null ? '' : `, with the results of run ${run.runId}`}`,
    )
  })
  return 0
}

function writeFolder(folder: string, { files, binaries }: ClusterFiles): void {
  for (const { path, text } of files) writeOwn(join(folder, path), text)
  for (const { path, base64 } of binaries) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), Buffer.from(base64, 'base64'))
  }
}

/** The newest run of these settings that has its results here. */
async function completeRun(session: Session, settings: RunSettings): Promise<RunRow | null> {
  const runs = await session.call('listRuns')
  return runs.find(({ status, manifest }) => status === 'complete' && sameSettings(manifest.settings, settings)) ?? null
}

async function writeBrowserRun(session: Session, run: RunRow, folder: string): Promise<void> {
  const results = await session.call('loadResults', run.runId)
  if (results === null) return
  const names = nameOutputs(folder, run.manifest.settings.model, new Date())
  writeResults(names, results.resultsText)
  for (const task of sampledTasks(results))
    await writeSamples(names, task, (offset, count) => session.call('sampleLines', run.runId, task, offset, count))
}
