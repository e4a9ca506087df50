/** What a run is asked for. */
import type { Json, WireError } from '../base/errors.ts'
import type { DeviceChoice, ScoringPath } from './engine.ts'
import type { ModelFormat } from './models.ts'
import type { Shard } from './shard.ts'

export interface TaskFile {
  /** Path with `/`, unique; includes resolve relative to it. */
  readonly path: string
  readonly text: string
}

export interface RunSettings {
  readonly model: string
  readonly revision: string
  readonly dtype: string | null
  /** Which form of the weights to take; absent = the first that the repository has, of the order of `modelFormats`. */
  readonly modelFormat?: ModelFormat
  readonly modelArgs: { readonly [key: string]: Json }
  readonly device: DeviceChoice
  readonly scoring: ScoringPath
  readonly tasks: readonly string[]
  /** Files given by the user (`--include_path`, pasted); they win over the bundled ones of the same task name. */
  readonly taskFiles: readonly TaskFile[]
  /** Local data files by the path that a task names (`data_files`), each with an address on our own origin. */
  readonly dataFiles: { readonly [path: string]: string }
  readonly numFewshot: number | null
  readonly limit: number | null
  readonly samples: { readonly [task: string]: readonly number[] } | null
  readonly applyChatTemplate: boolean | string
  readonly fewshotAsMultiturn: boolean | null
  readonly systemInstruction: string | null
  readonly genKwargs: { readonly [key: string]: Json }
  readonly seeds: { readonly random: number; readonly numpy: number; readonly torch: number; readonly fewshot: number }
  readonly bootstrapIters: number
  readonly predictOnly: boolean
  readonly metadata: { readonly [key: string]: Json }
  /** false: never read answers of other runs, nor let them read these; what is kept is for going on with this run alone. */
  readonly useCache: boolean
  /** Weights of 4 and 8 bits stay packed on WASM, which takes less memory and more time for the same scores; absent = they are unpacked as far as memory allows. */
  readonly keepsPacked?: true
  /** So many of the run's first items are computed again when it is done, twice together and twice one at a time; absent = none. */
  readonly noiseItems?: number
  /** The part of the docs that is asked; absent = all. */
  readonly shard?: Shard
}

/** A run that waits for others before it, or has had its turn. */
export interface QueuedRun {
  /** Entries run in ascending order; the number names the entry. */
  readonly place: number
  readonly settings: RunSettings
  /** `running` also of one that was cut off: nothing can be written at that moment. */
  readonly state: 'waiting' | 'running' | 'done' | 'failed'
  /** Given before the run begins, so that one which was cut off is found again; null while it waits. */
  readonly runId: string | null
  /** Why it failed or stopped. */
  readonly error: WireError | null
}
