/** Facts about a running evaluation. */
import type { WireError } from '../base/errors.ts'
import type { EngineFacts } from './engine.ts'
import type { RunManifest, RunStatus } from './runs.ts'

export type Phase = 'tasks' | 'data' | 'model' | 'self-check' | 'score' | 'results'

/** Facts about a running evaluation; the page derives percentages, rates and text. At most ten `progress` events a second. */
export type RunEvent =
  | { readonly type: 'phase'; readonly phase: Phase }
  /**
   * Bytes of one file that are here, those that were kept already included: it never goes down. The sum over files is the whole download;
   * every file of a model is named once, with 0 bytes at least, before the first of them is fetched.
   */
  | { readonly type: 'bytes'; readonly file: string; readonly loaded: number; readonly total: number | null }
  | {
      readonly type: 'started'
      readonly runId: string
      readonly manifest: RunManifest
      readonly docsTotal: number
      readonly requestsTotal: number
    }
  | { readonly type: 'engine'; readonly facts: EngineFacts }
  /** What was chosen for the user, for those who see no page: no reason to doubt the scores. */
  | { readonly type: 'note'; readonly message: string }
  | {
      readonly type: 'progress'
      readonly docsDone: number
      readonly docsTotal: number
      readonly requestsDone: number
      readonly requestsTotal: number
      /** Answers taken from the store rather than computed. */
      readonly requestsKept: number
      /** Forward passes so far. */
      readonly runs: number
      /** Of what the model has to compute in this session, in planned tokens: how much is done. Tells the time left. */
      readonly work?: { readonly done: number; readonly total: number } | undefined
      /** Running score of each task over the docs finished so far; the interval is 95% Wilson for means of 0/1. */
      readonly scores: readonly RunningScore[]
    }
  /** The text that is being written, at most ten times a second: its end, its tokens so far, and how many come a second; null at its start. */
  | {
      readonly type: 'generating'
      readonly task: string
      readonly docId: number
      readonly tail: string
      readonly tokens: number
      readonly maxTokens: number
      readonly tokensPerSecond: number | null
    }
  | { readonly type: 'warning'; readonly message: string }
  /**
   * The run stands still and goes on by itself: for what it waits, why in one sentence, and in how many seconds it tries again (null where
   * nobody knows). Any later event but a warning ends the waiting. A download that waits says so each second, with the seconds left.
   */
  | { readonly type: 'waiting'; readonly what: 'gpu' | 'network' | 'worker'; readonly message: string; readonly seconds: number | null }
  | { readonly type: 'done'; readonly runId: string; readonly status: RunStatus; readonly error: WireError | null }

/** Score so far of one metric whose aggregation is a mean, over the docs finished. */
export interface RunningScore {
  readonly task: string
  readonly metric: string
  readonly value: number
  readonly n: number
  readonly low: number
  readonly high: number
  /** Docs in whose replies the filter found no answer; not given where it doesn't search for one. */
  readonly failed?: number
}
