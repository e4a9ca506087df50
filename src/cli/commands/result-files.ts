/** Result files under the harness's names. Source: lm-evaluation-harness 0.4.13, `loggers/evaluation_tracker.py`. */
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { SampleLines } from '../../driver.ts'
import { formatDateId, resultPaths } from '../../harness/results/file-names.ts'
import { projectFolder } from '../browser/build.ts'
import { callerFolder } from '../files/caller-folder.ts'

/** Folder, name of the results file, and how a samples file of the same run is called. */
interface OutputNames {
  readonly folder: string
  readonly results: string
  samples(task: string): string
  /** A file of ours by its path below the results folder; the run's time goes into the first part, so that no run overwrites another's. */
  own(path: string): string
}

/** `--output_path` from where the user typed it, or the project's `results/`. */
export function outputFolder({ outputPath }: { readonly outputPath: string | null }, from = callerFolder()): string {
  return outputPath === null ? join(projectFolder, 'results') : resolve(from, outputPath)
}

/** Names below `outputPath` as the harness gives them; an untrusted task name can't leave the folder. */
export function nameOutputs(outputPath: string, model: string, now: Date): OutputNames {
  const dateId = formatDateId(now)
  const paths = resultPaths(outputPath, model, dateId)
  const folder = dirname(paths.results)
  return {
    folder,
    results: paths.results,
    samples: (task) => paths.samples(task.replace(/[/\\]/g, '_')),
    own: (path) => {
      const [first = '', ...rest] = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..')
      return join(folder, `${first}_${dateId}`, ...rest)
    },
  }
}

export function writeResults(names: OutputNames, text: string): void {
  mkdirSync(names.folder, { recursive: true })
  writeFileSync(names.results, text)
}

/** The results file that holds this very text, which names its run's date and time; null for none. */
export function writtenBefore({ folder }: OutputNames, text: string): string | null {
  const names = existsSync(folder) ? readdirSync(folder).filter((name) => /^results_.+\.json$/.test(name)) : []
  return names.map((name) => join(folder, name)).find((file) => readFileSync(file, 'utf8') === text) ?? null
}

/** Samples come in parts of this many docs, so that no message grows with the benchmark. */
const samplesPerPart = 500

/** Writes one task's samples file, part by part. */
export async function writeSamples(
  names: OutputNames,
  task: string,
  read: (offset: number, count: number) => Promise<SampleLines>,
): Promise<void> {
  await writeParts(names.samples(task), '', read)
}

/** Writes a file from its first text on, part by part. */
export async function writeParts(
  file: string,
  first: string,
  read: (offset: number, count: number) => Promise<SampleLines>,
): Promise<void> {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, first)
  for (let offset = 0, total = 1; offset < total;) {
    const part = await read(offset, samplesPerPart)
    if (part.next <= offset) break
    appendFileSync(file, part.text)
    offset = part.next
    total = part.total
  }
}

/** Writes a small file of ours, its folder included. */
export function writeOwn(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
