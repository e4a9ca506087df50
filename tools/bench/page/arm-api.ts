/** What one arm of the benchmark does, in a browser's worker or beside it. Plain numbers, since they cross process borders. */
import type { AdapterFacts } from '../../../src/contracts/model-session.ts'
import type { MmluSize } from '../gpu/mmlu-docs.ts'
import type { Device, EngineFacts, SelfCheck } from '../../../src/contracts/engine.ts'

export type BrowserArmName = 'naive' | 'one_forward' | 'reference' | 'fast' | 'own'

/** A model on the page's origin. */
export interface ArmModel {
  /** The path that all models are below, without a slash at its ends. */
  readonly hub: string
  /** Its folder's name there. */
  readonly folder: string
  readonly dtype: string
  /** File below `onnx/`. */
  readonly file: string
  /** Files of its weights beside it. */
  readonly externalFiles?: readonly string[]
}

export interface ArmOptions {
  readonly arm: BrowserArmName
  readonly device: Device
  readonly threads: number
  /** Of the same model and device, so that it isn't made again; null: make it. */
  readonly selfCheck: SelfCheck | null
  /** Most tokens of a pass; absent: as many as agree. */
  readonly longestRun?: number
  /** Of the browser, for provenance; absent where they aren't looked at. */
  readonly switches?: readonly string[]
}

/** A whole MMLU by the clock. */
export interface MmluUsage extends Usage {
  readonly docs: number
  /** Tokens that have to be computed at least: the trie of all inputs. */
  readonly leastTokens: number
  /** Part of `ms` before the first pass: the plan of all requests. */
  readonly planMs: number
}

/** As `ForwardItem`. */
export interface PlainItem {
  readonly input: readonly number[]
  readonly targets: readonly (readonly number[])[]
}

/** What was spent. Times in milliseconds; `engineMs` is the part inside ONNX Runtime's runs. */
export interface Usage {
  readonly ms: number
  readonly engineMs: number
  readonly runs: number
  /** Positions that went through the model. */
  readonly tokens: number
  /** Rows of logits that were computed. */
  readonly rows: number
  /** Outputs that came to the caller, keys and values that a later run continues left out. */
  readonly bytesReadBack: number
}

/** `sums[i][k]`: log-probability in nats of item i's target list k. */
export interface Scored extends Usage {
  readonly sums: readonly (readonly number[])[]
}

export interface Written extends Usage {
  /** Tokens of each text. */
  readonly written: readonly (readonly number[])[]
}

export interface ArmApi {
  /** WebGPU as the arm sees it; null when there is none. */
  describeAdapter(): Promise<AdapterFacts | null>
  /** Makes and scores MMLU's docs with our engine, as a run does: planned together, batch by batch. Making isn't counted. */
  scoreMmlu(size: MmluSize): Promise<MmluUsage>
  /** Opens the model; resolves with what our engine says of it, null for transformers.js. */
  open(model: ArmModel, options: ArmOptions): Promise<EngineFacts | null>
  /** One batch of a plan: the items share their first tokens up to the last of `prefixes`. */
  score(items: readonly PlainItem[], prefixes: readonly number[]): Promise<Scored>
  /** Writes so many tokens after each prompt, greedily, end tokens ignored; `prefixes` as for `score`. */
  write(prompts: readonly (readonly number[])[], newTokens: number, prefixes: readonly number[]): Promise<Written>
}
