import { EvalError, isEvalError } from '../core/errors.ts'
import type {
  Device,
  DeviceChoice,
  EngineFacts,
  ForwardAnswer,
  ForwardItem,
  GeneratedPart,
  GenerationItem,
  ScoringPath,
  SelfCheck,
} from '../core/types.ts'
import { chooseDevice, describeAdapter, type AdapterFacts, type ChosenDevice } from './device.ts'
import { needsShaderF16 } from './dtypes.ts'
import { Generation } from './generation.ts'
import { readGraphFacts, requireFloatActivations, type GraphFacts } from './graph-facts.ts'
import { estimateMemory, wasmHeapBytes } from './memory.ts'
import { readDecoderConfig, type DecoderConfig } from './model-config.ts'
import { numericClass } from './numeric-class.ts'
import type { OrtLoader, OrtRuntime } from './ort.ts'
import { longestRunTokens, scoreByReference } from './reference-scoring.ts'
import {
  checkAdapter,
  planSelfCheck,
  referenceFor,
  selfReference,
  skippedCheck,
  type CheckPlan,
  type CheckReference,
} from './self-check.ts'
import { SerialQueue } from './serial-queue.ts'
import { openSession, type DecoderSession, type ModelBytes } from './session.ts'
import { rowScorer } from './session-rows.ts'
import { toleranceOf } from './tolerance.ts'

/** A model as the engine opens it. `config` is the text of config.json. */
export interface EngineModel extends ModelBytes {
  readonly config: string
}

export interface EngineOptions {
  readonly device: DeviceChoice
  readonly dtype: string
  readonly scoring: ScoringPath
  /** WASM threads; null: up to four, one without cross-origin isolation. Counts for the first session of a worker. */
  readonly threads: number | null
  /** A check of the same model, dtype and adapter, obeyed instead of checking again; `skip` runs unchecked and says so. */
  readonly selfCheck?: SelfCheck | 'skip' | null
  /** Where answers are only believed up to a shorter run: forces pieces of this many tokens at most. */
  readonly longestRun?: number
}

/** What the engine needs from its host, so that it runs in a browser's worker and in Node. */
export interface EngineHost {
  readonly loadOrt: OrtLoader
  readonly gpu: GPU | undefined
}

interface Opened {
  readonly session: DecoderSession
  readonly facts: EngineFacts
  readonly config: DecoderConfig
}

/**
 * One model on one device: opens it (after the self-check on WebGPU), scores token sequences, counts what it ran.
 *
 * Every call that touches ONNX Runtime waits its turn in one queue. A flat object of async methods, so that a worker can offer it whole.
 */
export class ModelEngine {
  readonly #host: EngineHost
  readonly #queue = new SerialQueue()
  #opened: Opened | null = null
  #generation: Generation | null = null

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

