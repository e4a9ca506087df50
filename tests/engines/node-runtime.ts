/** Real ONNX Runtime in Node: the WASM build that the browser uses. */
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Ort from 'onnxruntime-common'
import type { OrtRuntime } from '../../src/engines/ort.ts'

const dist = join(dirname(createRequire(import.meta.url).resolve('onnxruntime-web/wasm')))
const urlOf = (name: string): string => pathToFileURL(join(dist, name)).href

/** With one thread, whatever is asked for. */
export function loadNodeOrt(): Promise<OrtRuntime> {
  return loadThreadedNodeOrt(1)
}

/** The number of threads counts for the first session of a process. */
export async function loadThreadedNodeOrt(threads: number): Promise<OrtRuntime> {
  // An address that only Node knows, so the module has no type of its own here: it is onnxruntime-web's WASM entry.
  const ort = (await import(/* @vite-ignore */ urlOf('ort.wasm.bundle.min.mjs'))) as typeof Ort
  ort.env.wasm.numThreads = threads
  ort.env.wasm.wasmPaths = { mjs: urlOf('ort-wasm-simd-threaded.mjs'), wasm: urlOf('ort-wasm-simd-threaded.wasm') }
  return {
    api: ort,
    version: ort.env.versions.web ?? '',
    build: 'plain',
    threads,
    deviceLoss: () => null,
    device: () => Promise.resolve(null),
  }
}
