/** A task's samples, part by part: of a run of this browser, or of one that was opened. */
import type { SampleView } from '../../contracts/samples.ts'
import type { RunClient } from '../run-client.ts'

/** Whatever gives a run's samples by the page. */
export type SampleSource = Pick<RunClient, 'samplesOf'>

/** How many samples one call asks for, so that no single message is large. */
const samplesPerCall = 500

/** All samples in the order of the samples file. `first`: no more than so many. */
export async function* samplePages(
  source: SampleSource,
  runId: string,
  task: string,
  first = Infinity,
): AsyncGenerator<readonly SampleView[], void> {
  for (let offset = 0, total = 1; offset < Math.min(total, first);) {
    const page = await source.samplesOf(runId, task, { offset, count: Math.min(samplesPerCall, first - offset) })
    if (page.samples.length === 0) return
    yield page.samples
    offset += page.samples.length
    total = page.total
  }
}
