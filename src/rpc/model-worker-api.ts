/** What the model worker offers: one ONNX Runtime session. */
import type { EngineFacts } from '../contracts/engine.ts'
import type { ForwardAnswer, ForwardItem, GeneratedPart, GenerationItem } from '../contracts/items.ts'
import type { AdapterFacts, OpenOptions, SessionCounts } from '../contracts/model-session.ts'

/** A model's files, verified: as Blobs over the browser's storage, which cross to a worker without a copy, or as bytes where nothing is stored. */
export type ModelPayload = ExportedPayload | CheckpointPayload | GgufPayload

/** A GGUF file, or all parts of one, by name. */
export interface GgufPayload {
  readonly gguf: readonly { readonly path: string; readonly bytes: Blob | Uint8Array }[]
}

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

export interface ModelWorkerApi {
  /** Null where there is no WebGPU. */
  describeAdapter(): Promise<AdapterFacts | null>
  /** Opens a session, after the self-check; replaces the one that was open. */
  open(model: ModelPayload, options: OpenOptions): Promise<EngineFacts>
  /** Answers in the order of `items`: one batch of a plan, whose items share their first tokens up to the last of `prefixes`. */
  score(items: readonly ForwardItem[], prefixes?: readonly number[]): Promise<readonly ForwardAnswer[]>
  /**
   * Reads the prompts of one batch of a plan, so that `continueGeneration` can write after them; gives up those before. `written`: tokens that a text, in
   * the order of the items, has already.
   */
  beginGeneration(items: readonly GenerationItem[], prefixes?: readonly number[], written?: readonly Int32Array[]): Promise<void>
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
  stats(): Promise<SessionCounts>
  close(): Promise<void>
}