  /** Answers in the order of `items`. Throws `engine/*`; after a failed run on WebGPU, until the next `open`. */
  async score(items: readonly ForwardItem[]): Promise<readonly ForwardAnswer[]> {
    return this.#queue.run(async () => {
      const { session, facts, config } = this.#require()
      for (const item of items) requireInRange(item.input, item.input.length, config, session.facts)
      return scorers[facts.scoring](session, items, facts.chunkTokens)
    })
  }

  /** Reads a prompt; gives up the text that was being written before. Throws as `score`. */
  async beginGeneration(item: GenerationItem): Promise<void> {
    return this.#queue.run(async () => {
      this.#endGeneration()
      const { session, facts, config } = this.#require()
      requireInRange(item.input, item.input.length + item.decoding.maxNewTokens, config, session.facts)
      const generation = new Generation(session, item, session.facts.cache.length > 0)
      this.#generation = generation
      await this.#orGiveUp(async () => generation.prefill(facts.chunkTokens))
    })
  }

  /** Writes one token at least after the prompt of `beginGeneration`, and on within the limit; see generation.ts. Throws as `score`. */
  async continueGeneration(limit: { readonly tokens: number; readonly milliseconds: number }): Promise<GeneratedPart> {
    return this.#queue.run(async () => {
      const generation = this.#generation
      if (generation === null) throw new EvalError('engine/failed', 'wanted a text that is being written, found none: begin one first')
      const part = await this.#orGiveUp(async () => generation.write(limit))
      if (part.end !== null) this.#endGeneration()
      return part
    })
  }

  /** Frees the cache of the text that is being written, if any. */
  async endGeneration(): Promise<void> {
    return this.#queue.run(async () => this.#endGeneration())
  }

  /** Forward runs and their tokens since the model was opened, self-check excluded. */
  async stats(): Promise<{ readonly runs: number; readonly tokens: number }> {
    return { ...(this.#opened?.session.counts ?? { runs: 0, tokens: 0 }) }
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
    await opened?.session.release()
  }
}

type Scorer = (session: DecoderSession, items: readonly ForwardItem[], chunkTokens: number | null) => Promise<ForwardAnswer[]>

// The seam where a fast path registers; until one does, asking for it gives the reference path, and the facts say so.
const scorers: { readonly [path in ScoringPath]: Scorer } = { reference: scoreByReference, fast: scoreByReference }
const scoringOf: { readonly [path in ScoringPath]: ScoringPath } = { reference: 'reference', fast: 'reference' }

/** What all steps of opening need. */
interface Opening {
  readonly model: EngineModel
  readonly options: EngineOptions
  readonly graph: GraphFacts
  readonly config: DecoderConfig
  readonly adapter: AdapterFacts | null
}

async function openModel(host: EngineHost, model: EngineModel, options: EngineOptions): Promise<Opened> {
  const graph = readGraphFacts(model.graph)
  requireFloatActivations(model.graph, graph)
  const config = readDecoderConfig(model.config)
  const adapter = options.device === 'wasm' ? null : await describeAdapter(host.gpu)
  const opening: Opening = { model, options, graph, config, adapter }
  const chosen = chooseDevice(options.device, adapter, graph)
  if (chosen.device === 'wasm') return openOnWasm(host, opening, chosen.reason)
  const refusal =
    adapter !== null && needsShaderF16(options.dtype) && !adapter.hasShaderF16
      ? `dtype ${options.dtype} computes in 16 bits and this adapter has no shader-f16`
      : null
  if (refusal !== null) {
    if (options.device === 'webgpu')
      throw new EvalError('model/unsupported', `WebGPU was asked for, but ${refusal}: choose q4 or fp32, or device "wasm"`)
    return openOnWasm(host, opening, `WASM, because ${refusal}.`)
  }
  try {
    return await openOnWebgpu(host, opening, chosen)
  } catch (error) {
    if (options.device === 'webgpu' || !isEvalError(error) || !fallsBack.includes(error.code)) throw error
    return openOnWasm(host, opening, `WASM, because WebGPU did not pass: ${error.message}`)
  }
}

const fallsBack: readonly string[] = [
  'engine/self-check-failed',
  'engine/failed',
  'engine/nonfinite',
  'engine/out-of-memory',
  'engine/device-lost',
]

async function openOnWasm(host: EngineHost, opening: Opening, reason: string): Promise<Opened> {
  const runtime = await host.loadOrt('plain', opening.options.threads)
  const session = await openSession({ ...opening, facts: opening.graph, runtime, device: 'wasm' })
  return describe(opening, runtime, {
    session,
    device: 'wasm',
    reason,
    selfCheck: skippedCheck('Runs on WASM are the reference themselves.'),
  })
}

async function openOnWebgpu(host: EngineHost, opening: Opening, chosen: ChosenDevice): Promise<Opened> {
  const runtime = await host.loadOrt('asyncify', opening.options.threads)
  const { graph, options } = opening
  const kept = options.selfCheck ?? null
  if (kept !== null) {
    const selfCheck = kept === 'skip' ? skippedCheck('The self-check was skipped on request: these numbers are unverified.') : kept
    if (selfCheck.status === 'failed') throw failedCheck(selfCheck)
    const session = await openSession({ ...opening, facts: graph, runtime, device: 'webgpu' })
    return describe(opening, runtime, { session, device: 'webgpu', reason: chosen.reason, selfCheck })
  }
  const plan = planOf(opening)
  const reference = await wasmReference(runtime, opening, plan)
  const session = await openSession({ ...opening, facts: graph, runtime, device: 'webgpu' })
  try {
    const selfCheck = await check(session, plan, reference, toleranceOf(options.dtype, graph))
    if (selfCheck.status === 'failed') throw failedCheck(selfCheck)
    session.counts.runs = 0
    session.counts.tokens = 0
    return describe(opening, runtime, { session, device: 'webgpu', reason: chosen.reason, selfCheck })
  } catch (error) {
    await session.release().catch(() => undefined)
    throw error
  }
}

function failedCheck(selfCheck: SelfCheck): EvalError {
  const details = { selfCheck: { ...selfCheck, trials: selfCheck.trials.map((trial) => ({ ...trial })) } }
  return new EvalError('engine/self-check-failed', `the WebGPU adapter failed its self-check. ${selfCheck.message}`, { details })
}

async function check(session: DecoderSession, plan: CheckPlan, wasm: CheckReference | null, tolerance: number): Promise<SelfCheck> {
  const adapter = rowScorer(session)
  const reference = wasm ?? (await selfReference(plan, adapter))
  if (reference === null)
    return {
      ...skippedCheck('WASM cannot hold this model and its graph has no cache to compare with: these numbers are unverified.'),
      tolerance,
    }
  return checkAdapter(plan, adapter, reference, tolerance)
}

function planOf({ graph, config, options }: Opening): CheckPlan {
  const vocabulary = graph.logits.dims.at(-1)
  return planSelfCheck({
    vocabularySize:
      typeof vocabulary === 'number' ? Math.min(vocabulary, config.vocabularySize ?? vocabulary) : (config.vocabularySize ?? 1),
    windowTokens: config.maxPositions ?? 1024,
    longestRun: Math.min(longestRunTokens, options.longestRun ?? longestRunTokens),
    canContinue: canCut(graph),
    isDynamicallyQuantised: graph.isDynamicallyQuantised,
  })
}

// The same ORT build has the WASM provider too, so a second copy of the runtime isn't needed; the model's second copy is released before the
// WebGPU session opens. Null when the model is too big for WASM: weights that are embedded in the graph are there twice while it loads.
async function wasmReference(runtime: OrtRuntime, opening: Opening, plan: CheckPlan): Promise<CheckReference | null> {
  const { model, config, options } = opening
  const weights = model.graph.length * 2 + model.externalData.reduce((sum, file) => sum + file.bytes.length, 0)
  const estimate = estimateMemory({ dtype: options.dtype, bytes: weights }, config, {
    windowTokens: plan.tokens.length,
    runTokens: plan.tokens.length,
  })
  if (estimate.totalBytes > wasmHeapBytes) return null
  let session: DecoderSession
  try {
    session = await openSession({ ...opening, facts: opening.graph, runtime, device: 'wasm' })
  } catch (error) {
    if (isEvalError(error) && error.code === 'engine/out-of-memory') return null
    throw error
  }
  try {
    return await referenceFor(plan, rowScorer(session))
  } finally {
    await session.release()
  }
}

/** A prompt may be run in pieces: the graph has a cache, and a run's rows don't depend on the rest of the run. */
function canCut(graph: GraphFacts): boolean {
  return graph.cache.length > 0 && !graph.isDynamicallyQuantised
}

function describe(
  { options, graph, config, adapter }: Opening,
  runtime: OrtRuntime,
  {
    session,
    device,
    reason,
    selfCheck,
  }: { readonly session: DecoderSession; readonly device: Device; readonly reason: string; readonly selfCheck: SelfCheck },
): Opened {
  const chunkTokens = canCut(graph)
    ? Math.min(longestRunTokens, options.longestRun ?? longestRunTokens, selfCheck.maxRunTokens ?? longestRunTokens)
    : null
  const scoring = scoringOf[options.scoring]
  const onAdapter = device === 'webgpu' ? adapter : null
  const facts: EngineFacts = {
    device,
    deviceReason: reason,
    dtype: options.dtype,
    scoring,
    family: graph.family,
    engine: `onnxruntime-web ${runtime.version} (${runtime.build})`,
    threads: runtime.threads,
    adapter:
      onAdapter === null
        ? null
        : {
            vendor: onAdapter.vendor,
            architecture: onAdapter.architecture,
            description: onAdapter.description,
            isFallback: onAdapter.isFallback,
          },
    selfCheck,
    chunkTokens,
    isDynamicallyQuantised: graph.isDynamicallyQuantised,
    numericClass: numericClass(runtime, onAdapter, { device, dtype: options.dtype, scoring, chunkTokens }),
  }
  return { session, facts, config }
}

// WebGPU kernels clamp an index that is out of range instead of failing, and genai graphs read past their rotary tables.
function requireInRange(input: Int32Array, positions: number, config: DecoderConfig, graph: GraphFacts): void {
  const vocabulary = config.vocabularySize ?? Infinity
  const foreign = input.find((token) => token < 0 || token >= vocabulary)
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
