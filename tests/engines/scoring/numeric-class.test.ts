import { expect, it } from 'vitest'
import type { AdapterFacts } from '../../../src/contracts/model-session.ts'
import type { OrtRuntime } from '../../../src/engines/ort.ts'
import { numericClass } from '../../../src/engines/scoring/numeric-class.ts'

const runtime = (build: OrtRuntime['build']) => ({ version: '1.30.0', build, threads: 1 }) as OrtRuntime
const adapter: AdapterFacts = {
  vendor: 'acme',
  architecture: 'one',
  device: '',
  description: '',
  isFallback: false,
  hasShaderF16: true,
  features: ['shader-f16', 'subgroups', 'timestamp-query'],
  maxBufferBytes: 4096,
  maxStorageBufferBindingBytes: 2048,
  maxWorkgroupStorageBytes: 32768,
  maxWorkgroupThreads: 256,
  subgroupSizes: [4, 32],
}
const facts = { device: 'webgpu', dtype: 'fp32', scoring: 'reference', chunkTokens: 128 } as const
const classOf = (change: Partial<AdapterFacts> = {}, switches: readonly string[] = [], build: OrtRuntime['build'] = 'jspi') =>
  numericClass(runtime(build), { ...adapter, ...change }, { ...facts, switches })

it('names all that an adapter has kernels chosen by', () => {
  expect(decodeURIComponent(classOf())).toBe(
    'rules=1;ort=1.30.0;build=jspi;device=webgpu;adapter=acme/one//;features=shader-f16,subgroups;limits=4096/2048/32768/256/4-32;dtype=fp32;scoring=reference;chunk=128',
  )
  const others = [
    classOf({ features: [...adapter.features, 'chromium-experimental-subgroup-matrix'] }),
    classOf({ features: [] }),
    classOf({ maxWorkgroupThreads: 1024 }),
    classOf({ subgroupSizes: null }),
    classOf({}, ['--enable-unsafe-webgpu']),
    classOf({}, [], 'asyncify'),
  ]
  expect(new Set([classOf(), ...others]).size).toBe(others.length + 1)
})

it('names what a graph of our own sums in another order', () => {
  const plain = numericClass(runtime('plain'), null, { ...facts, device: 'wasm' })
  for (const [change, name] of [
    [{ groupsAttention: true }, 'attention_kernel=grouped'],
    [{ sharesTable: true }, 'head=shared'],
    [{ partsBranches: true }, 'branches=parted'],
  ] as const) {
    expect(plain).not.toContain(name)
    expect(numericClass(runtime('plain'), null, { ...facts, device: 'wasm', ...change }).split(';')).toContain(name)
  }
})

it('is the same for features without kernels, and for switches that let nothing out', () => {
  expect(classOf({ features: ['shader-f16', 'subgroups'] })).toBe(classOf())
  for (const off of ['allow_unsafe_apis', 'allow_unsafe_apis,another', 'another,allow_unsafe_apis'])
    expect(classOf({}, ['--enable-unsafe-webgpu', `--disable-dawn-features=${off}`, '--use-webgpu-adapter=swiftshader'])).toBe(classOf())
  expect(classOf({}, ['--enable-unsafe-webgpu', '--disable-dawn-features=another'])).not.toBe(classOf())
})
