/** What the lab shows: docs with the log-probabilities that a model gave each choice, token by token, recorded once by `scripts/record-lab.ts`. */

export interface LabChoice {
  /** The continuation as the model was asked for it, with the delimiter before it. */
  readonly continuation: string
  /** The choice's own text, whose length the harness divides by. */
  readonly text: string
  /** The continuation's tokens as text, in order; empty for one that only begins a character. */
  readonly tokens: readonly string[]
  /** Log-probability of each token, in nats. */
  readonly logprobs: readonly number[]
  /** The continuation's log-probability without the question before it, in nats. */
  readonly unconditional: number
}

export interface LabDoc {
  readonly docId: number
  readonly prompt: string
  readonly gold: number
  readonly choices: readonly LabChoice[]
  /** Log-probabilities, in nats, of the letters when the same question lists its choices; null where they weren't asked. */
  readonly letters: readonly number[] | null
}

export interface LabSet {
  readonly name: string
  /** BCP 47. */
  readonly language: string
  readonly docs: readonly LabDoc[]
}

export interface Recording {
  readonly model: string
  readonly commit: string
  readonly dtype: string
  readonly sets: readonly LabSet[]
}
