/** A task between its files and its scores, as text worker and evaluation pass it on. */
import type { Json } from '../base/errors.ts'
import type { GenerationItem } from './items.ts'
import type { OutputType } from './requests.ts'
import type { DatasetReference } from './rows.ts'

export interface LeafTask {
  readonly name: string
  readonly file: string
  readonly outputType: OutputType
  readonly dataset: DatasetReference
  /** Splits that must be loaded before the task can be built. */
  readonly splits: readonly string[]
  /** True when a doc's requests depend on more rows than its own: few-shot examples, or a `process_docs` over the split. */
  readonly needsAllRows: boolean
  readonly config: Json
}

/** One scored piece of text: the model sees `input`, its last `target.length` rows are held against `target`. */
export interface EncodedPiece {
  readonly input: Int32Array
  readonly target: Int32Array
}

/** A request as token ids. A rolling log-likelihood has one piece a window; its answer is the sum. */
export interface EncodedRequest {
  readonly docId: number
  readonly idx: number
  readonly pieces: readonly EncodedPiece[]
  /** Texts to be written, one a repeat; such a request has no pieces. */
  readonly generations?: readonly GenerationItem[]
}

/** A task ready to be scored. Requests are in doc order, within a doc in `idx` order. */
export interface BuiltTask {
  readonly name: string
  readonly docs: number
  readonly docsOriginal: number
  readonly requests: readonly EncodedRequest[]
  readonly warnings: readonly string[]
}

/** A doc without a score, because a filter or metric never ended on it. */
export interface ExcludedDoc {
  readonly task: string
  readonly docId: number
  /** Null where the metrics themselves did not end. */
  readonly pattern: string | null
  readonly filter: string | null
  readonly message: string
}

/** The log-likelihood that answers one request of a built task, by its position in `BuiltTask.requests`. */
export interface ScoredRequest {
  readonly request: number
  readonly logprob: number
  readonly isGreedy: boolean
  /** Of the continuation's tokens, in nats; absent for a request of several windows. */
  readonly tokenLogprobs?: readonly number[]
}

/** The tokens written for one request, a list for each repeat. */
export interface GeneratedRequest {
  readonly request: number
  readonly generated: readonly Int32Array[]
}

export type RequestAnswer = ScoredRequest | GeneratedRequest

/** How far a text that is being written has come, as the text worker sees it. */
export interface GenerationLook {
  /** Tokens after which a stop string was there; null while there is none. */
  readonly stopAfter: number | null
  /** The end of the text so far. */
  readonly tail: string
}
