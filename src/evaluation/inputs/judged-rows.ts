/** The rows of a judge's task, made from what this browser keeps. */
import { judgedSource } from '../../analysis/judge/address.ts'
import { judgeDocs, rowsOfDocs } from '../../analysis/judge/docs.ts'
import { quizRows } from '../../analysis/judge/quiz.ts'
import { readPages } from '../../base/pages.ts'
import { EvalError } from '../../base/errors.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { SampleView } from '../../contracts/samples.ts'
import type { Store } from '../../storage/store.ts'

const samplesPerPart = 500

/**
 * The rows behind an address of `RunSettings.dataFiles` as lines of JSON; null for an address that is no judge's. Throws `run/not-found` for a
 * run that isn't kept here, and as `judgeDocs`.
 */
export async function judgedRows(address: string, store: Pick<Store, 'readRun' | 'samplesOf'>): Promise<Blob | null> {
  const source = judgedSource(address)
  if (source === null) return null
  if (source.kind === 'quiz') return new Blob([quizRows()])
  const { runId, task } = source
  if ((await store.readRun(runId)) === null)
    throw new EvalError('run/not-found', `The judged run ${runId} is not in this browser.`, { details: { runId } })
  return new Blob([rowsOfDocs(judgeDocs(await allSamples(store, runId, task), source))])
}

/** Whether any of the rows come from a run whose own rows were gated or private. */
export async function areRestricted(dataFiles: RunSettings['dataFiles'], store: Pick<Store, 'readRun'>): Promise<boolean> {
  for (const address of Object.values(dataFiles)) {
    const source = judgedSource(address)
    if (source?.kind !== 'run') continue
    const judged = await store.readRun(source.runId)
    if (judged?.manifest.datasets[source.task]?.isRestricted === true) return true
  }
  return false
}

function allSamples(store: Pick<Store, 'samplesOf'>, runId: string, task: string): Promise<readonly SampleView[]> {
  return readPages((offset) => store.samplesOf(runId, task, { offset, count: samplesPerPart }))
}
