/** Opening a model on a device: the self-check, the choice of the device, and what is said of both. */
import { EvalError, isEvalError } from '../base/errors.ts'
import type { Device, EngineFacts, SelfCheck } from '../contracts/engine.ts'
import type { AdapterFacts } from '../contracts/model-session.ts'
import { chooseDevice, describeAdapter, type ChosenDevice } from './device.ts'
import { needsShaderF16 } from './graph/dtypes.ts'
import { readGraphFacts, requireFloatActivations } from './graph/graph-facts.ts'
import { readDecoderConfig } from './graph/model-config.ts'
import { requireDecoder } from './graph/model-kinds.ts'
import { estimateMemory, wasmHeapBytes } from './memory.ts'
import { speedUp } from './open-fast.ts'
import { openSession } from './open-session.ts'
import {
  canCut,
  logitsSizeOf,
  prepareModel,
  vocabularySizeOf,
  type EngineHost,
  type EngineModel,
  type EngineOptions,
  type Opened,
  type Opening,
} from './opening.ts'
import type { OrtRuntime } from './ort.ts'
import { millisecondsPerToken } from './scoring/calibration.ts'
import { longestRunOver } from './scoring/reference-scoring.ts'
import {
  checkAdapter,
  planSelfCheck,
  referenceFor,
  selfReference,
  skippedCheck,
  type CheckPlan,
  type CheckReference,
} from './scoring/self-check.ts'
import { toleranceOf } from './scoring/tolerance.ts'
import { rowScorer } from './session-rows.ts'
import type { DecoderSession } from './session.ts'

/** Opens a model as `ModelEngine.open` says. */
export async function openModel(host: EngineHost, model: EngineModel, options: EngineOptions): Promise<Opened> {
  if ('config' in model) requireDecoder(model.config, 'a model')
  const adapter = options.device === 'wasm' ? null : await describeAdapter(host.gpu)
  const opening = await prepare(host, model, options, adapter, 'wasm')
  const chosen = chooseDevice(options.device, adapter, opening.graph)
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
    // An exported graph is the same on both; one of our own is written for its device.
    const onGpu = 'graph' in model ? opening : await prepare(host, model, options, adapter, 'webgpu')
    return await openOnWebgpu(host, onGpu, chosen, opening)
  } catch (error) {
    if (options.device === 'webgpu' || !isEvalError(error) || !fallsBack.includes(error.code)) throw error
    return openOnWasm(host, opening, `WASM, because WebGPU did not pass: ${error.message}`)
  }
}

async function prepare(
  host: EngineHost,
  model: EngineModel,
  options: EngineOptions,
  adapter: AdapterFacts | null,
  device: Device,
): Promise<Opening> {
  const { bytes, ownScoring, hasCap, sharesTable, configText } = await prepareModel(model, options, device, adapter)
  const graph = readGraphFacts(bytes.graph)
  requireFloatActivations(bytes.graph, graph)
  const config = readDecoderConfig(configText)
  return { model: bytes, ownScoring, hasCap, sharesTable, options, graph, config, adapter, tellDoing: host.tellDoing ?? (() => undefined) }
}

const fallsBack: readonly string[] = [
  'engine/self-check-failed',
  'engine/failed',
  'engine/nonfinite',
  'engine/out-of-memory',
  'engine/device-lost',
]

async function openOnWasm(host: EngineHost, opening: Opening, reason: string): Promise<Opened> {
  const runtime = await host.loadOrt('wasm', opening.options.threads)
  opening.tellDoing('making its session on WASM')
  const session = await openSession({ ...opening, facts: opening.graph, runtime, device: 'wasm' })
  return speedUp(opening, {
    runtime,
    session,
    device: 'wasm',
    reason,
    selfCheck: skippedCheck('Runs on WASM are the reference themselves.'),
  })
}

