import type { Json } from '../../base/errors.ts'
import type { RunSettings } from '../../contracts/run-settings.ts'
import { effectiveArgs } from '../../settings/model-args.ts'

/**
 * What every task's `metadata` is given: the model's arguments, the revision among them, and `--metadata` over them. So a task file that
 * leaves a place for `revision` tells in its results which checkpoint was asked. lm_eval 0.4.13, EvaluatorConfig._process_arguments.
 */
export function taskMetadata({ revision, modelArgs, metadata }: Pick<RunSettings, 'revision' | 'modelArgs' | 'metadata'>): {
  readonly [key: string]: Json
} {
  // `main` is what a run has that names no revision; the harness has nothing to tell then (see `metadataOf` in harness/tasks/registry-expand.ts).
  return { ...(revision === 'main' ? {} : { revision }), ...effectiveArgs(modelArgs), ...metadata }
}
