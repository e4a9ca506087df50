import { afterEach, expect, it, vi } from 'vitest'
import { buildFor } from '../../src/engines/ort.ts'

afterEach(() => vi.unstubAllGlobals())

it('takes the build without saved frames for WebGPU where WebAssembly can suspend its stack, and the small one for WASM everywhere', () => {
  for (const [features, build] of [
    [{ Suspending: class {} }, 'jspi'],
    [{}, 'asyncify'],
  ] as const) {
    vi.stubGlobal('WebAssembly', features)
    expect([buildFor('webgpu'), buildFor('wasm')]).toEqual([build, 'plain'])
  }
})
