/** The two result files as the page offers them for download. */
import type { RunManifest, SampleView } from '../core/types.ts'
import type { RunClient, RunSummary } from './run-client.ts'

export interface NamedText {
  readonly name: string
  readonly type: string
  readonly text: string
}

/** results_<time>.json, exactly as the harness prints it. */
export function resultsFile(summary: RunSummary, manifest: RunManifest | null): NamedText {
  return { name: `results_${fileTime(manifest)}.json`, type: 'application/json', text: summary.resultsText }
}

/** samples_<task>_<time>.jsonl. */
export async function samplesFile(client: RunClient, summary: RunSummary, task: string, manifest: RunManifest | null): Promise<NamedText> {
  const text = await client.sampleFile(summary.runId, task)
  return { name: `samples_${task.replace(/["<>:/|\\?*[\]]+/g, '__')}_${fileTime(manifest)}.jsonl`, type: 'application/jsonl', text }
}

/** Lines of a csv file in the original MMLU program's form, each with its end; those of other tasks have none. */
export function csvText(samples: readonly SampleView[]): string {
  return samples.map(({ own }) => (own === undefined || own.csv === null ? '' : `${own.csv}\n`)).join('')
}

/** The csv file that the original MMLU program writes of a subject; null for other tasks. */
export async function originalCsvFile(client: RunClient, summary: RunSummary, task: string): Promise<NamedText | null> {
  const csv = summary.own?.recipes.find((one) => one.task === task)?.csv ?? null
  if (csv === null) return null
  const parts = [`${csv.header}\n`]
  for (let offset = 0, total = 1; offset < total;) {
    const page = await client.samplesOf(summary.runId, task, { offset, count: samplesPerCall })
    if (page.samples.length === 0) break
    parts.push(csvText(page.samples))
    offset += page.samples.length
    total = page.total
  }
  return { name: lastPart(csv.path), type: 'text/csv', text: parts.join('') }
}

/** Small files of ours beside the results, such as the original MMLU program's accuracies. */
export function ownFiles(summary: RunSummary): readonly NamedText[] {
  return (summary.own?.files ?? []).map(({ path, text }) => ({ name: lastPart(path), type: 'application/json', text }))
}

const samplesPerCall = 500

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Hands a text to the browser's downloads. */
export function download({ name, type, text }: NamedText): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The download reads the address after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}

/** ISO time with `:` as `-`, as the harness names its files. */
function fileTime(manifest: RunManifest | null): string {
  return (manifest?.createdAt ?? new Date().toISOString()).replace(/Z$/, '').replaceAll(':', '-')
}
