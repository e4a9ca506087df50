/** The files that a run can be taken away as, each made when it is asked for. */
import { append } from '../../base/arrays.ts'
import type { RunManifest } from '../../contracts/runs.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { sanitizeModelName } from '../../harness/results/file-names.ts'
import { effectiveArgs } from '../../settings/model-args.ts'
import type { RunSummary } from '../../contracts/results.ts'
import { fileTime } from '../runs/result-files.ts'
import { samplePages, type SampleSource } from '../runs/sample-pages.ts'
import { samplesCsv } from './csv.ts'
import { restrictedTasks, withoutText } from './restricted.ts'
import { packRun, runFileExtension } from './run-file.ts'

/** A run with its samples, and whether the text of gated or private rows was asked for. */
export interface Taken {
  readonly source: SampleSource
  readonly summary: RunSummary
  readonly manifest: RunManifest | null
  readonly tasks: readonly string[]
  readonly withText: boolean
}

/** Tasks whose rows' text stays here. */
export function withheldTasks({ manifest, withText }: Pick<Taken, 'manifest' | 'withText'>): readonly string[] {
  return withText ? [] : restrictedTasks(manifest).map(({ task }) => task)
}

/** What is done to each sample of a task before it leaves. */
export function changeFor(taken: Pick<Taken, 'manifest' | 'withText'>): (view: SampleView) => SampleView {
  const withheld = new Set(withheldTasks(taken))
  return (view) => (withheld.has(view.task) ? withoutText(view) : view)
}

/** `stem_<time>extension`. */
export function nameOf(taken: Pick<Taken, 'manifest'>, stem: string, extension: string): string {
  return `${sanitizeModelName(stem)}_${fileTime(taken.manifest)}${extension}`
}

/** All docs of a task as CSV. */
export async function docsCsv(taken: Taken, task: string): Promise<string> {
  const change = changeFor(taken)
  const views: SampleView[] = []
  for await (const page of samplePages(taken.source, taken.summary.runId, task)) append(views, page.map(change))
  return samplesCsv(views)
}

/** The first docs of each task, and how many there are under its first filter. */
export async function firstDocs(
  taken: Taken,
  count: number,
): Promise<ReadonlyMap<string, { readonly views: readonly SampleView[]; readonly total: number }>> {
  const change = changeFor(taken)
  const all = new Map<string, { views: readonly SampleView[]; total: number }>()
  for (const task of taken.tasks) {
    const { samples, total } = await taken.source.samplesOf(taken.summary.runId, task, { offset: 0, count })
    all.set(task, { views: samples.map(change), total })
  }
  return all
}

/** The whole run as one file. */
export async function wholeRun(taken: Taken, manifest: RunManifest): Promise<{ readonly name: string; readonly blob: Blob }> {
  const change = changeFor(taken)
  async function* samples(): AsyncGenerator<readonly SampleView[], void> {
    for (const task of taken.tasks) for await (const page of samplePages(taken.source, taken.summary.runId, task)) yield page.map(change)
  }
  const settings = { ...manifest.settings, modelArgs: effectiveArgs(manifest.settings.modelArgs) }
  const blob = await packRun({ manifest: { ...manifest, settings }, summary: taken.summary, samples: samples() })
  return { name: nameOf(taken, `run_${manifest.model.id}`, runFileExtension), blob }
}
