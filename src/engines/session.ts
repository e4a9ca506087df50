import type { InferenceSession, Tensor } from 'onnxruntime-common'
import { EvalError } from '../core/errors.ts'
import type { Device } from '../core/types.ts'
import type { GraphFacts, TensorFact } from './graph-facts.ts'
import type { DecoderConfig } from './model-config.ts'
import type { OrtRuntime } from './ort.ts'
import { classifyRunError } from './run-errors.ts'

/** A model's bytes: the graph, and its external data by the location that the graph names. */
export interface ModelBytes {
  readonly graph: Uint8Array
  readonly externalData: readonly { readonly path: string; readonly bytes: Uint8Array }[]
}

/** The keys and values of the tokens run so far, on the device. Belongs to one session; used up by the run that continues it. */
export interface KeyValueCache {
  readonly tokens: number
  readonly tensors: { readonly [input: string]: Tensor }
}

/** Logits of one run: `row(i)` is row i (V) as float32, valid until the next call of `row`. */
export interface Logits {
  readonly rows: number
  readonly vocabularySize: number
  row(index: number): Float32Array
}

export interface RunOutcome {
  readonly logits: Logits | null
  readonly cache: KeyValueCache | null
}

/**
 * One ONNX Runtime session of a causal decoder, and the one way to run it: some tokens after a cache.
 *
 * Calls must not overlap (see SerialQueue). Once a run has failed on WebGPU the session would go on with the failed run's inputs, so it
 * refuses from then on with the first error; a WASM session survives an ordinary error.
 */
export class DecoderSession {
  readonly facts: GraphFacts
  readonly device: Device
  /** Runs and tokens computed so far. */
  readonly counts = { runs: 0, tokens: 0 }
  readonly #session: InferenceSession
  readonly #runtime: OrtRuntime
  readonly #config: DecoderConfig
  #failure: EvalError | null = null
  #watchesLoss = false
  #abandonRun: (reason: EvalError) => void = () => undefined

  constructor(
    session: InferenceSession,
    setup: { readonly facts: GraphFacts; readonly device: Device; readonly runtime: OrtRuntime; readonly config: DecoderConfig },
  ) {
    this.#session = session
    this.facts = setup.facts
    this.device = setup.device
    this.#runtime = setup.runtime
    this.#config = setup.config
  }

  /**
   * Runs `tokens` after `cache` (null: from the start). With `logits` all rows come to the CPU (`last`: only the last one counts, where
   * the graph can leave the others out); with `cache` the result can be continued. The given cache is released whatever happens. Throws `engine/*`.
   */
  async run(
    tokens: Int32Array,
    cache: KeyValueCache | null,
    wants: { readonly logits: boolean | 'last'; readonly cache: boolean },
  ): Promise<RunOutcome> {
    if (this.#failure !== null) throw this.#failure
    const past = cache?.tokens ?? 0
    const wantsLogits = wants.logits !== false
    const fetches = [...(wantsLogits ? ['logits'] : []), ...(wants.cache ? this.facts.cache.map((slot) => slot.present) : [])]
    try {
      const outputs = await this.#orLoss(this.#session.run(this.#feeds(tokens, cache, wants.logits === 'last'), fetches))
      this.counts.runs += 1
      this.counts.tokens += tokens.length
      return {
        logits: wantsLogits ? readLogits(outputs.logits) : null,
        cache: wants.cache ? { tokens: past + tokens.length, tensors: this.#continuation(outputs) } : null,
      }
    } catch (error) {
      throw this.#fail(error, `a run of ${tokens.length} tokens after ${past}`)
    } finally {
      if (cache !== null) releaseCache(cache)
    }
  }

  async release(): Promise<void> {
    this.#failure ??= new EvalError('engine/failed', 'the session was closed')
    await this.#session.release()
  }

  #feeds(tokens: Int32Array, cache: KeyValueCache | null, lastRowOnly: boolean): { [name: string]: Tensor } {
    const past = cache?.tokens ?? 0
    const total = past + tokens.length
    const feeds: { [name: string]: Tensor } = {}
    for (const input of this.facts.inputs) {
      if (input.name === 'input_ids') feeds[input.name] = this.#integers(input, tokens.length, (i) => tokens[i] ?? 0)
      else if (input.name === 'attention_mask') feeds[input.name] = this.#integers(input, total, () => 1)
      else if (input.name === 'position_ids') feeds[input.name] = this.#integers(input, tokens.length, (i) => past + i)
      // 0 asks for all rows.
      else if (input.name === 'num_logits_to_keep')
        feeds[input.name] = new this.#runtime.api.Tensor(
          'int64',
          BigInt64Array.of(lastRowOnly ? 1n : 0n),
          input.dims.length === 0 ? [] : [1],
        )
      else feeds[input.name] = cache?.tensors[input.name] ?? this.#emptyCache(input)
    }
    return feeds
  }

