import { describe, expect, it } from 'vitest'
import type { AdapterFacts } from '../../src/contracts/model-session.ts'
import { readDecoderConfig } from '../../src/engines/graph/model-config.ts'
import { estimateMemory, refuse, unpackingBudget, wasmHeapBytes, type Circumstances } from '../../src/engines/memory.ts'

const config = readDecoderConfig(
  JSON.stringify({
    architectures: ['LlamaForCausalLM'],
    num_hidden_layers: 30,
    hidden_size: 576,
    num_attention_heads: 9,
    num_key_value_heads: 3,
    vocab_size: 49152,
    max_position_embeddings: 8192,
  }),
)
const adapter = (change: Partial<AdapterFacts> = {}): AdapterFacts => ({
  vendor: 'acme',
  architecture: 'one',
  device: '',
  description: '',
  isFallback: false,
  hasShaderF16: true,
  features: [],
  maxBufferBytes: 2 ** 30,
  maxStorageBufferBindingBytes: 2 ** 30,
  maxWorkgroupStorageBytes: 32768,
  maxWorkgroupThreads: 256,
  subgroupSizes: null,
  ...change,
})
const estimate = (bytes: number, dtype = 'q4') => estimateMemory({ dtype, bytes }, config, { windowTokens: 2048, runTokens: 128 })
const circumstances = (change: Partial<Circumstances>): Circumstances => ({
  device: 'webgpu',
  adapter: adapter(),
  estimate: estimate(1e8),
  fileBytes: 1e8,
  storageBytes: null,
  ...change,
})

describe('estimateMemory', () => {
  it('counts keys and values of the whole window and the logits of one run', () => {
    expect(estimate(1e8).cacheBytes).toBe(2 * 30 * 3 * 64 * 2048 * 4)
    expect(estimate(1e8, 'fp16').cacheBytes).toBe(2 * 30 * 3 * 64 * 2048 * 2)
    expect(estimate(1e9, 'fp32').largestTensorBytes).toBe(49152 * 576 * 4)
    expect(estimate(1e6).largestTensorBytes).toBe(128 * 49152 * 4)
  })
})

describe('unpackingBudget', () => {
  it('leaves room for the stored weights, keys and values, workspace and gaps', () => {
    const budget = unpackingBudget(1e8, config, null)
    expect(budget).toBeLessThan(wasmHeapBytes - 2 ** 29 - 1e8 - 2 * (2 * 30 * 3 * 64 * 4096 * 4))
    expect(budget).toBeGreaterThan(2.5e9)
    expect(budget - unpackingBudget(6e8, config, null)).toBe(5e8)
    expect(unpackingBudget(4e9, config, null)).toBe(0)
  })

  it('takes half of a small device’s memory at most', () => {
    const whole = unpackingBudget(1e8, config, null)
    expect(unpackingBudget(1e8, config, 8 * 2 ** 30)).toBe(whole)
    expect(unpackingBudget(1e8, config, 4 * 2 ** 30)).toBeLessThan(2 ** 31)
    expect(unpackingBudget(1e8, config, 2 ** 28)).toBe(0)
  })
})

describe('refuse', () => {
  it('counts the sequences of the run, not the positions of the model, and says so', () => {
    const long = { ...config, layers: 28, keyValueHeads: 8, headSize: 128, maxPositions: 40_960 }
    const of = (windowTokens: number) => estimateMemory({ dtype: 'q4', bytes: 6e8 }, long, { windowTokens, runTokens: 128 })
    expect(refuse('q4', circumstances({ device: 'wasm', estimate: of(2000) }))).toBeNull()
    expect(refuse('q4', circumstances({ device: 'wasm', estimate: of(40_000) }))).toMatch(
      /keys and values of a sequence of 40000 tokens 17\.\d GiB.*or a smaller max_length/,
    )
  })

  it('counts an embedding that is quantised as small as it can be: what may run is not refused', () => {
    const small = adapter({ maxStorageBufferBindingBytes: 128 * 2 ** 20 })
    const wide = { ...config, vocabularySize: 262_144, hiddenSize: 640 }
    const of = (dtype: string) => estimateMemory({ dtype, bytes: 5e8 }, wide, { windowTokens: 128, runTokens: 128 })
    expect(refuse('q4', circumstances({ adapter: small, estimate: of('q4') }))).toBeNull()
    expect(refuse('fp32', circumstances({ adapter: small, estimate: of('fp32') }))).toMatch(/largest tensor/)
  })

  it('lets through what fits', () => {
    expect(refuse('fp16', circumstances({}))).toBeNull()
    expect(refuse('q4', circumstances({ device: 'wasm' }))).toBeNull()
  })

  it('refuses 16-bit dtypes without shader-f16 on WebGPU only', () => {
    const without = adapter({ hasShaderF16: false })
    for (const dtype of ['fp16', 'q4f16']) expect(refuse(dtype, circumstances({ adapter: without }))).toMatch(/no shader-f16/)
    expect(refuse('q4', circumstances({ adapter: without }))).toBeNull()
    expect(refuse('fp16', circumstances({ adapter: without, device: 'wasm' }))).toBeNull()
  })

  it('refuses a tensor beyond the smaller buffer limit, naming both sizes', () => {
    const small = adapter({ maxStorageBufferBindingBytes: 100 * 2 ** 20 })
    expect(refuse('fp32', circumstances({ adapter: small, estimate: estimate(1e9, 'fp32') }))).toMatch(
      /108\.0 MiB, but acme one allows 100\.0 MiB/,
    )
  })

  it('refuses what the wasm heap or the storage quota cannot hold', () => {
    expect(refuse('fp32', circumstances({ device: 'wasm', estimate: estimate(4.3e9) }))).toMatch(/WebAssembly can address only 4\.0 GiB/)
    expect(refuse('fp32', circumstances({ storageBytes: 5e7 }))).toMatch(/store only 47\.7 MiB/)
  })

  it('refuses WebGPU where there is none', () => {
    expect(refuse('q4', circumstances({ adapter: null }))).toMatch(/not available/)
  })
})

describe('readDecoderConfig', () => {
  it('fills in key-value heads and head size as transformers does, and prefers text_config', () => {
    expect(readDecoderConfig('{"n_head": 12, "n_embd": 768, "n_layer": 12}')).toMatchObject({ keyValueHeads: 12, headSize: 64, layers: 12 })
    expect(readDecoderConfig('{"head_dim": 9, "text_config": {"head_dim": 128, "hidden_size": 4}}')).toMatchObject({
      headSize: 128,
      hiddenSize: 4,
    })
    expect(config).toMatchObject({ keyValueHeads: 3, headSize: 64, maxPositions: 8192 })
  })

  it('calls anything but a JSON object corrupt', () => {
    for (const text of ['', '[]', 'null', '<html>'])
      expect(() => readDecoderConfig(text)).toThrow(expect.objectContaining({ code: 'model/corrupt' }))
  })
})
