/** All samples of a run, task by task, as sharing and comparing need them. */
import { append } from '../../base/arrays.ts'
import type { SampleView } from '../../contracts/samples.ts'
import { samplePages, type SampleSource } from '../runs/sample-pages.ts'

export async function allSamples(
  source: SampleSource,
  runId: string,
  tasks: readonly string[],
): Promise<ReadonlyMap<string, readonly SampleView[]>> {
  const all = new Map<string, readonly SampleView[]>()
  for (const task of tasks) {
    const views: SampleView[] = []
    for await (const page of samplePages(source, runId, task)) append(views, page)
    all.set(task, views)
  }
  return all
}