  #integers(input: TensorFact, length: number, valueAt: (index: number) => number): Tensor {
    if (input.elementType === 'int32')
      return new this.#runtime.api.Tensor(
        'int32',
        Int32Array.from({ length }, (_, i) => valueAt(i)),
        [1, length],
      )
    const values = new BigInt64Array(length)
    for (let i = 0; i < length; i += 1) values[i] = BigInt(valueAt(i))
    return new this.#runtime.api.Tensor('int64', values, [1, length])
  }

  /** [1, heads, 0, head size]; what the graph leaves symbolic comes from config.json. */
  #emptyCache(input: TensorFact): Tensor {
    const dims = cacheDims(input, this.#config)
    return input.elementType === 'float16'
      ? new this.#runtime.api.Tensor('float16', new Uint16Array(0), dims)
      : new this.#runtime.api.Tensor('float32', new Float32Array(0), dims)
  }

  #continuation(outputs: InferenceSession.OnnxValueMapType): { [input: string]: Tensor } {
    const tensors: { [input: string]: Tensor } = {}
    for (const { past, present } of this.facts.cache) {
      const tensor = outputs[present]
      if (tensor === undefined)
        throw new EvalError('engine/failed', `wanted output "${present}" of a run, found ${Object.keys(outputs).join(', ')}`)
      tensors[past.name] = tensor
    }
    return tensors
  }

  // A run whose device is lost may never settle. One listener for the session's life: racing every run against the same promise would
  // leave a reaction behind for each.
  async #orLoss<T>(run: Promise<T>): Promise<T> {
    if (this.device === 'webgpu' && !this.#watchesLoss) {
      this.#watchesLoss = true
      this.#runtime
        .deviceLoss()
        ?.then((info) => {
          const lost = new EvalError('engine/device-lost', `the GPU device was lost (${info.reason}): ${info.message}`, {
            details: { reason: info.reason },
          })
          this.#failure ??= lost
          this.#abandonRun(lost)
        })
        .catch(() => undefined)
    }
    return new Promise<T>((resolve, reject) => {
      this.#abandonRun = reject
      run.then(resolve, reject)
    })
  }

  #fail(error: unknown, doing: string): EvalError {
    const known = classifyRunError(error, doing, this.device)
    if (this.device === 'webgpu' || known.code === 'engine/out-of-memory') this.#failure = known
    return known
  }
}

/** Frees a cache that no run will continue. On WebGPU its buffers leak otherwise. */
export function releaseCache(cache: KeyValueCache): void {
  for (const tensor of Object.values(cache.tensors)) tensor.dispose()
}

/** Shape of an empty cache input. Throws `model/unsupported` when neither the graph nor config.json tells a size. */
export function cacheDims(input: TensorFact, config: DecoderConfig): [number, number, number, number] {
  const [, heads, , headSize] = input.dims
  const known = [typeof heads === 'number' ? heads : config.keyValueHeads, typeof headSize === 'number' ? headSize : config.headSize]
  const [rows, columns] = known
  if (input.dims.length !== 4 || rows === null || rows === undefined || columns === null || columns === undefined) {
    throw new EvalError(
      'model/unsupported',
      `wanted the shape [batch, heads, tokens, head size] of "${input.name}", found [${input.dims.map(String).join(', ')}] and no sizes in config.json`,
    )
  }
  return [1, rows, 0, columns]
}

