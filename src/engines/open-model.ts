/** Opening a model on a device: the self-check, the choice of the scoring path, and what is said of both. */
import { EvalError, isEvalError } from '../core/errors.ts'
import type { Device, DeviceChoice, EngineFacts, FastScoring, ForwardAnswer, ForwardItem, ScoringPath, SelfCheck } from '../core/types.ts'
import { chooseDevice, describeAdapter, type AdapterFacts, type ChosenDevice } from './device.ts'
import { holdDevice } from './device-holder.ts'
import { needsShaderF16 } from './dtypes.ts'
import { FastScorer } from './fast-scoring.ts'
import { readGraphFacts, requireFloatActivations, type GraphFacts } from './graph-facts.ts'
import { estimateMemory, wasmHeapBytes } from './memory.ts'
import { readDecoderConfig, type DecoderConfig } from './model-config.ts'
import { numericClass } from './numeric-class.ts'
import type { OrtLoader, OrtRuntime } from './ort.ts'
import { longestRunTokens, scoreByReference } from './reference-scoring.ts'
import { layoutOf } from './run-layout.ts'
import { checkScoring, checkSequences, type CheckSequences } from './scoring-check.ts'
import {
  checkAdapter,
  planSelfCheck,
  referenceFor,
  selfReference,
  skippedCheck,
  type CheckPlan,
  type CheckReference,
} from './self-check.ts'
import { noCounts, openSession, type DecoderSession, type ModelBytes } from './session.ts'
import { rowScorer } from './session-rows.ts'
import { makeScoringGraph } from './surgery/scoring-graph.ts'
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
  /** Some of the sequences that will be scored: the fast path is held against the reference path on them, besides on made ones. */
  readonly checkItems?: readonly ForwardItem[]
  /** Where answers are only believed up to a shorter run: forces pieces of this many tokens at most. */
  readonly longestRun?: number
}

/** What the engine needs from its host, so that it runs in a browser's worker and in Node. */
export interface EngineHost {
  readonly loadOrt: OrtLoader
  readonly gpu: GPU | undefined
}

/** A model that is open. `fast` is null on the reference path. */
export interface Opened {
  readonly session: DecoderSession
  readonly fast: FastScorer | null
  readonly facts: EngineFacts
  readonly config: DecoderConfig
}

/** What all steps of opening need. */
interface Opening {
  readonly model: EngineModel
  readonly options: EngineOptions
  readonly graph: GraphFacts
  readonly config: DecoderConfig
  readonly adapter: AdapterFacts | null
}

