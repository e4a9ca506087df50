/**
 * The inputs of a run that goes on, at the commits at which it began. A branch may have moved since: then the old commit is asked for, and
 * the user told; where that is gone, the new one comes back, and the comparison of manifests refuses it.
 */
import { isEvalError } from '../../base/errors.ts'
import type { LeafTask } from '../../contracts/built-task.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import type { RunRow } from '../../contracts/runs.ts'
import type { DataSource, Evaluation, ResolvedModel } from '../ports.ts'

/** The model at the commit of `resumeOf`, or at what its revision names now. */
export async function resolveModelAsBegun(
  settings: RunSettings,
  resumeOf: RunRow | null,
  { models, emit, signal }: Evaluation,
): Promise<ResolvedModel> {
  const model = await models.resolve(settings, signal)
  const begun = resumeOf?.manifest.model.commit ?? model.description.commit
  if (model.description.commit === begun) return model
  const pinned = await orNull(models.resolve({ ...settings, revision: begun }, signal))
  if (pinned?.description.commit !== begun) return model
  emit({ type: 'warning', message: movedMessage(`The model ${settings.model}`, begun) })
  return pinned
}

type Loaded = Awaited<ReturnType<DataSource['load']>>

/** A task's rows at the commit of `resumeOf`, or as they are now. */
export async function loadDataAsBegun(
  leaf: LeafTask,
  settings: RunSettings,
  resumeOf: RunRow | null,
  { data, emit, signal }: Evaluation,
  onBytes: (file: string, loaded: number, total: number | null) => void,
): Promise<Loaded> {
  const loaded = await data.load(leaf.dataset, leaf.splits, settings, onBytes, signal)
  const begun = resumeOf?.manifest.datasets[leaf.name]?.commit ?? null
  if (begun === null || loaded.origin.commit === begun) return loaded
  const dataset = { ...leaf.dataset, kwargs: { ...leaf.dataset.kwargs, revision: begun } }
  const pinned = await orNull(data.load(dataset, leaf.splits, settings, onBytes, signal))
  if (pinned?.origin.commit !== begun) return loaded
  emit({ type: 'warning', message: movedMessage(`The dataset ${leaf.dataset.path}`, begun) })
  return pinned
}

function movedMessage(what: string, commit: string): string {
  return `${what} has a newer revision; this run goes on with the one that it began with (${commit.slice(0, 12)}).`
}

/** Null for what isn't there any more; other failures are thrown. */
async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise
  } catch (error) {
    if (isEvalError(error) && (error.code === 'hub/not-found' || error.code === 'dataset/not-found' || error.code === 'model/not-found'))
      return null
    throw error
  }
}
