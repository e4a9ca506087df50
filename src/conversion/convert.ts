/** From a checkpoint and its config.json to graphs that run, in the dtype that was asked for. */
import type { Architecture } from '../architectures/architecture.ts'
import {
  canShareTable,
  takesGroupedAttention,
  writeDecoderGraph,
  type DecoderGraph,
  type GraphOptions,
} from '../architectures/graph/decoder-graph.ts'
import type { GraphDtype, HalfOf } from '../architectures/graph/numbers.ts'
import { readArchitecture } from '../architectures/registry.ts'
import type { HalfType } from '../architectures/weight-plan.ts'
import { EvalError } from '../base/errors.ts'
import type { Device } from '../contracts/engine.ts'
import type { FileBytes } from '../weights/file-bytes.ts'
import type { Checkpoint, CheckpointFile } from './checkpoint.ts'
import { convertedWeights } from './converted-weights.ts'
import { requireTensors } from './required-tensors.ts'
import { openSafetensors } from './safetensors.ts'
import { WeightRows } from './weight-rows.ts'

/** Dtypes that are made of a checkpoint here, in the order that a page lists them. */
export const convertedDtypes: readonly GraphDtype[] = ['fp32', 'fp16', 'q8', 'q4', 'q4f16']

export interface ConvertedModel {
  /** The graph as exporters make it, and the one for scoring; null where states can't be shared by branches. Both read the same weights. */
  readonly reference: DecoderGraph
  readonly scoring: DecoderGraph | null
  /** The graphs cap attention's scores as config.json says, which the harness does only when told to. */
  readonly hasCap: boolean
  /** The embedding and the head are one weight, as it is stored: a head that is arranged gives other last digits. */
  readonly sharesTable: boolean
  /** Name that the graphs have for their weights. */
  readonly location: string
  readonly weights: FileBytes
}

/** What graphs are written for. */
export interface ConversionTarget {
  readonly device: Device
  /** On WASM, `fp32` keeps tables of 16 bits as they are: not in the builds that WebGPU needs, whose CPU has no kernel that widens bfloat16. */
  readonly keepsHalves: boolean
}

const location = 'yardstick-weights'

/** Positions beyond which no rotary table is made: a row of 64 pairs takes 512 bytes. */
const mostPositions = 2 ** 17

/** Throws as `readArchitecture`, `openSafetensors` and `requireTensors`; `model/unknown-dtype` for a dtype that isn't made here. */
export async function convertModel(
  files: readonly CheckpointFile[],
  configText: string,
  dtype: string,
  { keepsCap = false, ...target }: ConversionTarget & { readonly keepsCap?: boolean },
): Promise<ConvertedModel> {
  const graphDtype = convertedDtypes.find((one) => one === dtype)
  if (graphDtype === undefined)
    throw new EvalError('model/unknown-dtype', `wanted one of ${convertedDtypes.join(', ')} of a checkpoint, found ${dtype}`)
  const architecture = architectureOf(configText, keepsCap)
  return writeGraphs(architecture, { dtype: graphDtype, ...target }, () => openSafetensors(files))
}

/**
 * Both graphs of an architecture, over the weights of the checkpoint that `open` gives once they are written. Throws as `requireTensors` and `WeightRows.open`.
 */
export async function writeGraphs(
  architecture: Architecture,
  { device, keepsHalves, ...how }: Pick<GraphOptions, 'dtype' | 'blocksOf'> & ConversionTarget,
  open: () => Promise<Checkpoint>,
  saidBy: 'config.json' | 'metadata' = 'config.json',
): Promise<ConvertedModel> {
  const isFloatOnWasm = device === 'wasm' && how.dtype === 'fp32'
  const sharesTable = isFloatOnWasm && canShareTable(architecture, how)
  const plain = { ...how, sharesTable, attention: attentionOn(device, architecture), ...graphOptions(architecture) }
  const asFloats = writeDecoderGraph(architecture, { form: 'reference', ...plain })
  const checkpoint = await open()
  const entries = requireTensors(checkpoint.tensors, asFloats.initializers, architecture, saidBy)
  const halfOf: HalfOf = (tensor) => halfTypes.get(entries.get(tensor)?.dtype ?? '') ?? null
  const options = keepsHalves && isFloatOnWasm ? { ...plain, halfOf } : plain
  const reference = options === plain ? asFloats : writeDecoderGraph(architecture, { form: 'reference', ...options })
  const scoring = attendsOnly(architecture)
    ? writeDecoderGraph(architecture, { form: 'scoring', ...options, partsBranches: device === 'wasm' })
    : null
  const weights = convertedWeights(reference.initializers, reference.bytes, await WeightRows.open(checkpoint, entries))
  const hasCap = architecture.layers.some(({ mixer }) => mixer.kind === 'attention' && mixer.softcap !== null)
  return { reference, scoring, hasCap, sharesTable, location, weights }
}

/** Checkpoints' names for 16-bit numbers, and graphs'. */
const halfTypes: ReadonlyMap<string, HalfType> = new Map([
  ['F16', 'float16'],
  ['BF16', 'bfloat16'],
])

/**
 * How attention is written for a device: on WebGPU as the fused kernel, where that takes the heads and no layer convolves. Beside convolutions its scores were off by 1.9 nats a token (tiny LFM2, ONNX Runtime 1.30,
 * SwiftShader), why isn't known; of plain operators they are within 3e-5.
 */
export function attentionOn(device: Device, architecture: Pick<Architecture, 'layers'>): 'grouped' | 'split' {
  return device === 'webgpu' && attendsOnly(architecture) && takesGroupedAttention(architecture) ? 'grouped' : 'split'
}

function attendsOnly({ layers }: Pick<Architecture, 'layers'>): boolean {
  return layers.every(({ mixer }) => mixer.kind === 'attention')
}

/**
 * The architecture that the text of a config.json describes, as the harness runs it, or with the cap of attention's scores where it `keepsCap`. Throws as `readArchitecture`; `model/corrupt` for what is no JSON object.
 */
export function architectureOf(configText: string, keepsCap = false): Architecture {
  const architecture = readArchitecture(readConfig(configText))
  return keepsCap ? architecture : asHarness(architecture)
}

/**
 * An architecture as the harness runs it. Its transformers (4.57.6) takes PyTorch's own attention (`sdpa`) unless `attn_implementation` says otherwise, and that leaves out the cap of
 * attention's scores which Gemma 2's config.json asks for (`attn_logit_softcapping`): so do we.
 */
export function asHarness(architecture: Architecture): Architecture {
  const layers = architecture.layers.map((layer) =>
    layer.mixer.kind === 'attention' && layer.mixer.softcap !== null ? { ...layer, mixer: { ...layer.mixer, softcap: null } } : layer,
  )
  return { ...architecture, layers }
}

/** What all graphs of an architecture have in common. */
export function graphOptions({ maxPositions }: Architecture): { readonly location: string; readonly positions: number } {
  return { location, positions: Math.min(maxPositions, mostPositions) }
}

function readConfig(text: string): { readonly [key: string]: unknown } {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new EvalError('model/corrupt', `wanted JSON in config.json, found ${text.slice(0, 40)}: ${String(cause)}`, { cause })
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new EvalError('model/corrupt', 'wanted an object in config.json, found something else')
  return parsed as { readonly [key: string]: unknown } // Objects of JSON have names of any kind.
}
