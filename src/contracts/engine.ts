/** What an engine is: device, scoring path, and how far it was checked. */

export type DeviceChoice = 'auto' | 'webgpu' | 'wasm'

export type Device = 'webgpu' | 'wasm'

export type ScoringPath = 'reference' | 'fast'

/** Decomposed attention with explicit MatMul/Softmax; GroupQueryAttention; anything else with logits. */
export type GraphFamily = 'decomposed' | 'gqa' | 'other'

/** Result of comparing an adapter with WASM before a score is believed; see engines/scoring/self-check.ts. */
export interface SelfCheck {
  readonly status: 'passed' | 'limited' | 'failed' | 'skipped'
  /** Largest absolute difference in log-probability per token, in nats, within the agreed pass length; null when skipped. */
  readonly maxAbsDiff: number | null
  readonly tolerance: number
  /** Longest pass, in tokens, up to which every tried pass length agrees; null = no limit found. */
  readonly maxRunTokens: number | null
  readonly reference: 'wasm' | 'self' | 'none'
  /** Every length tried with its largest difference in nats. */
  readonly trials: readonly { readonly runTokens: number; readonly maxAbsDiff: number }[]
  readonly message: string
}

/** How the fast path lays out its runs. Decides numbers, so it is part of the numeric class. */
export interface PassLayout {
  /** Most tokens a pass. */
  readonly tokens: number
  /** Most rows that a pass projects onto the vocabulary. */
  readonly rows: number
  /** Branches that don't see each other may share a pass. */
  readonly packs: boolean
  /** A prefix's keys and values may be kept and continued. */
  readonly shares: boolean
  /** Most tokens of texts that are written together, what may be written included; absent: one text at a time. */
  readonly textTokens?: number | undefined
  /** Keys and values are written where they stay, without copies; absent: no. */
  readonly inPlace?: boolean | undefined
  /** GroupQueryAttention is computed by the operators that it stands for; absent: no. */
  readonly splitsAttention?: boolean | undefined
}

/** What the fast path is here, and how far it is from the reference path on the same sequences. */
export interface FastScoring {
  readonly layout: PassLayout
  /** Where rows are chosen: before the projection onto the vocabulary, or after it where the graph can't be cut there. */
  readonly cut: 'hidden' | 'logits'
  /** Differences between both paths in nats: of a token's log-probability, and of a target list's sum. */
  readonly check: { readonly sequences: number; readonly tokens: number; readonly maxAbsDiff: number; readonly maxSumDiff: number }
  /** As they were when the model was opened; they tell the time left and decide no number. */
  readonly costs?: PassCosts | undefined
}

/** Milliseconds: of a pass, whatever is in it, and of each of its tokens. */
export interface PassCosts {
  readonly runMs: number
  readonly tokenMs: number
}

/** What an adapter allows, as far as memory and kernels depend on it. */
export interface AdapterLimits {
  readonly maxBufferBytes: number
  readonly maxStorageBufferBindingBytes: number
  /** Of a workgroup. */
  readonly maxWorkgroupStorageBytes: number
  readonly maxWorkgroupThreads: number
  /** Fewest and most threads of a subgroup; null where the browser doesn't say. */
  readonly subgroupSizes: readonly [number, number] | null
}

export interface EngineFacts {
  readonly device: Device
  readonly deviceReason: string
  readonly dtype: string
  readonly scoring: ScoringPath
  /** Why the reference path is used although the fast one was asked for. */
  readonly scoringReason?: string
  /** Absent on the reference path. */
  readonly fast?: FastScoring
  readonly family: GraphFamily
  /** Attention's scores are capped as the model's config says, on request; absent: as the graph has it, or as PyTorch's own attention. */
  readonly attention?: 'eager'
  readonly engine: string
  readonly threads: number
  readonly adapter: {
    readonly vendor: string
    readonly architecture: string
    readonly description: string
    readonly isFallback: boolean
    /** Those by which kernels are chosen; this and the limits are absent in runs of earlier versions. */
    readonly features?: readonly string[]
    readonly limits?: AdapterLimits
  } | null
  /** Switches of its GPU that the browser was started with; absent where nobody can know: in a page. */
  readonly switches?: readonly string[]
  readonly selfCheck: SelfCheck
  /** Prefill is cut into passes of at most this many tokens; null = one pass. */
  readonly chunkTokens: number | null
  /** On WASM, products with weights of 4 or 8 bits: how many have them unpacked, and the bytes that these take. Decides no number. */
  readonly unpackedProducts?: { readonly products: number; readonly unpacked: number; readonly bytes: number }
  /** q8 graphs whose scores depend on what shares a pass (performance notes §9). */
  readonly isDynamicallyQuantised: boolean
  /** Everything numeric that decides an answer besides model files and tokens, as one string for the answer key. */
  readonly numericClass: string
}
