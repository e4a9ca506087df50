/** What the worker of the second opinion offers: transformers.js on one exported model. */
import type { Device } from '../contracts/engine.ts'
import type { ForwardItem } from '../contracts/items.ts'
import type { ExportedPayload } from './model-worker-api.ts'

/** How a model is opened for a second opinion. */
export interface SecondOptions {
  readonly device: Device
  /** A dtype by transformers.js' name. */
  readonly dtype: string
  /** Prompts come in pieces of at most so many tokens; null = whole. */
  readonly passTokens: number | null
}

/** Log-probabilities of each target's tokens, in nats, and the milliseconds of the forward passes. */
export interface SecondAnswer {
  readonly tokenLogprobs: readonly Float32Array[]
  readonly milliseconds: number
}

export interface SecondOpinionApi {
  /** Gives the names and versions of what answers. Throws `model/unsupported` where transformers.js doesn't open the model. */
  open(model: ExportedPayload, options: SecondOptions): Promise<string>
  /** One forward pass over the item's input, all rows of logits. Throws `engine/failed`. */
  score(item: ForwardItem): Promise<SecondAnswer>
}
