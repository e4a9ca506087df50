/** What the lab shows: docs with the log-probabilities that a model gave each choice, token by token, recorded once by `tools/pages/record-lab.ts`. */

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

/** What the model was shown, and its answers. */
export interface LabAsked {
  readonly prompt: string
  readonly choices: readonly LabChoice[]
}

/** A doc asked for continuations, and once more as a list of lettered choices whose letters are the continuations. */
export interface LabDoc extends LabAsked {
  readonly docId: number
  readonly gold: number
  /** Null where the letters weren't asked. */
  readonly letters: LabAsked | null
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
