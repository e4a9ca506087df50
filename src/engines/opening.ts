/** What all steps of opening a model need, and what is said of one that is open. */
import type { Device, EngineFacts, FastScoring, ScoringPath, SelfCheck } from '../contracts/engine.ts'
import type { AdapterFacts, OpenOptions } from '../contracts/model-session.ts'
import { convertModel, type ConvertedModel } from '../conversion/convert.ts'
import { convertGguf } from '../conversion/gguf/convert-gguf.ts'
import { kernelFeatures, unpackedType } from './device.ts'
import { moveWeightsOut, weightsFile } from './graph-rewriting/external-weights.ts'
import type { ScoringGraph } from './graph-rewriting/scoring-graph.ts'
import { hasKeysAlone } from './graph/cache-dims.ts'
import { fileBytes, type ModelFile } from './graph/model-file.ts'
import type { GraphFacts } from './graph/graph-facts.ts'
import type { DecoderConfig } from './graph/model-config.ts'
import type { OrtLoader, OrtRuntime } from './ort.ts'
import { FastScorer } from './scoring/fast-scoring.ts'
import { numericClass } from './scoring/numeric-class.ts'
import { longestRunOver } from './scoring/reference-scoring.ts'
import { noCounts, type DecoderSession, type ModelBytes } from './session.ts'

/** A model that somebody exported: its graph, external data by the location that the graph names, and the text of config.json. */
export interface ExportedModel {
  readonly graph: ModelFile
  readonly externalData: readonly { readonly path: string; readonly bytes: ModelFile }[]
  readonly config: string
}

/** Weights without a graph: safetensors files and their index by name, and the text of config.json, of which the graph is written. */
export interface CheckpointModel {
  readonly checkpoint: readonly { readonly path: string; readonly bytes: ModelFile }[]
  readonly config: string
}

/** A GGUF file, or all parts of one, by name: the metadata tell the rest. */
export interface GgufFiles {
  readonly gguf: readonly { readonly path: string; readonly bytes: ModelFile }[]
}

/** A model as the engine opens it. */
export type EngineModel = ExportedModel | CheckpointModel | GgufFiles

/** How the engine opens a model: as it was asked for, and what tests and measurements choose besides. */
export interface EngineOptions extends OpenOptions {
  /** A check of the same model, dtype and adapter, obeyed instead of checking again; `skip` runs unchecked and says so. */
  readonly selfCheck?: SelfCheck | 'skip' | null
  /** Where answers are only believed up to a shorter pass: forces pieces of this many tokens at most. */
  readonly longestRun?: number
  /** Measures how long passes may be on a software adapter too, where a pass costs the same whatever its length. */
  readonly calibratesSoftware?: boolean
}

/** What the engine needs from its host, so that it runs in a browser's worker and in Node. */
export interface EngineHost {
  readonly loadOrt: OrtLoader
  readonly gpu: GPU | undefined
  /** Hears of each step of opening before it begins: one that never ends is known by it. */
  readonly tellDoing?: (what: string) => void
}

/** A model that is open. `fast` is null on the reference path. */
export interface Opened {
  readonly session: DecoderSession
  readonly fast: FastScorer | null
  readonly facts: EngineFacts
  readonly config: DecoderConfig
}

/** What all steps of opening need. */
export interface Opening {
  readonly model: ModelBytes
  /** The graph for scoring that was written with the model's own; null for an exported model, whose graph is rewritten. */
  readonly ownScoring: ScoringGraph | null
  /** The graph caps attention's scores because it was asked to. */
  readonly hasCap: boolean
  /** The graph of our own has its embedding and its head in one weight. */
  readonly sharesTable: boolean
  readonly options: EngineOptions
  readonly graph: GraphFacts
  readonly config: DecoderConfig
  readonly adapter: AdapterFacts | null
  readonly tellDoing: (what: string) => void
}

/** An open session of the model's own graph, checked. */
export interface Checked {
  readonly runtime: OrtRuntime
  readonly session: DecoderSession
  readonly device: Device
  readonly reason: string
  readonly selfCheck: SelfCheck
}

/** A model's graphs and weights, ready for a session. */
export interface PreparedModel {
  /** The graph without its weights, and the files that they are in. */
  readonly bytes: ModelBytes
  /** Our own graph for scoring where there is one. */
  readonly ownScoring: ScoringGraph | null
  /** Our own graphs cap attention's scores. */
  readonly hasCap: boolean
  /** Our own graphs have the embedding and the head in one weight. */
  readonly sharesTable: boolean
  /** The text of config.json. */
  readonly configText: string
}

