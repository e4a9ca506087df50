import { EvalError } from '../base/errors.ts'
import type { Device, DeviceChoice } from '../contracts/engine.ts'
import type { AdapterFacts } from '../contracts/model-session.ts'
import type { GraphFacts } from './graph/graph-facts.ts'

/**
 * Facts about the adapter that `gpu` gives, or null when there is no WebGPU or no adapter.
 *
 * Pass `navigator.gpu`, or Dawn's in Node; undefined means no WebGPU.
 */
export async function describeAdapter(gpu: GPU | undefined): Promise<AdapterFacts | null> {
  if (gpu === undefined) return null
  // A browser that has blocked its GPU process may reject rather than answer null.
  const adapter = await gpu.requestAdapter({ powerPreference: 'high-performance' }).catch(() => null)
  if (adapter === null) return null
  const { vendor, architecture, device, description } = adapter.info
  const declared = adapter.info.isFallbackAdapter
  const features: readonly string[] = [...adapter.features].sort()
  return {
    vendor,
    architecture,
    device,
    description,
    isFallback: declared || isSoftwareName(`${vendor} ${architecture} ${device} ${description}`),
    hasShaderF16: features.includes('shader-f16'),
    features,
    maxBufferBytes: adapter.limits.maxBufferSize,
    maxStorageBufferBindingBytes: adapter.limits.maxStorageBufferBindingSize,
    maxWorkgroupStorageBytes: adapter.limits.maxComputeWorkgroupStorageSize,
    maxWorkgroupThreads: adapter.limits.maxComputeInvocationsPerWorkgroup,
    subgroupSizes: subgroupSizesOf(adapter.info),
  }
}

/** Absent in browsers without subgroups, whatever the types say. */
function subgroupSizesOf({ subgroupMinSize, subgroupMaxSize }: Partial<GPUAdapterInfo>): readonly [number, number] | null {
  return subgroupMinSize === undefined || subgroupMaxSize === undefined ? null : [subgroupMinSize, subgroupMaxSize]
}

/** The features by which ONNX Runtime chooses its kernels: 16-bit floats, subgroups, and matrices of a subgroup, which browsers hide as experimental. */
export function kernelFeatures(features: readonly string[]): readonly string[] {
  return features.filter((feature) => /shader-f16|subgroup/.test(feature))
}

/**
 * Whether the browser's switches let out what an ordinary page doesn't get. `--enable-unsafe-webgpu` does, unless Dawn's toggle behind it is off:
 * then it only offers adapters that are otherwise withheld.
 */
export function asksForMore(switches: readonly string[]): boolean {
  return (
    switches.includes('--enable-unsafe-webgpu') &&
    !switches.some((one) => /^--disable-dawn-features=(.*,)?allow_unsafe_apis(,|$)/.test(one))
  )
}

/** True for the names of software rasterisers: SwiftShader, llvmpipe/lavapipe, Microsoft's WARP. */
export function isSoftwareName(name: string): boolean {
  return /swiftshader|llvmpipe|lavapipe|softpipe|basic render|\bwarp\b/i.test(name)
}

export interface ChosenDevice {
  readonly device: Device
  /** One sentence on why, for people. */
  readonly reason: string
}

/**
 * The device to try first. An explicit `webgpu` never falls back: without an adapter it throws `engine/no-webgpu`.
 *
 * `auto` prefers a hardware adapter, but WASM over a software one (slower, and known to be wrong) and for dynamically quantised graphs
 * (their kernels are made for the CPU, and integer rounding differs between devices).
 */
export function chooseDevice(
  choice: DeviceChoice,
  adapter: AdapterFacts | null,
  facts: Pick<GraphFacts, 'isDynamicallyQuantised'>,
): ChosenDevice {
  switch (choice) {
    case 'wasm':
      return { device: 'wasm', reason: 'WASM was asked for.' }
    case 'webgpu':
      if (adapter === null) {
        throw new EvalError(
          'engine/no-webgpu',
          'WebGPU was asked for, but this browser offers no adapter: choose device "auto" or "wasm", or start the browser with its GPU enabled',
        )
      }
      return { device: 'webgpu', reason: `WebGPU was asked for (${nameOf(adapter)}).` }
    case 'auto':
      if (adapter === null) return { device: 'wasm', reason: 'WASM, because this browser offers no WebGPU adapter.' }
      if (adapter.isFallback)
        return { device: 'wasm', reason: `WASM, because the only WebGPU adapter is a software one (${nameOf(adapter)}).` }
      if (facts.isDynamicallyQuantised)
        return { device: 'wasm', reason: 'WASM, because this dtype quantises activations dynamically, which its CPU kernels are made for.' }
      return { device: 'webgpu', reason: `WebGPU on ${nameOf(adapter)}.` }
  }
}

/** What a GGUF file's weights are unpacked to where they don't run in their own blocks: 16 bits on a GPU that computes with them and that would be chosen, else float32. */
export function unpackedType(choice: DeviceChoice, adapter: AdapterFacts | null): 'fp32' | 'fp16' {
  if (adapter?.hasShaderF16 !== true || choice === 'wasm') return 'fp32'
  return choice === 'webgpu' || !adapter.isFallback ? 'fp16' : 'fp32'
}

/** Short name of an adapter for sentences. */
export function nameOf(adapter: Pick<AdapterFacts, 'vendor' | 'architecture' | 'description'>): string {
  const parts = [adapter.vendor, adapter.architecture, adapter.description].filter((part) => part !== '')
  return [...new Set(parts)].join(' ') || 'unnamed adapter'
}
