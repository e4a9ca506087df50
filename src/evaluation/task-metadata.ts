import type { Json } from '../core/errors.ts'
import { effectiveArgs } from '../core/model-args.ts'
import type { RunSettings } from '../core/types.ts'

/**
 * What every task's `metadata` is given: the model's arguments, the revision among them, and `--metadata` over them. So a task file that
 * leaves a place for `revision` tells in its results which checkpoint was asked. lm_eval 0.4.13, EvaluatorConfig._process_arguments.
 */
export function taskMetadata({ revision, modelArgs, metadata }: Pick<RunSettings, 'revision' | 'modelArgs' | 'metadata'>): {
  readonly [key: string]: Json
} {
  // `main` is what a run has that names no revision; the harness has nothing to tell then (see `metadataOf` in core/registry-expand.ts).
  return { ...(revision === 'main' ? {} : { revision }), ...effectiveArgs(modelArgs), ...metadata }
}
