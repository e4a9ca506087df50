/** What another stack makes of the first docs of a finished run. */
import type { Device } from './engine.ts'

/** A request whose log-probabilities two stacks computed. Sums in nats. */
export interface ComparedRequest {
  readonly task: string
  readonly docId: number
  /** Position among its doc's requests: of a choice, its number. */
  readonly idx: number
  readonly ours: number
  readonly theirs: number
}

/** A doc whose best choice, by log-likelihood alone, two stacks disagree on. */
export interface DifferentPick {
  readonly task: string
  readonly docId: number
  /** `idx` of the requests with the highest sums. */
  readonly ours: number
  readonly theirs: number
}

export interface SecondOpinion {
  /** Names and versions. */
  readonly stack: string
  readonly device: Device
  readonly dtype: string
  readonly docs: number
  readonly requests: number
  readonly tokens: number
  /** Largest difference of a token's log-probability, and of a request's sum, in nats. */
  readonly maxAbsDiff: number
  readonly maxSumDiff: number
  /** The request with the largest difference of its sum; null where none was compared. */
  readonly worst: ComparedRequest | null
  /** Of a token's log-probability: beyond it the stacks disagree. */
  readonly tolerance: number
  readonly agrees: boolean
  /** Docs with several choices. */
  readonly picks: number
  readonly picksDiffering: readonly DifferentPick[]
  /** The other stack was given pieces of at most so many tokens, since the self-check found this adapter wrong beyond; null = whole prompts. */
  readonly passTokens: number | null
  /** Seconds of the other stack's forward passes. */
  readonly seconds: number
  /** How many times as fast the run read its prompts, by tokens of prompts a second; null where the run's own speed isn't known. */
  readonly timesFaster: number | null
}