/** The model as `device` runs it; an exported one is the same on both. Throws `model/corrupt`, and as `convertModel` and `convertGguf`. */
export async function prepareModel(
  model: EngineModel,
  { dtype, keepsCap }: Pick<EngineOptions, 'dtype' | 'keepsCap'>,
  device: Device,
  adapter: AdapterFacts | null,
): Promise<PreparedModel> {
  // Where there is an adapter, the build that it needs may run what is prepared for WASM, as the self-check's reference.
  const target = { device, keepsHalves: adapter === null, ...(keepsCap === undefined ? {} : { keepsCap }) }
  if ('gguf' in model) {
    const run = { dtype, unpacksTo: unpackedType(device, adapter) }
    const { converted, configText } = await convertGguf(openFiles(model.gguf), run, target)
    return { ...convertedBytes(converted), configText }
  }
  const configText = model.config
  if ('checkpoint' in model)
    return { ...convertedBytes(await convertModel(openFiles(model.checkpoint), configText, dtype, target)), configText }
  const own = fileBytes(model.graph)
  const { graph, readsFile } = moveWeightsOut(own)
  const external = openFiles(model.externalData)
  return {
    bytes: { graph, files: readsFile ? [...external, { path: weightsFile, bytes: own }] : external },
    ownScoring: null,
    hasCap: false,
    sharesTable: false,
    configText,
  }
}

function openFiles(files: readonly { readonly path: string; readonly bytes: ModelFile }[]) {
  return files.map(({ path, bytes }) => ({ path, bytes: fileBytes(bytes) }))
}

function convertedBytes({ reference, scoring, location, weights, ...facts }: ConvertedModel): Omit<PreparedModel, 'configText'> {
  const ownScoring: ScoringGraph | null =
    scoring === null
      ? null
      : { graph: scoring.graph, cut: 'hidden', packing: { wants: null }, localWindow: scoring.localWindow, parting: scoring.parting }
  return { bytes: { graph: reference.graph, files: [{ path: location, bytes: weights }] }, ownScoring, ...facts }
}

/** Width of the logits, which may be more than the vocabulary. */
export function logitsSizeOf({ graph, config }: Pick<Opening, 'graph' | 'config'>): number | null {
  const size = graph.logits.dims.at(-1)
  return typeof size === 'number' ? size : config.vocabularySize
}

/** Ids that may be drawn: those of the tokenizer that the logits have a place for. */
export function vocabularySizeOf({ graph, config }: Pick<Opening, 'graph' | 'config'>): number {
  const vocabulary = graph.logits.dims.at(-1)
  return typeof vocabulary === 'number' ? Math.min(vocabulary, config.vocabularySize ?? vocabulary) : (config.vocabularySize ?? 1)
}

/** A prompt may be run in pieces: the graph has a cache of keys and values, and a pass’s rows don't depend on the rest of the pass. */
export function canCut(graph: GraphFacts): boolean {
  return graph.cache.length > 0 && hasKeysAlone(graph) && !graph.isDynamicallyQuantised
}

/** Most tokens of a pass of the model's own graph; null where each sequence has a pass of its own. */
export function chunkTokensOf(opening: Opening, selfCheck: SelfCheck): number | null {
  const { graph, options } = opening
  const longest = longestRunOver(logitsSizeOf(opening))
  return canCut(graph) ? Math.min(longest, options.longestRun ?? longest, selfCheck.maxRunTokens ?? longest) : null
}

/** Says what was opened, and counts from nothing. */
export function describe(
  opening: Opening,
  { runtime, device, reason, selfCheck }: Checked,
  session: DecoderSession,
  fast: FastScoring | null,
  scoringReason: string | null,
): Opened {
  const { options, graph, config, adapter, ownScoring } = opening
  Object.assign(session.counts, noCounts())
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
    ...(opening.hasCap ? { attention: 'eager' } : {}),
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
            features: kernelFeatures(onAdapter.features),
            limits: {
              maxBufferBytes: onAdapter.maxBufferBytes,
              maxStorageBufferBindingBytes: onAdapter.maxStorageBufferBindingBytes,
              maxWorkgroupStorageBytes: onAdapter.maxWorkgroupStorageBytes,
              maxWorkgroupThreads: onAdapter.maxWorkgroupThreads,
              subgroupSizes: onAdapter.subgroupSizes,
            },
          },
    ...(options.switches === undefined ? {} : { switches: options.switches }),
    selfCheck,
    chunkTokens,
    isDynamicallyQuantised: graph.isDynamicallyQuantised,
    ...(session.unpacked === null || session.unpacked.products === 0 ? {} : { unpackedProducts: session.unpacked }),
    numericClass: numericClass(runtime, onAdapter, {
      device,
      dtype: options.dtype,
      scoring,
      chunkTokens,
      ...(options.switches === undefined ? {} : { switches: options.switches }),
      groupsAttention: ownScoring !== null && graph.family === 'gqa',
      sharesTable: opening.sharesTable,
      partsBranches: fast !== null && (session.cut?.parting ?? null) !== null,
      ...(fast === null ? {} : { fast }),
      ...(opening.hasCap ? { attention: 'eager' } : {}),
    }),
  }
  return { session, fast: fast === null ? null : new FastScorer(session, fast.layout), facts, config }
}
