import type { Device } from '../contracts/engine.ts'
import type { DtypeOption } from '../contracts/models.ts'
import type { AdapterFacts } from '../contracts/model-session.ts'
import { nameOf } from './device.ts'
import { needsShaderF16 } from './graph/dtypes.ts'
import type { DecoderConfig } from './graph/model-config.ts'

/** An estimate, in bytes, made before anything large is fetched. */
export interface MemoryEstimate {
  readonly weightBytes: number
  /** What was counted: the longest sequence of the run, in tokens. */
  readonly windowTokens: number
  /** Keys and values of it. */
  readonly cacheBytes: number
  /** Logits and activations of one forward pass. */
  readonly workspaceBytes: number
  /** In WebAssembly's heap, where a pass has the keys and values it continues beside those it gives. */
  readonly totalBytes: number
  /** The largest single tensor that must fit one buffer: the embedding or a pass's logits. */
  readonly largestTensorBytes: number
}

/** Address space of 32-bit WebAssembly: weights, cache and workspace of a WASM session share it. */
export const wasmHeapBytes = 4 * 2 ** 30

/**
 * Estimates what scoring sequences of up to `windowTokens` tokens takes, in passes of at most `runTokens`.
 *
 * A lower bound, so that it refuses only what surely can't run: shapes that config.json doesn't tell count as zero, and an embedding counts
 * as small as the dtype can make it.
 */
export function estimateMemory(
  option: Pick<DtypeOption, 'dtype' | 'bytes'>,
  config: DecoderConfig,
  run: { readonly windowTokens: number; readonly runTokens: number },
): MemoryEstimate {
  const elementBytes = needsShaderF16(option.dtype) ? 2 : 4
  const vocabulary = config.vocabularySize ?? 0
  const hidden = config.hiddenSize ?? 0
  const cacheBytes = 2 * (config.layers ?? 0) * (config.keyValueHeads ?? 0) * (config.headSize ?? 0) * run.windowTokens * elementBytes
  const runTokens = Math.min(run.runTokens, run.windowTokens)
  const logitsBytes = runTokens * vocabulary * elementBytes
  // About a dozen activations of the hidden size live at once, the feed-forward ones four times as wide.
  const workspaceBytes = logitsBytes + runTokens * hidden * elementBytes * 24
  const embeddingBytes = Math.min(option.bytes, vocabulary * hidden * weightBytesOf(option.dtype))
  return {
    weightBytes: option.bytes,
    windowTokens: run.windowTokens,
    cacheBytes,
    workspaceBytes,
    totalBytes: option.bytes + 2 * cacheBytes + workspaceBytes,
    largestTensorBytes: Math.max(embeddingBytes, logitsBytes),
  }
}

/** Bytes of one weight where the dtype quantises it. */
function weightBytesOf(dtype: string): number {
  if (dtype === 'fp32') return 4
  if (dtype === 'fp16') return 2
  return /^(?:q8|u?int8)$/.test(dtype) ? 1 : 1 / 2
}

/** Room that is left beside what is estimated: a heap that grows has gaps. */
const sparedBytes = 2 ** 29

/** Tokens that a run on WASM is expected to keep keys and values of at most. */
const expectedTokens = 4096

/**
 * Bytes that a session on WASM may take beyond its weights as they are stored, for unpacked ones (graph-rewriting/unpack-products.ts). `deviceBytes`: memory of the device where the browser
 * tells it, of which half is left alone.
 */
export function unpackingBudget(weightBytes: number, config: DecoderConfig, deviceBytes: number | null): number {
  const run = { windowTokens: Math.min(config.maxPositions ?? expectedTokens, expectedTokens), runTokens: longestPass }
  const { totalBytes } = estimateMemory({ dtype: 'fp32', bytes: weightBytes }, config, run)
  return Math.max(0, Math.min(wasmHeapBytes - sparedBytes, (deviceBytes ?? Infinity) / 2) - totalBytes)
}

/** Tokens of the longest pass on WASM (scoring/pass-layout.ts). */
const longestPass = 384

export interface Circumstances {
  readonly device: Device
  readonly adapter: AdapterFacts | null
  readonly estimate: MemoryEstimate
  /** Bytes of the files that are fetched, which weights made here of others don't have as they are run. */
  readonly fileBytes: number
  /** Bytes that the origin may still store; null when unknown or when nothing is stored. */
  readonly storageBytes: number | null
}

/** One sentence on why `dtype` can't run in these circumstances, or null when nothing speaks against it. */
export function refuse(dtype: string, { device, adapter, estimate, fileBytes, storageBytes }: Circumstances): string | null {
  if (storageBytes !== null && fileBytes > storageBytes) {
    return `Its files take ${size(fileBytes)}, but this browser lets the app store only ${size(storageBytes)} more; free disk space or delete other models.`
  }
  switch (device) {
    case 'wasm':
      return estimate.totalBytes > wasmHeapBytes
        ? `It needs about ${size(estimate.totalBytes)} (weights ${size(estimate.weightBytes)}, keys and values of a sequence of ${estimate.windowTokens} tokens ${size(2 * estimate.cacheBytes)}, workspace ${size(estimate.workspaceBytes)}), but WebAssembly can address only ${size(wasmHeapBytes)}; choose a smaller dtype${estimate.cacheBytes > estimate.weightBytes ? ' or a smaller max_length' : ''}.`
        : null
    case 'webgpu':
      return adapter === null ? 'WebGPU is not available here.' : refuseOnAdapter(dtype, adapter, estimate)
  }
}

function refuseOnAdapter(dtype: string, adapter: AdapterFacts, estimate: MemoryEstimate): string | null {
  if (needsShaderF16(dtype) && !adapter.hasShaderF16)
    return `It computes in 16 bits, which ${nameOf(adapter)} can't (no shader-f16); choose q4 or fp32.`
  const limit = Math.min(adapter.maxBufferBytes, adapter.maxStorageBufferBindingBytes)
  if (estimate.largestTensorBytes > limit) {
    return `Its largest tensor takes about ${size(estimate.largestTensorBytes)}, but ${nameOf(adapter)} allows ${size(limit)} a buffer; choose a smaller dtype or device "wasm".`
  }
  return null
}

/** Bytes for people, in binary units with one decimal. */
function size(bytes: number): string {
  if (bytes >= 2 ** 30) return `${(bytes / 2 ** 30).toFixed(1)} GiB`
  if (bytes >= 2 ** 20) return `${(bytes / 2 ** 20).toFixed(1)} MiB`
  return `${Math.ceil(bytes / 1024)} KiB`
}
