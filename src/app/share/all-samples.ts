/** All samples of a run, task by task, as sharing and comparing need them. */
import type { SampleView } from '../../core/types.ts'
import type { RunClient } from '../run-client.ts'

const samplesPerCall = 500

export async function allSamples(
  client: RunClient,
  runId: string,
  tasks: readonly string[],
): Promise<ReadonlyMap<string, readonly SampleView[]>> {
  const all = new Map<string, readonly SampleView[]>()
  for (const task of tasks) {
    const views: SampleView[] = []
    for (let total = 1; views.length < total;) {
      const part = await client.samplesOf(runId, task, { offset: views.length, count: samplesPerCall })
      if (part.samples.length === 0) break
      views.push(...part.samples)
      total = part.total
    }
    all.set(task, views)
  }
  return all
}
