/** Runs as they are kept. */
import type { Json, WireError } from '../base/errors.ts'
import type { EngineFacts } from './engine.ts'
import type { TokenizerFacts, TokenizerSource } from './models.ts'
import type { DatasetOrigin } from './rows.ts'
import type { RunSettings } from './run-settings.ts'

export type RunStatus = 'running' | 'complete' | 'interrupted' | 'failed'

/** Immutable description of a run: with the same manifest, the same plan. Stored once. */
export interface RunManifest {
  readonly schemaVersion: 1
  readonly runId: string
  readonly createdAt: string
  readonly app: { readonly version: string; readonly build: string }
  readonly settings: RunSettings
  readonly model: {
    readonly id: string
    readonly revision: string
    readonly commit: string
    readonly license: string | null
    readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[]
    /** Absent where the tokenizer is of the model's own repository. */
    readonly tokenizerSource?: TokenizerSource
  }
  readonly tokenizer: TokenizerFacts
  readonly engine: EngineFacts
  readonly datasets: { readonly [task: string]: DatasetOrigin }
  /** Resolved config of every task, as YAML-able JSON, with its SHA-256. */
  readonly tasks: {
    readonly [task: string]: {
      readonly config: Json
      readonly sha256: string
      /** What the user should know of its prompts before believing the scores; absent for nothing. */
      readonly warnings?: readonly string[]
    }
  }
  readonly plan: {
    readonly hash: string
    readonly requests: number
    readonly batches: number
    /** Hash of each 1,024 requests, so that the first difference can be shown; not in runs of the first version. */
    readonly parts?: readonly string[]
  }
}

export interface RunRow {
  readonly runId: string
  readonly manifest: RunManifest
  readonly status: RunStatus
  /** Fencing token: raised by each writer that takes the run over; a write with an older one fails. */
  readonly epoch: number
  readonly updatedAt: string
  readonly docsDone: number
  readonly docsTotal: number
  readonly error: WireError | null
}
