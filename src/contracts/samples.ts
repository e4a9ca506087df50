/** One doc of a finished run, ready to show. */
import type { Json } from '../base/errors.ts'

/** One choice of one doc as the sample list shows it. */
export interface SampleChoice {
  readonly text: string
  readonly logprob: number
  readonly isGreedy: boolean
  readonly unconditional: number | null
  /** Of the scored continuation; absent in runs of earlier versions and in imported ones. */
  readonly tokens?: TokenScores
}

/** The tokens of a scored text in order; the lists have one length. */
export interface TokenScores {
  readonly ids: readonly number[]
  /** As they print; where a character has several tokens, the last of them has it and those before are empty. */
  readonly texts: readonly string[]
  /** In nats. */
  readonly logprobs: readonly number[]
}

/** One doc under one filter, ready to show; `line` is its row of samples_*.jsonl. */
export interface SampleView {
  readonly task: string
  readonly docId: number
  readonly filter: string
  readonly prompt: string
  readonly target: string
  readonly choices: readonly SampleChoice[]
  readonly gold: readonly number[]
  /** By `acc_tok` where the token counts are known; absent in runs of earlier versions. */
  readonly picks: { readonly acc: number; readonly acc_norm: number; readonly acc_bytes: number; readonly acc_tok?: number } | null
  readonly generated: readonly string[]
  /** What each filter made of the generated text, in order; absent for other tasks and in results of older versions. */
  readonly filterSteps?: readonly { readonly name: string; readonly outputs: readonly string[] }[]
  readonly metrics: { readonly [metric: string]: Json }
  readonly line: string
  /** What is recorded of a task with the `yardstick` key; absent for tasks of the harness's. */
  readonly own?: OwnSample & {
    /** The doc's line in the csv file of the original MMLU program; null for other tasks. */
    readonly csv: string | null
  }
}

/** How a doc of a task with the `yardstick` key was asked, and where the probability went. */
export interface OwnSample {
  /** Few-shot examples that the prompt shows. */
  readonly shots: number
  /** False when the prompt was too long even without examples, and was cut at its beginning. */
  readonly fits: boolean
  /** Softmax over the choices; null where the choices are scored as the harness does. */
  readonly probabilities: readonly number[] | null
  /** Share of the whole vocabulary's probability that lies on the choices. */
  readonly mass: number | null
}
