import { describe, expect, it } from 'vitest'
import type { AdapterFacts } from '../../src/contracts/model-session.ts'
import { chooseDevice, isSoftwareName } from '../../src/engines/device.ts'

const hardware: AdapterFacts = {
  vendor: 'acme',
  architecture: 'one',
  device: '',
  description: '',
  isFallback: false,
  hasShaderF16: true,
  features: [],
  maxBufferBytes: 1,
  maxStorageBufferBindingBytes: 1,
  maxWorkgroupStorageBytes: 32768,
  maxWorkgroupThreads: 256,
  subgroupSizes: null,
}
const software: AdapterFacts = { ...hardware, vendor: 'google', architecture: 'swiftshader', isFallback: true }
const plain = { isDynamicallyQuantised: false }
const q8 = { isDynamicallyQuantised: true }

describe('chooseDevice', () => {
  it.each([
    ['auto', hardware, plain, 'webgpu', 'acme one'],
    ['auto', hardware, q8, 'wasm', 'dynamically'],
    ['auto', software, plain, 'wasm', 'software one (google swiftshader)'],
    ['auto', null, plain, 'wasm', 'no WebGPU adapter'],
    ['wasm', hardware, plain, 'wasm', 'asked for'],
    ['webgpu', software, q8, 'webgpu', 'asked for'],
  ] as const)('%s with %j and %j gives %4$s', (choice, adapter, facts, device, reason) => {
    const chosen = chooseDevice(choice, adapter, facts)
    expect(chosen.device).toBe(device)
    expect(chosen.reason).toContain(reason)
  })

  it('never falls back from an explicit webgpu', () => {
    expect(() => chooseDevice('webgpu', null, plain)).toThrow(expect.objectContaining({ code: 'engine/no-webgpu' }))
  })
})

describe('isSoftwareName', () => {
  it.each(['Google SwiftShader', 'llvmpipe (LLVM 15)', 'Microsoft Basic Render Driver', 'mesa lavapipe'])('%s is one', (name) => {
    expect(isSoftwareName(name)).toBe(true)
  })
  it.each(['apple metal-3', 'nvidia lovelace', 'intel gen-12lp', 'Warpcore'])('%s is none', (name) => {
    expect(isSoftwareName(name)).toBe(false)
  })
})