function readLogits(tensor: Tensor | undefined): Logits {
  const [, rows = 0, vocabularySize = 0] = tensor?.dims ?? []
  if (tensor === undefined || tensor.dims.length !== 3 || rows * vocabularySize === 0) {
    throw new EvalError('engine/failed', `wanted logits (1, T, V), found shape [${tensor?.dims.join(', ') ?? 'none'}]`)
  }
  const values = tensor.data
  if (values instanceof Float32Array)
    return { rows, vocabularySize, row: (index) => values.subarray(index * vocabularySize, (index + 1) * vocabularySize) }
  if (tensor.type !== 'float16' || !ArrayBuffer.isView(values))
    throw new EvalError('model/unsupported', `wanted float32 or float16 logits, found ${tensor.type}`)
  const halves = new Uint16Array(values.buffer, values.byteOffset, rows * vocabularySize)
  const scratch = new Float32Array(vocabularySize)
  return {
    rows,
    vocabularySize,
    row(index) {
      for (let id = 0; id < vocabularySize; id += 1) scratch[id] = halfToFloat(halves[index * vocabularySize + id] ?? 0)
      return scratch
    },
  }
}

/** The value of an IEEE 754 binary16 given by its bits. */
export function halfToFloat(bits: number): number {
  const sign = (bits & 0x8000) === 0 ? 1 : -1
  const exponent = (bits >> 10) & 0x1f
  const fraction = bits & 0x3ff
  if (exponent === 0x1f) return fraction === 0 ? sign * Infinity : NaN
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

export interface SessionSetup {
  readonly runtime: OrtRuntime
  readonly model: ModelBytes
  readonly facts: GraphFacts
  readonly config: DecoderConfig
  readonly device: Device
}

/**
 * Opens a session of the model on a device. On WebGPU the cache stays in device buffers and only logits come back.
 *
 * Throws `model/corrupt` when external data is missing, `model/unsupported` for inputs that aren't a causal decoder's, `engine/*` when
 * ONNX Runtime can't open it.
 */
export async function openSession({ runtime, model, facts, config, device }: SessionSetup): Promise<DecoderSession> {
  requireSupported(facts, model)
  for (const { past } of facts.cache) cacheDims(past, config)
  const options: InferenceSession.SessionOptions = {
    executionProviders: [device === 'webgpu' ? { name: 'webgpu', ...forcedToCpu(facts) } : 'wasm'],
    externalData: model.externalData.map(({ path, bytes }) => ({ path, data: bytes })),
    logSeverityLevel: 3,
    ...(device === 'webgpu' && facts.cache.length > 0
      ? { preferredOutputLocation: Object.fromEntries(facts.cache.map((slot) => [slot.present, 'gpu-buffer' as const])) }
      : {}),
  }
  try {
    const session = await runtime.api.InferenceSession.create(model.graph, options)
    return new DecoderSession(session, { facts, device, runtime, config })
  } catch (error) {
    throw classifyRunError(error, 'opening the model', device)
  }
}

// WGSL promises sin and cos only to 2^-11, and rotary angles reach the window's length: SwiftShader's scores of a decomposed graph are off by up to
// 3e-3 nats a token with them on the GPU. They are a handful of small tensors a run.
function forcedToCpu(facts: GraphFacts): { forceCpuNodeNames?: string[] } {
  return facts.rotaryNodes.length === 0 ? {} : { forceCpuNodeNames: [...facts.rotaryNodes] }
}

const plainInputs = ['input_ids', 'attention_mask', 'position_ids', 'num_logits_to_keep']

function requireSupported(facts: GraphFacts, model: ModelBytes): void {
  const given = model.externalData.map((file) => file.path)
  const missing = facts.externalFiles.filter((file) => !given.includes(file))
  if (missing.length > 0)
    throw new EvalError(
      'model/corrupt',
      `the graph keeps weights in ${missing.join(', ')}, found only ${given.join(', ') || 'no such files'}`,
    )
  const cacheInputs = facts.cache.map((slot) => slot.past.name)
  const foreign = facts.inputs.find((input) => !plainInputs.includes(input.name) && !cacheInputs.includes(input.name))
  if (foreign !== undefined)
    throw new EvalError(
      'model/unsupported',
      `the graph wants an input "${foreign.name}" that a causal language model's export doesn't have`,
    )
  if (!facts.inputs.some((input) => input.name === 'input_ids'))
    throw new EvalError('model/unsupported', 'the graph has no input "input_ids"')
  const types = [facts.logits, ...facts.cache.map((slot) => slot.past)].filter(
    (tensor) => tensor.elementType !== 'float32' && tensor.elementType !== 'float16',
  )
  const [wrong] = types
  if (wrong !== undefined)
    throw new EvalError('model/unsupported', `wanted float32 or float16 for "${wrong.name}", found ${wrong.elementType}`)
}
