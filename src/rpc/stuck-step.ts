/** What a worker died of when a template, a filter or a metric never ended on one doc. */
import { EvalError, type ErrorCode } from '../base/errors.ts'
import type { WatchedStep } from '../base/watched-step.ts'

/** Longest that one step may take, in milliseconds of waking time. */
export type StepDeadlines = { readonly [kind in WatchedStep['kind']]: number }

/** A thousand times what such a step takes; one that is not done by then is not going to be. */
export const stepDeadlinesMs: StepDeadlines = { prompt: 10_000, filter: 10_000, score: 30_000 }

const codes: { readonly [kind in WatchedStep['kind']]: ErrorCode } = {
  prompt: 'template/budget',
  filter: 'regex/timeout',
  score: 'metric/failed',
}

/**
 * The error of a step that missed its deadline: `template/budget` for a prompt, `regex/timeout` for a filter, `metric/failed` for metrics.
 * Its details hold the worker's name, and the step as `stuck`.
 */
export function stuckStep(name: string, step: WatchedStep, milliseconds: number): EvalError {
  const { task, docId, kind, filter, pattern } = step
  const seconds = milliseconds / 1000
  const what = {
    prompt: 'making its prompt',
    filter: pattern === null ? `the filter '${filter ?? ''}'` : `the filter '${filter ?? ''}' with the pattern ${JSON.stringify(pattern)}`,
    score: `computing its metrics under the filter '${filter ?? ''}'`,
  }[kind]
  return new EvalError(codes[kind], `Task ${task}, doc ${docId}: ${what} took more than ${seconds} s and was stopped.`, {
    details: { name, milliseconds, stuck: { task, docId, kind, filter, pattern } },
  })
}

/** The step that a worker was ended for; null for any other error. */
export function readStuckStep({ details }: EvalError): WatchedStep | null {
  const stuck = details['stuck']
  if (typeof stuck !== 'object' || stuck === null || Array.isArray(stuck)) return null
  // Written by `stuckStep` alone, and carried as plain JSON.
  return stuck as unknown as WatchedStep
}
