/**
 * Steps in which an untrusted template or pattern works on one doc. They are announced before they begin, because a regular expression that
 * backtracks for ever can't be asked to stop: whoever started the thread ends it, and then knows on which doc it hung.
 */
export interface WatchedStep {
  readonly task: string
  readonly docId: number
  /** `prompt`: templates and few-shot examples; `filter`: one step of a filter pipeline; `score`: the metrics of a doc. */
  readonly kind: 'prompt' | 'filter' | 'score'
  /** The filter pipeline's name; null for prompts. */
  readonly filter: string | null
  /** The regular expression, where the step is one. */
  readonly pattern: string | null
}

/** Told of every step before it begins, and null once the last of them is done. */
export type Watch = (step: WatchedStep | null) => void

/** For callers that nobody watches. */
export const unwatched: Watch = () => undefined
