/** Where the sample viewer gets its docs: a run of this browser, or samples that lie in memory (an imported file, an opened run). */
import { searchTexts } from '../../analysis/viewer/doc-filters.ts'
import { indexDocs, type DocIndex, type IndexedDocs } from '../../analysis/viewer/doc-index.ts'
import type { RunManifest } from '../../contracts/runs.ts'
import type { SampleView } from '../../contracts/samples.ts'
import type { PromptTokens } from '../../rpc/task-preview-api.ts'
import type { RunClient } from '../run-client.ts'

export interface DocSource {
  /** An index a task, in the order of the results; none for a run without samples. */
  indexes(): Promise<readonly DocIndex[]>
  /** The sample at an entry of a task's index; null when it isn't there any more. */
  sampleAt(task: string, entry: number): Promise<SampleView | null>
  /** A byte an entry of each index: 1 where the doc's texts hold the searched one. */
  search(searched: string): Promise<readonly Uint8Array[]>
  /** A prompt's tokens; null where that takes a download which the reader must allow. The whole is null where the tokenizer isn't known. */
  readonly promptTokens: ((sample: SampleView, mayAskHub: boolean) => Promise<PromptTokens | null>) | null
}

/** The docs of a kept run. Without its manifest prompts are shown without tokens. */
export function runDocSource(client: RunClient, runId: string, manifest: RunManifest | null): DocSource {
  return {
    indexes: () => client.docIndexesOf(runId),
    sampleAt: async (task, entry) => (await client.samplesOf(runId, task, { offset: entry, count: 1 })).samples[0] ?? null,
    search: (searched) => client.searchDocs(runId, searched),
    promptTokens:
      manifest === null
        ? null
        : ({ prompt, choices }, mayAskHub) =>
            client.promptTokens({
              prompt,
              isScored: choices.length > 0,
              tokenizer: {
                model: manifest.settings.model,
                revision: revisionOf(manifest),
                modelArgs: manifest.settings.modelArgs,
              },
              mayAskHub,
            }),
  }
}

/** The commit where there is one: a branch may have moved on since. */
function revisionOf({ model }: RunManifest): string {
  return /^[0-9a-f]{40}$/.test(model.commit) ? model.commit : model.revision
}

/** The docs of samples that are in memory, a list a task in the order of its samples file; `made` is their index where there is one. */
export function memoryDocSource(
  samples: ReadonlyMap<string, readonly SampleView[]>,
  made: readonly IndexedDocs[] | null = null,
): DocSource {
  let indexed = made
  const indexAll = () => (indexed ??= [...samples].map(([task, list]) => indexDocs(task, list)))
  return {
    indexes: async () => indexAll().map(({ index }) => index),
    sampleAt: async (task, entry) => samples.get(task)?.[entry] ?? null,
    search: async (searched) => indexAll().map(({ search }) => searchTexts(search, searched)),
    promptTokens: null,
  }
}
