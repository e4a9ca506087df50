/** The two result files as the page offers them for download. */
import { append } from '../../base/arrays.ts'
import type { RunManifest } from '../../contracts/runs.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { sanitizeModelName } from '../../harness/results/file-names.ts'
import type { RunSummary } from '../../contracts/results.ts'
import { samplePages, type SampleSource } from './sample-pages.ts'

interface NamedText {
  readonly name: string
  readonly type: string
  readonly text: string
}

/** results_<time>.json, exactly as the harness prints it. */
export function resultsFile(summary: RunSummary, manifest: RunManifest | null): NamedText {
  return { name: `results_${fileTime(manifest)}.json`, type: 'application/json', text: summary.resultsText }
}

/** samples_<task>_<time>.jsonl; each line as `change` makes it. */
export async function samplesFile(
  source: SampleSource,
  summary: RunSummary,
  task: string,
  manifest: RunManifest | null,
  change: (view: SampleView) => SampleView,
): Promise<NamedText> {
  const parts: string[] = []
  for await (const views of samplePages(source, summary.runId, task))
    append(
      parts,
      views.map((view) => `${change(view).line}\n`),
    )
  return { name: `samples_${sanitizeModelName(task)}_${fileTime(manifest)}.jsonl`, type: 'application/jsonl', text: parts.join('') }
}

/** Lines of a csv file in the original MMLU program's form, each with its end; those of other tasks have none. */
export function csvText(samples: readonly SampleView[]): string {
  return samples.map(({ own }) => (own === undefined || own.csv === null ? '' : `${own.csv}\n`)).join('')
}

/** The csv file that the original MMLU program writes of a subject; null for other tasks. */
export async function originalCsvFile(source: SampleSource, summary: RunSummary, task: string): Promise<NamedText | null> {
  const csv = summary.own?.recipes.find((one) => one.task === task)?.csv ?? null
  if (csv === null) return null
  const parts = [`${csv.header}\n`]
  for await (const views of samplePages(source, summary.runId, task)) parts.push(csvText(views))
  return { name: lastPart(csv.path), type: 'text/csv', text: parts.join('') }
}

/** Small files of ours beside the results, such as the original MMLU program's accuracies. */
export function ownFiles(summary: RunSummary): readonly NamedText[] {
  return (summary.own?.files ?? []).map(({ path, text }) => ({ name: lastPart(path), type: 'application/json', text }))
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Hands a text to the browser's downloads. */
export function download({ name, type, text }: NamedText): void {
  downloadBlob(name, new Blob([text], { type }))
}

/** Hands a file to the browser's downloads. */
export function downloadBlob(name: string, blob: Blob): void {
  const address = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download reads the address after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** ISO time with `:` as `-`, as the harness names its files. */
export function fileTime(manifest: RunManifest | null): string {
  return (manifest?.createdAt ?? new Date().toISOString()).replace(/Z$/, '').replaceAll(':', '-')
}
