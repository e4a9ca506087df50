/** What is asked and known of a model's session, on both sides of the model worker. */
import type { DeviceChoice, ScoringPath } from './engine.ts'
import type { ForwardItem } from './items.ts'

/** What WebGPU offers, as far as it decides what can run and how numbers come out. */
export interface AdapterFacts {
  readonly vendor: string
  readonly architecture: string
  readonly device: string
  readonly description: string
  /** The browser calls it a fallback, or its name is a software rasteriser's. */
  readonly isFallback: boolean
  readonly hasShaderF16: boolean
  readonly features: readonly string[]
  readonly maxBufferBytes: number
  readonly maxStorageBufferBindingBytes: number
  /** Bytes that the threads of a workgroup share, and most threads of one: kernels are cut by them. */
  readonly maxWorkgroupStorageBytes: number
  readonly maxWorkgroupThreads: number
  /** Threads that run in step, the fewest and the most; null where the browser doesn't say. */
  readonly subgroupSizes: readonly [number, number] | null
}

/** How a model is opened. */
export interface OpenOptions {
  readonly device: DeviceChoice
  readonly dtype: string
  readonly scoring: ScoringPath
  /** WASM threads; null: up to four, one without cross-origin isolation. Counts for the first session of a worker. */
  readonly threads: number | null
  /** Caps attention's scores as config.json says, of weights without a graph; else as PyTorch's own attention does, which has no cap. */
  readonly keepsCap?: boolean
  /** Weights of 4 and 8 bits stay packed on WASM: less memory, slower, the same bits (decision 0079). */
  readonly keepsPacked?: boolean
  /** Some of the sequences that will be scored: the fast path is held against the reference path on them, besides on made ones. */
  readonly checkItems?: readonly ForwardItem[]
  /** Switches of its GPU that the browser was started with, where whoever started it says so: the command line; pages can't know. */
  readonly switches?: readonly string[]
  /** Tokens a pass of the fast path on WebGPU as they were measured before, obeyed where they still agree. */
  readonly runTokens?: number
}

/** What a session has done so far, checks excluded. */
export interface SessionCounts {
  readonly runs: number
  /** Tokens computed. */
  readonly tokens: number
  /** Rows projected onto the vocabulary. */
  readonly rows: number
  /** Bytes of scores and logits that came back; keys and values don't count. */
  readonly bytesReadBack: number
  /** Time inside ONNX Runtime. */
  readonly milliseconds: number
}
