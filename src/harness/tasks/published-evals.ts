/** Evaluations that a model's makers published: one data set a model, with prompts, answers and who was right (document: Meta's recipe). */
import { EvalError } from '../../base/errors.ts'
import { isList, repr, str, type PyDict } from '../../python/value.ts'

interface EvalsDataset {
  readonly datasetPath: string | null
  readonly datasetName: string | null
}

/**
 * The data set with `metadata.evals_dataset` (`owner/Model-evals`) in the place of the one that the task file names, where that is of this
 * kind: a configuration called after its data set (`x/Model-evals`, `Model-evals__task__details`). Throws `settings/invalid` for another value.
 */
export function publishedEvals(path: string | null, name: string | null, metadata: PyDict): EvalsDataset {
  const given = metadata.get('evals_dataset') ?? null
  const last = path?.slice(path.lastIndexOf('/') + 1) ?? ''
  if (given === null || name?.startsWith(`${last}__`) !== true) return { datasetPath: path, datasetName: name }
  if (typeof given !== 'string' || !/^[\w.-]+\/[\w.-]+$/.test(given))
    throw new EvalError('settings/invalid', `metadata, evals_dataset: wanted a data set such as ${path ?? ''}, found ${repr(given)}`, {
      details: { key: 'evals_dataset' },
    })
  return { datasetPath: given, datasetName: given.slice(given.lastIndexOf('/') + 1) + name.slice(last.length) }
}

/** What a task's score can't be held against, as its file says under `metadata.comparability`; sentences, each with the task's name. */
export function comparabilityNotes(task: string, metadata: PyDict): readonly string[] {
  const notes = metadata.get('comparability') ?? null
  return isList(notes) ? notes.map((note) => `${task}: ${str(note)}`) : []
}
