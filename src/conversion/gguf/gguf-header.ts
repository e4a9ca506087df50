/** What a model's GGUF headers tell before its weights are fetched. */
import { readGguf } from '../../weights/gguf/header.ts'
import { joinSplitParts } from '../../weights/gguf/split.ts'
import type { GgufValue } from '../../weights/gguf/values.ts'
import type { ByteSource } from '../../weights/source.ts'
import type { TensorTable } from '../../weights/tensor-table.ts'
import { tokenizerOfGguf, type GgufTokenizer } from '../gguf-tokenizer/tokenizer-of-gguf.ts'
import { bytesAsRun, type GgufRun } from './convert-gguf.ts'
import { quantisationInMetadata } from './quantisation.ts'
import { readGgufDecoder } from './registry.ts'

export interface GgufHeader {
  /** As a config.json. */
  readonly configText: string
  readonly metadata: ReadonlyMap<string, GgufValue>
  /** The quantisation that the metadata name; null where they name none. */
  readonly quantisation: string | null
  /** Bytes of the weights as they are run. */
  bytesAsRun(run: GgufRun): number
  /** The same of another file of this model in the quantisation `run.dtype`, whose own header isn't read before it is chosen: what its types are likely to be. */
  supposedBytes(run: GgufRun): number
  /** Throws as `tokenizerOfGguf`. */
  tokenizer(): GgufTokenizer
}

/** Reads the headers of all parts, by ranges. Throws as `readGguf`, `joinSplitParts` and `readGgufDecoder`. */
export async function readGgufHeader(parts: readonly ByteSource[]): Promise<GgufHeader> {
  const { metadata, tensors } = joinSplitParts(await Promise.all(parts.map((part) => readGguf(part))))
  const { config, architecture } = readGgufDecoder({ metadata, tensors })
  return {
    configText: JSON.stringify(config),
    metadata,
    quantisation: quantisationInMetadata(metadata),
    bytesAsRun: (run) => bytesAsRun(architecture, tensors, run),
    supposedBytes: (run) => bytesAsRun(architecture, supposedTypes(run.dtype, tensors), run),
    tokenizer: () => tokenizerOfGguf(metadata),
  }
}

/** Matrices of Q8_0 and Q4_0 files in these types, with embedding and head in Q6_K in the latter, as llama.cpp's quantiser has them; of all others as of types that are unpacked. */
function supposedTypes(label: string, tensors: TensorTable): TensorTable {
  const supposed = new Map(tensors)
  for (const [name, entry] of tensors) {
    const isMatrix = entry.shape.length > 1 && (entry.shape.at(-1) ?? 0) % 32 === 0
    const isEnd = name === 'token_embd.weight' || name === 'output.weight'
    const dtype = isMatrix && (label === 'Q8_0' || (label === 'Q4_0' && !isEnd)) ? label : 'F32'
    supposed.set(name, { ...entry, dtype })
  }
  return supposed
}
