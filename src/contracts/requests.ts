/** What a task asks of a model as text, and what comes back. */
import type { Json } from '../base/errors.ts'

export type OutputType = 'loglikelihood' | 'loglikelihood_rolling' | 'multiple_choice' | 'generate_until'

/** What a task asks of a model, as text. Order within a doc is the harness's `idx`. */
export type TextRequest =
  | { readonly type: 'loglikelihood'; readonly context: string; readonly continuation: string }
  | { readonly type: 'loglikelihood_rolling'; readonly text: string }
  | { readonly type: 'generate_until'; readonly context: string; readonly kwargs: { readonly [key: string]: Json } }

/** Log-probability in nats of a continuation, and whether greedy decoding would have produced it. */
export interface LoglikelihoodResponse {
  readonly logprob: number
  readonly isGreedy: boolean
}

/** A model's answer: a scored continuation, a rolling log-likelihood in nats, or generated text. */
export type ModelResponse =
  | ({ readonly type: 'loglikelihood' } & LoglikelihoodResponse)
  | { readonly type: 'loglikelihood_rolling'; readonly logprob: number }
  | { readonly type: 'generate_until'; readonly text: string }

/** The first requests of a task, for `prompts`, `--write_out` and the task editor. */
export interface PromptPreview {
  readonly task: string
  readonly docId: number
  readonly target: string
  readonly requests: readonly TextRequest[]
}
