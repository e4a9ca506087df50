/** The two result files as the page offers them for download. */
import type { RunManifest } from '../core/types.ts'
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
