/** What a plan holds: forward passes to be scored and texts to be written, as token ids, and their answers. */
import { maxOf } from '../base/arrays.ts'
import type { LoglikelihoodResponse } from './requests.ts'

/**
 * One forward pass: `input` token ids (already cut to the window), and one or more target lists. A list of length n is scored
 * against the last n rows, so row `input.length - n + i` predicts `targets[k][i]`.
 */
export interface ForwardItem {
  readonly input: Int32Array
  readonly targets: readonly Int32Array[]
}

/** `answers[k]` belongs to `targets[k]`; `tokenLogprobs[k]` holds its per-token log-probabilities in nats. */
export interface ForwardAnswer {
  readonly answers: readonly LoglikelihoodResponse[]
  readonly tokenLogprobs: readonly Float32Array[]
}

/** How the next token is drawn from the processed logits, by our own generator: `seed` decides every draw. */
export interface Sampling {
  readonly temperature: number
  /** Tokens kept; 0 = all. */
  readonly topK: number
  readonly topP: number
  /** Null = off. */
  readonly minP: number | null
  readonly typicalP: number
  /** 32 bits. */
  readonly seed: number
}

/** How a continuation is written: what transformers' `generate` makes of the request and of the checkpoint's generation_config. */
export interface Decoding {
  readonly maxNewTokens: number
  /** None of `endTokens` is written before so many tokens. */
  readonly minNewTokens: number
  /** Any of these ends the text. */
  readonly endTokens: readonly number[]
  /** 1 = none. */
  readonly repetitionPenalty: number
  /** No run of so many tokens comes twice; 0 = off. */
  readonly noRepeatNgramSize: number
  /** Sequences that are never written whole. */
  readonly badWords: readonly (readonly number[])[]
  readonly suppressTokens: readonly number[]
  /** Not written as the first token. */
  readonly beginSuppressTokens: readonly number[]
  /** Null = greedy. */
  readonly sampling: Sampling | null
}

/** One continuation to be written after `input` (already cut to the window). It also ends where the text holds one of `stops`. */
export interface GenerationItem {
  readonly input: Int32Array
  readonly stops: readonly string[]
  readonly decoding: Decoding
}

/** A whole continuation: `tokens` with the end token or the tokens of the stop string still on it. */
export interface GenerationAnswer {
  readonly tokens: Int32Array
  readonly end: 'end-token' | 'stop' | 'length'
}

/** Tokens of a continuation that goes on being written, in the order of writing. */
export interface GeneratedPart {
  readonly tokens: Int32Array
  /** Null while it goes on. */
  readonly end: 'end-token' | 'length' | null
}

/**
 * A continuation as far as it was written, or was read back from the store: the tokens that are known to belong to it, and how it ended; null while
 * it goes on.
 */
export interface Draft {
  readonly tokens: Int32Array
  readonly end: GenerationAnswer['end'] | null
}

/** What a plan holds, and what answers it. */
export type PlannedItem = ForwardItem | GenerationItem

export type ItemAnswer = ForwardAnswer | GenerationAnswer

/** A text of exactly `newTokens` tokens after `prompt`: greedy, whatever would end it earlier. */
export function greedyItem(prompt: readonly number[] | Int32Array, newTokens: number): GenerationItem {
  return {
    input: Int32Array.from(prompt),
    stops: [],
    decoding: {
      maxNewTokens: newTokens,
      minNewTokens: 0,
      endTokens: [],
      repetitionPenalty: 1,
      noRepeatNgramSize: 0,
      badWords: [],
      suppressTokens: [],
      beginSuppressTokens: [],
      sampling: null,
    },
  }
}

/** True for a text to be written, false for a forward pass to be scored. */
export function isGeneration(item: PlannedItem): item is GenerationItem {
  return 'decoding' in item
}

/** True for a text that was written, false for log-probabilities. */
export function isGenerated(answer: ItemAnswer): answer is GenerationAnswer {
  return !isScored(answer)
}

/** Tokens of the longest target: so many of the last rows are scored. 0 where there are no targets. */
export function longestTarget({ targets }: Pick<ForwardItem, 'targets'>): number {
  return maxOf(
    targets.map((target) => target.length),
    0,
  )
}

export function isScored(answer: ItemAnswer): answer is ForwardAnswer {
  return 'answers' in answer
}
