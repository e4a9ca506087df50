import { EvalError } from '../base/errors.ts'
import type { EngineFacts } from '../contracts/engine.ts'
import type { ForwardAnswer, ForwardItem, GeneratedPart, GenerationItem } from '../contracts/items.ts'
import type { AdapterFacts, SessionCounts } from '../contracts/model-session.ts'
import { describeAdapter } from './device.ts'
import { BatchedGeneration } from './generation/batched-generation.ts'
import { Generation } from './generation/generation.ts'
import type { GraphFacts } from './graph/graph-facts.ts'
import type { DecoderConfig } from './graph/model-config.ts'
import { openModel } from './open-model.ts'
import type { EngineHost, EngineModel, EngineOptions, Opened } from './opening.ts'
import { scoreByReference } from './scoring/reference-scoring.ts'
import { SerialQueue } from './serial-queue.ts'
import { noCounts } from './session.ts'

export type { EngineModel, EngineOptions, ExportedModel } from './opening.ts'

/**
 * One model on one device: opens it (after the self-check on WebGPU), scores token sequences, counts what it ran.
 *
 * Every call that touches ONNX Runtime waits its turn in one queue. A flat object of async methods, so that a worker can offer it whole.
 */
export class ModelEngine {
  readonly #host: EngineHost
  readonly #queue = new SerialQueue()
  #opened: Opened | null = null
  #generation: Generation | BatchedGeneration | null = null

  constructor(host: EngineHost) {
    this.#host = host
  }

  /** WebGPU as this worker sees it; null when there is none. */
  async describeAdapter(): Promise<AdapterFacts | null> {
    return describeAdapter(this.#host.gpu)
  }

  /**
   * Opens a model and replaces the one that was open; may change the graph's bytes in place (see requireFloatActivations). Throws `model/corrupt`, `model/unsupported`, `engine/no-webgpu`,
   * `engine/self-check-failed` (explicit WebGPU only: `auto` goes on with WASM and says why) and other `engine/*`.
   */
  async open(model: EngineModel, options: EngineOptions): Promise<EngineFacts> {
    return this.#queue.run(async () => {
      await this.#release()
      this.#opened = await openModel(this.#host, model, options)
      return this.#opened.facts
    })
  }

  /**
   * Answers in the order of `items`, one batch of a plan (token-tree.ts): they share their first tokens up to the last of `prefixes`, whose
   * keys and values the fast path keeps for the next batch. Throws `engine/*`; after a failed run on WebGPU, until the next `open`.
   */
  async score(items: readonly ForwardItem[], prefixes: readonly number[] = []): Promise<readonly ForwardAnswer[]> {
    return this.#queue.run(async () => {
      const { session, fast, facts, config } = this.#require()
      for (const item of items) requireInRange(item, item.input.length, config, session.facts)
      return fast === null ? scoreByReference(session, items, facts.chunkTokens) : fast.score(items, prefixes)
    })
  }

  /**
   * Reads the prompts of texts that are written together, one batch of a plan; gives up those that were being written before. `prefixes` as for `score`.
   * `written`: tokens that a text, in the order of the items, has already and goes on after. Throws as `score`, and `internal` for several texts where
   * the layout has no `textTokens`.
   */
  async beginGeneration(
    items: readonly GenerationItem[],
    prefixes: readonly number[] = [],
    written: readonly Int32Array[] = [],
  ): Promise<void> {
    return this.#queue.run(async () => {
      this.#endGeneration()
      const { session, fast, facts, config } = this.#require()
      for (const [index, item] of items.entries()) requireWritable(item, written[index], config, session.facts)
      const [item] = items
      if (item === undefined) throw new EvalError('internal', 'wanted a text to write, found none')
      await this.#orGiveUp(async () => {
        const kept = (await fast?.keep(item.input, prefixes)) ?? null
        if (items.length === 1) {
          const alone = new Generation(session, item, written[0])
          this.#generation = alone
          await alone.prefill(facts.chunkTokens, kept)
        } else {
          const together = new BatchedGeneration(session, items, written)
          this.#generation = together
          await together.prefill(facts.chunkTokens ?? Infinity, kept)
        }
      })
    })
  }

  /**
   * Goes on with the texts of `beginGeneration`, one token each at least, and on within the limit; those of `ended` (indices) take no part any more. What
   * each got, in their order; null for one that had ended before. Throws as `score`.
   */
  async continueGeneration(
    limit: { readonly tokens: number; readonly milliseconds: number },
    ended: readonly number[] = [],
  ): Promise<readonly (GeneratedPart | null)[]> {
    return this.#queue.run(async () => {
      const generation = this.#generation
      if (generation === null) throw new EvalError('engine/failed', 'wanted a text that is being written, found none: begin one first')
      if (generation instanceof Generation) {
        const part = await this.#orGiveUp(async () => generation.write(limit))
        if (part.end !== null) this.#endGeneration()
        return [part]
      }
      for (const index of ended) generation.end(index)
      const parts = await this.#orGiveUp(async () => generation.write(limit))
      if (!generation.isOpen) this.#endGeneration()
      return parts
    })
  }

  /** Frees the cache of the texts that are being written, if any. */
  async endGeneration(): Promise<void> {
    return this.#queue.run(async () => this.#endGeneration())
  }

  /** What was run since the model was opened, checks excluded. */
  async stats(): Promise<SessionCounts> {
    return { ...(this.#opened?.session.counts ?? noCounts()) }
  }

  async close(): Promise<void> {
    return this.#queue.run(async () => this.#release())
  }

  #require(): Opened {
    if (this.#opened === null) throw new EvalError('engine/failed', 'wanted an open model, found none: open one before scoring')
    return this.#opened
  }

  async #orGiveUp<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step()
    } catch (error) {
      this.#endGeneration()
      throw error
    }
  }

  #endGeneration(): void {
    this.#generation?.release()
    this.#generation = null
  }

  async #release(): Promise<void> {
    this.#endGeneration()
    const opened = this.#opened
    this.#opened = null
    opened?.fast?.release()
    await opened?.session.release()
  }
}

function requireWritable(item: GenerationItem, written: Int32Array | undefined, config: DecoderConfig, graph: GraphFacts): void {
  const { maxNewTokens } = item.decoding
  requireInRange(item, item.input.length + maxNewTokens, config, graph)
  if (written === undefined) return
  if (written.length > maxNewTokens)
    throw new EvalError('internal', `wanted at most ${maxNewTokens} tokens of a text to go on after, found ${written.length}`)
  requireInRange({ input: written, targets: [] }, written.length, config, graph)
}

// WebGPU kernels clamp an index that is out of range instead of failing, and genai graphs read past their rotary tables.
function requireInRange(item: ForwardItem | GenerationItem, positions: number, config: DecoderConfig, graph: GraphFacts): void {
  const { input } = item
  const vocabulary = config.vocabularySize ?? Infinity
  const isForeign = (token: number): boolean => token < 0 || token >= vocabulary
  const foreign = [input, ...('targets' in item ? item.targets : [])]
    .map((tokens) => tokens.find(isForeign))
    .find((token) => token !== undefined)
  if (foreign !== undefined)
    throw new EvalError('tokenizer/broken', `wanted token ids below the model's vocabulary of ${vocabulary}, found ${foreign}`)
  if (graph.family === 'gqa' && config.maxPositions !== null && positions > config.maxPositions) {
    const more = positions > input.length ? ` with ${positions - input.length} to be written after it` : ''
    throw new EvalError(
      'engine/prompt-too-long',
      `this graph has positions for ${config.maxPositions} tokens, found a prompt of ${input.length}${more}`,
    )
  }
}