/** `onWasm`: the same model as WASM runs it, for the self-check's reference and where WASM turns out faster. */
async function openOnWebgpu(host: EngineHost, opening: Opening, chosen: ChosenDevice, onWasm: Opening): Promise<Opened> {
  const runtime = await host.loadOrt('webgpu', opening.options.threads)
  const { graph, options, tellDoing } = opening
  const kept = options.selfCheck ?? null
  if (kept !== null) {
    const selfCheck = kept === 'skip' ? skippedCheck('The self-check was skipped on request: these numbers are unverified.') : kept
    if (selfCheck.status === 'failed') throw failedCheck(selfCheck)
    tellDoing('making its session on WebGPU')
    const session = await openSession({ ...opening, facts: graph, runtime, device: 'webgpu' })
    return speedUp(opening, { runtime, session, device: 'webgpu', reason: chosen.reason, selfCheck })
  }
  const plan = planOf(opening)
  const { reference, tokenMs } = await wasmReference(runtime, onWasm, plan)
  tellDoing('making its session on WebGPU')
  const session = await openSession({ ...opening, facts: graph, runtime, device: 'webgpu' })
  try {
    tellDoing('the self-check on WebGPU')
    const selfCheck = await check(session, plan, reference, toleranceOf(options.dtype, graph))
    if (selfCheck.status === 'failed') throw failedCheck(selfCheck)
    session.counts.runs = 0
    session.counts.tokens = 0
    const opened = await speedUp(opening, { runtime, session, device: 'webgpu', reason: chosen.reason, selfCheck })
    const faster = options.device === 'auto' ? whyWasmIsFaster(opened.facts, tokenMs) : null
    if (faster === null) return opened
    opened.fast?.release()
    await opened.session.release()
    return await openOnWasm(host, onWasm, faster)
  } catch (error) {
    await session.release().catch(() => undefined)
    throw error
  }
}

/** `wasmMs`: of a token in WASM's reference run, all of whose rows are projected, so that WASM is never flattered. */
function whyWasmIsFaster({ fast, chunkTokens }: EngineFacts, wasmMs: number | null): string | null {
  if (fast?.costs === undefined || wasmMs === null) return null
  const gpuMs = millisecondsPerToken(fast.costs, chunkTokens ?? 1)
  if (gpuMs <= wasmMs) return null
  return `WASM, because it takes ${wasmMs.toPrecision(2)} ms a token here and the WebGPU adapter ${gpuMs.toPrecision(2)}.`
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

function planOf(opening: Opening): CheckPlan {
  const { graph, config, options } = opening
  const longest = longestRunOver(logitsSizeOf(opening))
  return planSelfCheck({
    vocabularySize: vocabularySizeOf({ graph, config }),
    windowTokens: config.maxPositions ?? 1024,
    longestRun: Math.min(longest, options.longestRun ?? longest),
    canContinue: canCut(graph),
    isDynamicallyQuantised: graph.isDynamicallyQuantised,
  })
}

// The same ORT build has the WASM provider too, so a second copy of the runtime isn't needed; the model's second copy is released before the
// WebGPU session opens. Null when the model is too big for WASM.
async function wasmReference(
  runtime: OrtRuntime,
  opening: Opening,
  plan: CheckPlan,
): Promise<{ readonly reference: CheckReference | null; readonly tokenMs: number | null }> {
  const none = { reference: null, tokenMs: null }
  const { model, config, options } = opening
  const weights = model.graph.length + model.files.reduce((sum, file) => sum + file.bytes.length, 0)
  const estimate = estimateMemory({ dtype: options.dtype, bytes: weights }, config, {
    windowTokens: plan.tokens.length,
    runTokens: plan.tokens.length,
  })
  if (estimate.totalBytes > wasmHeapBytes) return none
  let session: DecoderSession
  opening.tellDoing('making its session on WASM for the self-check')
  try {
    session = await openSession({ ...opening, facts: opening.graph, runtime, device: 'wasm' })
  } catch (error) {
    if (isEvalError(error) && error.code === 'engine/out-of-memory') return none
    throw error
  }
  try {
    opening.tellDoing('scoring on WASM for the self-check')
    const reference = await referenceFor(plan, rowScorer(session))
    return { reference, tokenMs: session.counts.milliseconds / Math.max(1, session.counts.tokens) }
  } finally {
    await session.release()
  }
}