/** Opens a model as `ModelEngine.open` says. */
export async function openModel(host: EngineHost, model: EngineModel, options: EngineOptions): Promise<Opened> {
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
  return speedUp(opening, {
    runtime,
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
    return speedUp(opening, { runtime, session, device: 'webgpu', reason: chosen.reason, selfCheck })
  }
  const plan = planOf(opening)
  const reference = await wasmReference(runtime, opening, plan)
  const session = await openSession({ ...opening, facts: graph, runtime, device: 'webgpu' })
  try {
    const selfCheck = await check(session, plan, reference, toleranceOf(options.dtype, graph))
    if (selfCheck.status === 'failed') throw failedCheck(selfCheck)
    session.counts.runs = 0
    session.counts.tokens = 0
    return speedUp(opening, { runtime, session, device: 'webgpu', reason: chosen.reason, selfCheck })
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
  return planSelfCheck({
    vocabularySize: vocabularySizeOf({ graph, config }),
    windowTokens: config.maxPositions ?? 1024,
    longestRun: Math.min(longestRunTokens, options.longestRun ?? longestRunTokens),
    canContinue: canCut(graph),
    isDynamicallyQuantised: graph.isDynamicallyQuantised,
  })
}

/** Width of the logits, which may be more than the vocabulary. */
function logitsSizeOf({ graph, config }: Pick<Opening, 'graph' | 'config'>): number | null {
  const size = graph.logits.dims.at(-1)
  return typeof size === 'number' ? size : config.vocabularySize
}

function vocabularySizeOf({ graph, config }: Pick<Opening, 'graph' | 'config'>): number {
  const vocabulary = graph.logits.dims.at(-1)
  return typeof vocabulary === 'number' ? Math.min(vocabulary, config.vocabularySize ?? vocabulary) : (config.vocabularySize ?? 1)
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

/** An open session of the model's own graph, checked. */
interface Checked {
  readonly runtime: OrtRuntime
  readonly session: DecoderSession
  readonly device: Device
  readonly reason: string
  readonly selfCheck: SelfCheck
}

/**
 * Goes over from the model's own graph to the cut one where the fast path was asked for and computes the same: both score the same sequences,
 * one session after the other, so that the weights are never there twice.
 */
async function speedUp(opening: Opening, checked: Checked): Promise<Opened> {
  const { options, graph, config } = opening
  const { session, runtime, device } = checked
  if (options.scoring === 'reference') return describe(opening, checked, session, null, null)
  if (graph.isDynamicallyQuantised) {
    const reason =
      'this graph quantises activations over a whole run, so that what shares a run changes a token’s score: each sequence is run whole'
    return describe(opening, checked, session, null, reason)
  }
  const vocabularySize = logitsSizeOf(opening)
  if (vocabularySize === null)
    return describe(opening, checked, session, null, 'neither the graph nor config.json tells the size of the vocabulary')
  const sequences = checkSequences(vocabularySizeOf(opening), config.maxPositions ?? Infinity, options.checkItems ?? [])
  const wanted = await scoreByReference(session, sequences.items, chunkTokensOf(opening, checked.selfCheck))
  const holder = device === 'webgpu' ? await holdDevice(runtime) : null
  try {
    await session.release()
    return await openFast(opening, checked, { vocabularySize, sequences, wanted })
  } finally {
    await holder?.release()
  }
}

/**
 * Tries the cut graph with branches sharing runs, first with keys and values in place where that can be, then without either; goes back to the model's own
 * graph where none agrees.
 */
async function openFast(
  opening: Opening,
  checked: Checked,
  {
    vocabularySize,
    sequences,
    wanted,
  }: { readonly vocabularySize: number; readonly sequences: CheckSequences; readonly wanted: readonly ForwardAnswer[] },
): Promise<Opened> {
  const { options, graph, model, config } = opening
  const { runtime, device } = checked
  let reason = ''
  for (const { allowPacking, inPlace } of waysOf(opening, device)) {
    const cut = makeScoringGraph(model.graph, { vocabularySize, elementType: isHalf(graph) ? 'float16' : 'float32', allowPacking })
    if (allowPacking && cut.packing === null) continue
    const layout = layoutOf({ graph, config, longestRun: options.longestRun }, cut, device, checked.selfCheck, inPlace)
    let fastSession: DecoderSession | null = null
    try {
      fastSession = await openSession({ ...opening, facts: graph, runtime, device, cut, inPlace })
      const scorer = new FastScorer(fastSession, layout)
      const check = await checkScoring(scorer, layout, sequences, wanted)
      scorer.release()
      if (check.maxAbsDiff <= toleranceOf(options.dtype, graph))
        return describe(opening, checked, fastSession, { layout, cut: cut.cut, check }, null)
      reason = `the fast path differs from the reference path by ${check.maxAbsDiff.toExponential(1)} nats a token here`
    } catch (error) {
      if (!isEvalError(error) || !fallsBackToReference.includes(error.code)) throw error
      reason = `the fast path can't run this graph: ${error.message}`
    }
    await fastSession?.release()
  }
  const again = await openSession({ ...opening, facts: graph, runtime, device })
  return describe(opening, checked, again, null, reason)
}

/** What to try, the fastest first. */
function waysOf({ graph, config }: Opening, device: Device): readonly { readonly allowPacking: boolean; readonly inPlace: boolean }[] {
  const alone = { allowPacking: false, inPlace: false }
  // Layers that see only a window of positions would count a branch's tokens wrongly.
  if (config.slidingWindow !== null) return [alone]
  const packed = { allowPacking: true, inPlace: false }
  return [...(device === 'webgpu' && graph.family === 'gqa' ? [{ ...packed, inPlace: true }] : []), packed, alone]
}

const fallsBackToReference: readonly string[] = ['engine/failed', 'engine/nonfinite', 'model/unsupported', 'model/corrupt']

function isHalf(graph: GraphFacts): boolean {
  return graph.cache.some((slot) => slot.past.elementType === 'float16')
}

function chunkTokensOf({ graph, options }: Opening, selfCheck: SelfCheck): number | null {
  return canCut(graph)
    ? Math.min(longestRunTokens, options.longestRun ?? longestRunTokens, selfCheck.maxRunTokens ?? longestRunTokens)
    : null
}

function resetCounts(session: DecoderSession): void {
  Object.assign(session.counts, noCounts())
}

function describe(
  opening: Opening,
  { runtime, device, reason, selfCheck }: Checked,
  session: DecoderSession,
  fast: FastScoring | null,
  scoringReason: string | null,
): Opened {
  const { options, graph, config, adapter } = opening
  resetCounts(session)
  const chunkTokens = fast?.layout.tokens ?? chunkTokensOf(opening, selfCheck)
  const scoring: ScoringPath = fast === null ? 'reference' : 'fast'
  const onAdapter = device === 'webgpu' ? adapter : null
  const facts: EngineFacts = {
    device,
    deviceReason: reason,
    dtype: options.dtype,
    scoring,
    ...(scoringReason === null ? {} : { scoringReason }),
    ...(fast === null ? {} : { fast }),
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
    numericClass: numericClass(runtime, onAdapter, {
      device,
      dtype: options.dtype,
      scoring,
      chunkTokens,
      ...(fast === null ? {} : { fast }),
    }),
  }
  return { session, fast: fast === null ? null : new FastScorer(session, fast.layout), facts, config }
}
