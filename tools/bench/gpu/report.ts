/** What `npm run bench -- --gpu` found, as its JSON has it. */
import type { AdapterFacts } from '../../../src/contracts/model-session.ts'

export interface GpuReport {
  /** Null where the browser offers no adapter. */
  readonly adapter: AdapterFacts | null
  /** The card and its driver as nvidia-smi names them; null without one. */
  readonly card: { readonly name: string; readonly driver: string } | null
  readonly browser: string
  readonly switches: readonly string[]
  /** What it took to get the adapter beyond an ordinary start; null: nothing. */
  readonly note: string | null
  /** Of float32; null where neither the flag nor the card's name tells. */
  readonly peak_tflops: number | null
  readonly made: readonly MadeRow[]
  readonly checks: readonly CheckRow[]
  readonly goldens: readonly GoldenRow[]
  readonly mmlu: readonly MmluRow[]
  readonly targets: readonly TargetRow[]
  /** Parts that were not run, and why. */
  readonly skipped: readonly Skipped[]
  /** What is wrong: differences out of tolerance, arms that broke. */
  readonly faults: readonly string[]
}

export interface Skipped {
  readonly part: string
  readonly reason: string
}

/** A model that was made, all its forms together. */
export interface MadeRow {
  readonly model: string
  readonly dtype: string
  readonly parameters: number
  readonly bytes: number
  readonly ms: number
}

/** A model opened by our engine on the adapter. */
export interface CheckRow {
  readonly model: string
  /** Of graphs: decomposed, gqa, or own. */
  readonly form: string
  readonly dtype: string
  /** Of loading, checks and calibration together. */
  readonly opening_ms: number
  /** Against WASM: `passed`, `limited`, `failed`; `skipped` where there was none to compare with. */
  readonly self_check: string
  /** Nats a token. */
  readonly self_check_diff: number | null
  readonly tolerance: number
  /** The longest pass that was tried and agrees. */
  readonly longest_exact: number | null
  /** Of the fast path, whose passes are composed otherwise, to the model's own graph; null where it isn't used. */
  readonly composition_diff: number | null
  readonly scoring: string
  /** Tokens that a pass may have. */
  readonly pass_tokens: number | null
  /** Fitted: of a pass whatever is in it, and of a token; null where nothing was timed. */
  readonly run_ms: number | null
  readonly token_ms: number | null
  readonly in_place: boolean
}

export interface GoldenRow {
  readonly model: string
  readonly dtype: string
  readonly requests: number
  /** Nats of a request's sum, to the same graph in Python's ONNX Runtime. */
  readonly max_abs_diff: number
  readonly tolerance: number
}

/** A whole MMLU by the clock. */
export interface MmluRow {
  readonly model: string
  readonly form: string
  readonly dtype: string
  readonly docs: number
  readonly ms: number
  readonly engine_ms: number
  readonly plan_ms: number
  readonly runs: number
  readonly tokens: number
  readonly least_tokens: number
  /** 2 · parameters · tokens at the card's peak; null where that isn't known. */
  readonly floor_ms: number | null
  /** Estimate: passes times the fitted cost of one, of the time inside passes; null where nothing was timed. */
  readonly dispatch_share: number | null
}

export interface TargetRow {
  readonly target: string
  /** Null: not measured. */
  readonly value: number | null
  readonly unit: string
  readonly aim: number
  /** False: the value is to stay below the aim. */
  readonly is_least: boolean
}

/** Null: not measured. */
export function isMet({ value, aim, is_least: isLeast }: TargetRow): boolean | null {
  if (value === null) return null
  return isLeast ? value >= aim : value < aim
}
