import type * as Ort from 'onnxruntime-common'
import asyncifyMjs from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.mjs?url'
import asyncifyWasm from 'onnxruntime-web/ort-wasm-simd-threaded.asyncify.wasm?url'
import jspiMjs from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.mjs?url'
import jspiWasm from 'onnxruntime-web/ort-wasm-simd-threaded.jspi.wasm?url'
import plainMjs from 'onnxruntime-web/ort-wasm-simd-threaded.mjs?url'
import plainWasm from 'onnxruntime-web/ort-wasm-simd-threaded.wasm?url'
import type { Device } from '../contracts/engine.ts'

/**
 * `jspi` (17 MB) and `asyncify` (27 MB) have the WebGPU and WASM providers, `plain` (14 MB) only WASM. WebAssembly waits for the GPU in the
 * middle of a call: `jspi` by the browser's own suspended stacks, `asyncify` by code that saves and restores every frame.
 */
export type OrtBuild = 'jspi' | 'asyncify' | 'plain'

/** One loaded copy of ONNX Runtime. */
export interface OrtRuntime {
  readonly api: Pick<typeof Ort, 'InferenceSession' | 'Tensor'>
  readonly version: string
  readonly build: OrtBuild
  readonly threads: number
  /** Resolves when the WebGPU device of its sessions is lost, with the reason; null while no WebGPU session has been made. */
  deviceLoss(): Promise<GPUDeviceLostInfo> | null
  /** The WebGPU device of its sessions; null while none has been made. */
  device(): Promise<GPUDevice | null>
}

/** Gives a loaded runtime; the engine is handed one so that it can run on other hosts too. */
export type OrtLoader = (provider: Device, threads: number | null) => Promise<OrtRuntime>

const loaded = new Map<OrtBuild, Promise<OrtRuntime>>()

/**
 * Loads the build of onnxruntime-web that runs on `provider` here, once per worker; `threads` counts only the first time.
 *
 * Its wasm files come from our own origin: the addresses must be set before the first session, else ORT asks a CDN. Threads need
 * cross-origin isolation; `null` means up to four. The proxy worker stays off: we are in a worker already.
 */
export const loadOrt: OrtLoader = async (provider, threads) => {
  const build = buildFor(provider)
  const known = loaded.get(build)
  if (known !== undefined) return known
  const fresh = loaders[build](threads)
  loaded.set(build, fresh)
  // A failed download may succeed next time.
  fresh.catch(() => loaded.delete(build))
  return fresh
}

/** The build for a provider in this browser: the one without saved frames where WebAssembly can suspend its stack. */
export function buildFor(provider: Device): OrtBuild {
  if (provider === 'wasm') return 'plain'
  return 'Suspending' in WebAssembly ? 'jspi' : 'asyncify'
}

const loaders: { readonly [build in OrtBuild]: (threads: number | null) => Promise<OrtRuntime> } = {
  jspi: loadJspi,
  asyncify: loadAsyncify,
  plain: loadPlain,
}

async function loadJspi(threads: number | null): Promise<OrtRuntime> {
  const ort = await import('onnxruntime-web/jspi')
  return prepare(ort, 'jspi', { mjs: absolute(jspiMjs), wasm: absolute(jspiWasm) }, threads)
}

async function loadAsyncify(threads: number | null): Promise<OrtRuntime> {
  const ort = await import('onnxruntime-web/webgpu')
  return prepare(ort, 'asyncify', { mjs: absolute(asyncifyMjs), wasm: absolute(asyncifyWasm) }, threads)
}

async function loadPlain(threads: number | null): Promise<OrtRuntime> {
  const ort = await import('onnxruntime-web/wasm')
  return prepare(ort, 'plain', { mjs: absolute(plainMjs), wasm: absolute(plainWasm) }, threads)
}

function prepare(ort: typeof Ort, build: OrtBuild, wasmPaths: { mjs: string; wasm: string }, threads: number | null): OrtRuntime {
  ort.env.wasm.wasmPaths = wasmPaths
  ort.env.wasm.numThreads = threadCount(threads)
  ort.env.wasm.proxy = false
  ort.env.logLevel = 'error'
  let loss: Promise<GPUDeviceLostInfo> | null = null
  return {
    api: ort,
    version: ort.env.versions.web ?? ort.env.versions.common,
    build,
    threads: threadCount(threads),
    deviceLoss() {
      if (build === 'plain') return null
      // ORT puts a promise of its device here once the first WebGPU session exists.
      loss ??= Promise.resolve(ort.env.webgpu.device).then(async (device) => device.lost)
      return loss
    },
    device: async () => (build === 'plain' ? null : await ort.env.webgpu.device),
  }
}

/** Threads for WASM: `wanted`, at most the cores; four by default; one without cross-origin isolation. */
function threadCount(wanted: number | null): number {
  if (!globalThis.crossOriginIsolated) return 1
  return Math.max(1, Math.min(wanted ?? 4, navigator.hardwareConcurrency))
}

// In a worker that was started from a blob, relative addresses resolve against the blob; Vite's are relative to this file at worst.
function absolute(address: string): string {
  const moduleAddress: string = import.meta.url
  return new URL(address, moduleAddress).href
}
