/** Where a task's rows come from, and which of them it needs. */
import { EvalError } from '../../base/errors.ts'
import type { DatasetReference } from '../../contracts/rows.ts'
import { isDict, isList, repr, str, toJson, type PyValue } from '../../python/value.ts'
import type { TaskConfig } from './task-config.ts'

/** The dataset that a task names. Throws `task/invalid` without one, `task/unsupported` for datasets that Python code makes. */
export function datasetReference(config: TaskConfig): DatasetReference {
  const place = `${config.file}: task '${config.task}'`
  const details = { file: config.file, task: config.task }
  if (config.customDataset !== null) {
    throw new EvalError(
      'task/unsupported',
      `${place}: custom_dataset makes its rows in Python (${config.customDataset.name}), which this program can't run`,
      { details },
    )
  }
  if (config.datasetPath === null)
    throw new EvalError('task/invalid', `${place}, dataset_path: wanted the name of a dataset, found none`, {
      details: { ...details, key: 'dataset_path' },
    })
  const kwargs = new Map(config.datasetKwargs ?? [])
  const files = kwargs.get('data_files') ?? null
  for (const key of ['data_files', 'trust_remote_code']) kwargs.delete(key)
  return {
    path: config.datasetPath,
    name: config.datasetName,
    kwargs: Object.fromEntries([...kwargs].map(([key, value]) => [key, toJson(value)])),
    dataFiles: files === null ? null : readDataFiles(files, place),
  }
}

/** A name or list of names is the split `train`; a mapping names its splits. */
function readDataFiles(files: PyValue, place: string): { readonly [split: string]: readonly string[] } {
  const list = (value: PyValue): readonly string[] => {
    const names = isList(value) ? value : [value]
    if (names.some((name) => typeof name !== 'string'))
      throw new EvalError('task/invalid', `${place}, dataset_kwargs: data_files wants file names, found ${repr(value)}`)
    return names.map(str)
  }
  return isDict(files) ? Object.fromEntries([...files].map(([split, value]) => [split, list(value)])) : { train: list(files) }
}

/** The split whose rows are asked: test if the task names one, else validation. Throws `task/invalid` when it names neither. */
export function evalSplitOf(config: TaskConfig): string {
  const split = config.testSplit ?? config.validationSplit
  if (split !== null) return split
  throw new EvalError(
    'task/invalid',
    `${config.file}: task '${config.task}' names neither test_split nor validation_split, so there is nothing to ask`,
    {
      details: { file: config.file, task: config.task },
    },
  )
}

/** The split that few-shot examples come from; null when the task brings its own examples. */
export function fewshotSplitOf(config: TaskConfig): string | null {
  if (config.fewshot.split !== null) return config.fewshot.split
  return config.fewshot.samples === null ? (config.trainingSplit ?? config.validationSplit ?? config.testSplit) : null
}

/** The splits that must be loaded: the one asked, and with few-shot examples the one that they come from. */
export function requiredSplits(config: TaskConfig, numFewshot: number): readonly string[] {
  const pool = numFewshot > 0 ? fewshotSplitOf(config) : null
  return [...new Set([evalSplitOf(config), ...(pool === null ? [] : [pool])])]
}

/**
 * Whether a doc's requests depend on more rows than its own (and doc 0's, on which each task is tried out): few-shot examples are drawn from
 * a whole split, and `process_docs` may drop, add or reorder rows.
 */
export function needsAllRows(config: TaskConfig, numFewshot: number): boolean {
  return numFewshot > 0 || config.processDocs !== null
}

/** Examples per prompt: the file's 0 beats the command line, which beats any other number of the file; unset is 0. */
export function resolveNumFewshot(config: TaskConfig, asked: number | null): number {
  return config.numFewshot === 0 ? 0 : (asked ?? config.numFewshot ?? 0)
}
