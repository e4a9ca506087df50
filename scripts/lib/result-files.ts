/** Result files under the harness's names. Source: lm-evaluation-harness 0.4.13, `loggers/evaluation_tracker.py`. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { formatDateId, resultPaths } from '../../src/core/results-names.ts'
import type { SampleLines } from '../../src/driver.ts'

/** Folder, name of the results file, and how a samples file of the same run is called. */
export interface OutputNames {
  readonly folder: string
  readonly results: string
  samples(task: string): string
}

/** Names below `outputPath` as the harness gives them; a stranger's task name can't leave the folder. */
export function nameOutputs(outputPath: string, model: string, now: Date): OutputNames {
  const paths = resultPaths(outputPath, model, formatDateId(now))
  return { folder: dirname(paths.results), results: paths.results, samples: (task) => paths.samples(task.replace(/[/\\]/g, '_')) }
}

export function writeResults(names: OutputNames, text: string): void {
  mkdirSync(names.folder, { recursive: true })
  writeFileSync(names.results, text)
}

/** Samples come in parts of this many docs, so that no message grows with the benchmark. */
const samplesPerPart = 500

/** Writes one task's samples file, part by part. */
export async function writeSamples(
  names: OutputNames,
  task: string,
  read: (offset: number, count: number) => Promise<SampleLines>,
): Promise<void> {
  mkdirSync(names.folder, { recursive: true })
  const file = names.samples(task)
  writeFileSync(file, '')
  for (let offset = 0, total = 1; offset < total;) {
    const part = await read(offset, samplesPerPart)
    if (part.next <= offset) break
    appendFileSync(file, part.text)
    offset = part.next
    total = part.total
  }
}
