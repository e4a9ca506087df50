/** What the model worker offers: one ONNX Runtime session. */
import type { DeviceChoice, EngineFacts, ScoringPath } from '../contracts/engine.ts'
import type { ForwardAnswer, ForwardItem, GeneratedPart, GenerationItem } from '../contracts/items.ts'

/** WebGPU as this worker sees it; null when there is none. */
export interface AdapterDescription {
  readonly vendor: string
  readonly architecture: string
  readonly device: string
  readonly description: string
  readonly isFallback: boolean
  readonly features: readonly string[]
  readonly hasShaderF16: boolean
  readonly maxBufferBytes: number
  readonly maxStorageBufferBindingBytes: number
}

/** A model's files, verified: as Blobs over the browser's storage, which cross to a worker without a copy, or as bytes where nothing is stored. */
export type ModelPayload = ExportedPayload | CheckpointPayload

/** Weights without a graph. */
export interface CheckpointPayload {
  /** Safetensors files, and their index, by name. */
  readonly checkpoint: readonly { readonly path: string; readonly bytes: Blob | Uint8Array }[]
  /** The text of config.json. */
  readonly config: string
}

/** A graph with its weights. */
export interface ExportedPayload {
  readonly graph: Blob | Uint8Array
  /** External data by the location that the graph names. */
  readonly externalData: readonly { readonly path: string; readonly bytes: Blob | Uint8Array }[]
  /** The text of config.json. */
  readonly config: string
}

export interface OpenOptions {
  readonly device: DeviceChoice
  readonly dtype: string
  readonly scoring: ScoringPath
  readonly threads: number | null
  /** Caps attention's scores as the model's config says, where the graph is written here. */
  readonly keepsCap?: boolean
  /** Some of what will be scored: the fast path is held against the reference path on it. */
  readonly checkItems?: readonly ForwardItem[]
  /** Tokens a run as an earlier run of the same engine had them: not measured again. */
  readonly runTokens?: number
}

/** Of the open model so far, checks excluded. */
export interface EngineStats {
  readonly runs: number
  readonly tokens: number
  /** Rows projected onto the vocabulary. */
  readonly rows: number
  /** Bytes of scores and logits. */
  readonly bytesReadBack: number
  /** Time inside ONNX Runtime. */
  readonly milliseconds: number
}

export interface ModelWorkerApi {
  describeAdapter(): Promise<AdapterDescription | null>
  /** Opens a session, after the self-check; replaces the one that was open. */
  open(model: ModelPayload, options: OpenOptions): Promise<EngineFacts>
  /** Answers in the order of `items`: one batch of a plan, whose items share their first tokens up to the last of `prefixes`. */
  score(items: readonly ForwardItem[], prefixes?: readonly number[]): Promise<readonly ForwardAnswer[]>
  /** Reads the prompts of one batch of a plan, so that `continueGeneration` can write after them; gives up those before. */
  beginGeneration(items: readonly GenerationItem[], prefixes?: readonly number[]): Promise<void>
  /**
   * Writes on until the texts end, or each got so many tokens, or so many milliseconds are reached: one token each at least. Texts `ended` (indices) are
   * given up. Parts in the order of the items; null for a text that had ended before.
   */
  continueGeneration(
    limit: { readonly tokens: number; readonly milliseconds: number },
    ended?: readonly number[],
  ): Promise<readonly (GeneratedPart | null)[]>
  /** Gives up the texts that are being written, if any, and frees their cache. */
  endGeneration(): Promise<void>
  stats(): Promise<EngineStats>
  close(): Promise<void>
}
