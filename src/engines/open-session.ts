/** Opens a session of ONNX Runtime for a model on a device. */
import type { InferenceSession } from 'onnxruntime-common'
import { EvalError, isEvalError } from '../base/errors.ts'
import type { Device } from '../contracts/engine.ts'
import type { OpenOptions } from '../contracts/model-session.ts'
import type { ScoringGraph } from './graph-rewriting/scoring-graph.ts'
import { fewUnpackedBytes, splitProducts } from './graph-rewriting/split-products.ts'
import { unpackProducts, type UnpackedShare } from './graph-rewriting/unpack-products.ts'
import { withExternalData } from './graph/external-data.ts'
import type { GraphFacts } from './graph/graph-facts.ts'
import { requireDecoderGraph } from './graph/graph-support.ts'
import type { DecoderConfig } from './graph/model-config.ts'
import { unpackingBudget } from './memory.ts'
import type { OrtRuntime } from './ort.ts'
import { classifyRunError } from './run-errors.ts'
import { DecoderSession, type ModelBytes } from './session.ts'
import { StaticCache } from './static-cache.ts'

interface SessionSetup {
  /** Weights stay packed where that is asked for. */
  readonly options?: Pick<OpenOptions, 'keepsPacked'>
  readonly runtime: OrtRuntime
  readonly model: ModelBytes
  readonly facts: GraphFacts
  readonly config: DecoderConfig
  readonly device: Device
  /** The rewritten graph to run instead of the model's own. */
  readonly cut?: ScoringGraph
  /** Keys and values are written in place, for graphs whose attention can (static-cache.ts). WebGPU only. */
  readonly inPlace?: boolean
}

/**
 * Opens a session of the model on a device. On WebGPU the cache stays in device buffers and only logits, or scores of the rewritten graph, come back.
 *
 * Throws `model/corrupt` when external data is missing, `model/unsupported` for inputs that aren't a causal decoder's, `engine/*` when
 * ONNX Runtime can't open it.
 */
export async function openSession({ runtime, model, facts, config, device, cut, inPlace, options }: SessionSetup): Promise<DecoderSession> {
  requireFiles(facts, model)
  requireDecoderGraph(facts, config)
  const whole = cut?.graph ?? model.graph
  const keepsPacked = options?.keepsPacked === true
  const graph = device === 'wasm' ? splitProducts(whole, keepsPacked ? fewUnpackedBytes : undefined) : whole
  // The other build runs WASM for the self-check only, and its heap stays as large as it once was.
  const isUnpacked = device === 'wasm' && runtime.build === 'plain'
  const mostBytes = keepsPacked ? 0 : budgetOf(model, config)
  const unpacked = isUnpacked ? unpackProducts(graph, model.files, mostBytes) : null
  const share = unpacked === null ? null : { ...unpacked.share, unpacked: 0, bytes: 0 }
  const packed = { graph, files: model.files, share }
  const ways = unpacked === null || unpacked.share.unpacked === 0 ? [packed] : [unpacked, packed]
  for (const [index, way] of ways.entries()) {
    try {
      const session = await create(way, { runtime, model, facts, config, device })
      const gpu = inPlace === true ? await runtime.device() : null
      const staticCache = gpu === null ? null : new StaticCache(gpu, runtime.api.Tensor, facts.cache, config)
      return new DecoderSession(session, { facts, device, runtime, config, cut: cut ?? null, staticCache, unpacked: way.share })
    } catch (error) {
      const known = isEvalError(error) ? error : classifyRunError(error, 'opening the model', device)
      if (known.code !== 'engine/out-of-memory' || index === ways.length - 1) throw known
    }
  }
  throw new EvalError('internal', 'no way to open a session')
}

/** What a session is made of; `share` is null where nothing was to be unpacked. */
interface SessionBytes extends ModelBytes {
  readonly share: UnpackedShare | null
}

async function create({ graph, files }: SessionBytes, { runtime, facts, device }: SessionSetup): Promise<InferenceSession> {
  const options: InferenceSession.SessionOptions = {
    executionProviders: [device === 'webgpu' ? { name: 'webgpu', ...forcedToCpu(facts) } : 'wasm'],
    logSeverityLevel: 3,
    // An arena keeps what a pass took for the next one, and grows by doubling: beside weights of a gigabyte there is no room for that.
    ...(bytesOf(files) > mostArenaWeights ? { enableCpuMemArena: false, enableMemPattern: false } : {}),
    ...(device === 'webgpu' && facts.cache.length > 0
      ? { preferredOutputLocation: Object.fromEntries(facts.cache.map((slot) => [slot.present, 'gpu-buffer' as const])) }
      : {}),
  }
  return withExternalData(files, device, (externalData) => runtime.api.InferenceSession.create(graph, { ...options, externalData }))
}

function bytesOf(files: ModelBytes['files']): number {
  return files.reduce((sum, { bytes }) => sum + bytes.length, 0)
}

/** Memory that unpacked weights may take beside the model. Browsers that tell their device's memory tell it in GiB, 8 at most, which stands for more too. */
function budgetOf({ files }: ModelBytes, config: DecoderConfig): number {
  const gibibytes = (globalThis.navigator as { deviceMemory?: number } | undefined)?.deviceMemory
  return unpackingBudget(bytesOf(files), config, gibibytes === undefined ? null : gibibytes * 2 ** 30)
}

// WGSL promises sin and cos only to 2^-11, and rotary angles reach the window's length: SwiftShader's scores of a decomposed graph are off by up to
// 3e-3 nats a token with them on the GPU. They are a handful of small tensors a pass.
function forcedToCpu(facts: GraphFacts): { forceCpuNodeNames?: string[] } {
  return facts.rotaryNodes.length === 0 ? {} : { forceCpuNodeNames: [...facts.rotaryNodes] }
}

/** Weights, in bytes, beside which a pass's memory is given back at once. */
const mostArenaWeights = 2 ** 29

function requireFiles(facts: GraphFacts, model: ModelBytes): void {
  const given = model.files.map((file) => file.path)
  const missing = facts.externalFiles.filter((file) => !given.includes(file))
  if (missing.length > 0)
    throw new EvalError(
      'model/corrupt',
      `the graph keeps weights in ${missing.join(', ')}, found only ${given.join(', ') || 'no such files'}`,
    )
}
