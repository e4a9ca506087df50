/** From a model's GGUF files to graphs that run. */
import type { Architecture } from '../../architectures/architecture.ts'
import { decoderWeightBytes, type GraphOptions } from '../../architectures/graph/decoder-graph.ts'
import type { BlocksOf } from '../../architectures/graph/numbers.ts'
import { isRepackable } from '../../weights/convert/gguf-blocks.ts'
import { readGguf, type GgufFile } from '../../weights/gguf/header.ts'
import { joinSplitParts } from '../../weights/gguf/split.ts'
import type { TensorTable } from '../../weights/tensor-table.ts'
import { OpenedFiles, type CheckpointFile } from '../checkpoint.ts'
import { graphOptions, writeGraphs, type ConversionTarget, type ConvertedModel } from '../convert.ts'
import { readGgufDecoder } from './registry.ts'
import { factorTensors, withRopeFactors } from './rope-factors.ts'

/** What all of a file can be unpacked to, besides running as it is stored. */
export const unpackedDtypes = ['fp32', 'fp16'] as const

/** What a GGUF file is run as: `fp32` or `fp16` for all of it; any other name, its quantisation's, for blocks as they are stored. */
export interface GgufRun {
  readonly dtype: string
  /** What weights that aren't blocks of 4 or 8 bits are unpacked to in a run as stored. */
  readonly unpacksTo: 'fp32' | 'fp16'
}

/**
 * Opens all parts of a model. The config.json is the metadata's. Throws as `readGguf`, `joinSplitParts`, `readGgufDecoder` and `withRopeFactors`; `model/corrupt` and `model/unsupported` for tensors that are
 * missing, of another shape, or read by nothing.
 */
export async function convertGguf(
  files: readonly CheckpointFile[],
  run: GgufRun,
  { keepsCap = false, ...target }: ConversionTarget & { readonly keepsCap?: boolean },
): Promise<{ readonly converted: ConvertedModel; readonly configText: string }> {
  const opened = new OpenedFiles()
  const headers: GgufFile[] = []
  for (const file of files) headers.push(await readGguf(opened.open(file)))
  const model = joinSplitParts(headers)
  const decoder = readGgufDecoder(model, keepsCap)
  const architecture = await withRopeFactors(decoder, model, opened.checkpoint(model.tensors))
  // Of the factors a plan of weights knows nothing.
  const weights = new Map([...model.tensors].filter(([name]) => !factorTensors.includes(name)))
  const converted = await writeGraphs(
    architecture,
    { ...numbersOf(run, model.tensors), ...target },
    () => Promise.resolve(opened.checkpoint(weights)),
    'metadata',
  )
  return { converted, configText: JSON.stringify(decoder.config) }
}

/** Bytes of a model's weights as they are run, by its headers alone. Throws as `readGgufDecoder`. */
export function bytesAsRun(architecture: Architecture, tensors: TensorTable, run: GgufRun): number {
  return decoderWeightBytes(architecture, { form: 'reference', ...numbersOf(run, tensors), ...graphOptions(architecture) })
}

function numbersOf({ dtype, unpacksTo }: GgufRun, tensors: TensorTable): Pick<GraphOptions, 'dtype' | 'blocksOf'> {
  const all = unpackedDtypes.find((one) => one === dtype)
  return all === undefined ? { dtype: unpacksTo, blocksOf: blocksIn(tensors) } : { dtype: all }
}

function blocksIn(tensors: TensorTable): BlocksOf {
  return (name) => {
    const type = tensors.get(name)?.dtype ?? ''
    return isRepackable(type) ? (type === 'Q4_0' ? 4 : 8) : null
  }
}
