import { describe, expect, it } from 'vitest'
import type { ForwardItem } from '../../src/contracts/items.ts'
import { ModelEngine, type ExportedModel, type EngineOptions } from '../../src/engines/engine.ts'
import { cacheDims } from '../../src/engines/graph/cache-dims.ts'
import { readDecoderConfig } from '../../src/engines/graph/model-config.ts'
import { runLengths } from '../../src/engines/scoring/calibration.ts'
import { runBounds } from '../../src/engines/scoring/reference-scoring.ts'
import { embeddedFolder, readEmbedded } from './embedded.ts'
import { loadNodeOrt } from './node-runtime.ts'
import { float32, floatTensor, historyModel, int64, integerTensor, model, node, valueInfo } from './onnx-builder.ts'
import { hostWithAdapter } from './wrong-adapter.ts'

const size = 7
const table = Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => Math.fround(Math.sin(i * 3 + j * j))))
const config = JSON.stringify({
  architectures: ['Test'],
  vocab_size: size,
  num_attention_heads: 1,
  hidden_size: size,
  max_position_embeddings: 64,
})
const wasm: EngineOptions = { device: 'wasm', dtype: 'fp32', scoring: 'reference', threads: 1 }

async function opened(
  options: Partial<EngineOptions> = {},
  bytes: Uint8Array = historyModel(table),
  externalData: ExportedModel['externalData'] = [],
) {
  const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
  const facts = await engine.open({ graph: bytes, externalData, config }, { ...wasm, ...options })
  return { engine, facts }
}

/** What the history model must give, straight from its definition. */
function expected({ input, targets }: ForwardItem) {
  return targets.map((list) => {
    const logprobs = [...list].map((target, i) => {
      const row = input.length - list.length + i
      const logits = Array.from({ length: size }, (_, id) =>
        [...input.slice(0, row + 1)].reduce((sum, token) => sum + (table[token]?.[id] ?? NaN), 0),
      )
      const best = Math.max(...logits)
      return {
        value: (logits[target] ?? NaN) - Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0)),
        isBest: logits[target] === best,
      }
    })
    return { logprob: logprobs.reduce((sum, one) => sum + one.value, 0), isGreedy: logprobs.every((one) => one.isBest) }
  })
}

const ids = (...values: readonly number[]) => Int32Array.from(values)
const items: ForwardItem[] = [
  { input: ids(1, 2, 3, 4, 5, 6, 0, 1), targets: [ids(2, 3), ids(4), ids(0, 0, 0, 0, 0, 0, 0, 0)] },
  { input: ids(3), targets: [0, 1, 2, 3, 4, 5, 6].map((id) => ids(id)) },
  { input: ids(6, 5), targets: [ids()] },
]

describe('ModelEngine on real ONNX Runtime', () => {
  it.each([1, 2, 3, 5, 128])('gives the defined log-probabilities in runs of %i tokens', async (longestRun) => {
    const { engine } = await opened({ longestRun })
    const answers = await engine.score(items)
    for (const [i, item] of items.entries()) {
      for (const [k, wanted] of expected(item).entries()) {
        expect(answers[i]?.answers[k]?.logprob).toBeCloseTo(wanted.logprob, 4)
        expect(answers[i]?.answers[k]?.isGreedy).toBe(wanted.isGreedy)
      }
    }
    await engine.close()
  })

  it('reads weights from external data, and says which file is missing', async () => {
    const bytes = historyModel(table, { external: 'w.onnx_data' })
    const data = new Uint8Array(Float32Array.from(table.flat()).buffer)
    const { engine } = await opened({}, bytes, [{ path: 'w.onnx_data', bytes: data }])
    const [first] = await engine.score(items)
    expect(first?.answers[1]?.logprob).toBeCloseTo(expected(items[0] ?? { input: ids(), targets: [] })[1]?.logprob ?? NaN, 4)
    await expect(opened({}, bytes)).rejects.toThrow(/weights in w\.onnx_data, found only no such files/)
  })

  it('runs one forward for an item however many targets it has, and counts tokens', async () => {
    const { engine } = await opened({ longestRun: 3 })
    await engine.score(items.slice(0, 2))
    expect(await engine.stats()).toMatchObject({ runs: 3 + 1, tokens: 9 })
  })

  it('records which path is used, how its runs are laid out, and what decides the numbers', async () => {
    const { facts } = await opened()
    expect(facts).toMatchObject({ scoring: 'reference', device: 'wasm', chunkTokens: 128, selfCheck: { status: 'skipped' } })
    expect(facts.numericClass).toBe('rules=1;ort=1.30.0;build=plain;device=wasm;threads=1;dtype=fp32;scoring=reference;chunk=128')
    const fast = await opened({ scoring: 'fast' })
    expect(fast.facts).toMatchObject({ scoring: 'fast', chunkTokens: 384, fast: { layout: { tokens: 384, shares: true }, cut: 'logits' } })
    expect(fast.facts.fast?.check.maxAbsDiff).toBeLessThan(1e-5)
    expect(fast.facts.numericClass).toMatch(/;scoring=fast;chunk=384;layout=/)
  })

  it('answers calls made at once in order, and goes on after one that fails', async () => {
    const { engine } = await opened()
    const [item] = items
    if (item === undefined) return
    const calls = [engine.score([item]), engine.score([{ input: ids(size), targets: [ids(0)] }]), engine.score([item])]
    const [first, second, third] = await Promise.allSettled(calls)
    expect(second).toMatchObject({ status: 'rejected', reason: { code: 'tokenizer/broken' } })
    expect(first?.status).toBe('fulfilled')
    expect(third).toEqual(first)
  })

  it('refuses targets outside the vocabulary and longer than the input', async () => {
    const { engine } = await opened()
    await expect(engine.score([{ input: ids(1), targets: [ids(99)] }])).rejects.toMatchObject({ code: 'tokenizer/broken' })
    await expect(engine.score([{ input: ids(1), targets: [ids(1, 1)] }])).rejects.toMatchObject({ code: 'internal' })
  })

  it('turns NaN logits into an error', async () => {
    const broken = table.map((row, i) => (i === 4 ? row.map(() => NaN) : row))
    const { engine } = await opened({}, historyModel(broken))
    await expect(engine.score([{ input: ids(1, 4), targets: [ids(1)] }])).rejects.toMatchObject({ code: 'engine/nonfinite' })
    expect(await engine.score([{ input: ids(1, 2), targets: [ids(1)] }])).toHaveLength(1)
  })

  it('scores graphs without a cache in one run', async () => {
    const bigram = model({
      nodes: [node('Gather', ['table', 'input_ids'], ['logits'])],
      initializers: [floatTensor('table', [size, size], table.flat())],
      inputs: [valueInfo('input_ids', int64, ['batch', 'tokens'])],
      outputs: [valueInfo('logits', float32, ['batch', 'tokens', size])],
    })
    const { engine, facts } = await opened({ longestRun: 2 }, bigram)
    expect([facts.chunkTokens, facts.family]).toEqual([null, 'other'])
    await engine.score([{ input: ids(1, 2, 3, 4, 5), targets: [ids(1)] }])
    expect(await engine.stats()).toMatchObject({ runs: 1, tokens: 5 })
  })

  it('refuses graphs with inputs it does not know, and bytes that ONNX Runtime cannot open', async () => {
    const shape = { outputs: [valueInfo('logits', float32, ['batch', 'tokens', size])] }
    const foreign = model({ nodes: [], inputs: [valueInfo('input_ids', int64, []), valueInfo('pixel_values', float32, [])], ...shape })
    await expect(opened({}, foreign)).rejects.toThrow(/an input "pixel_values"/)
    const unknown = model({
      nodes: [node('NoSuchOperator', ['input_ids'], ['logits'])],
      initializers: [integerTensor('x', [1], [1])],
      inputs: [valueInfo('input_ids', int64, [])],
      ...shape,
    })
    await expect(opened({}, unknown)).rejects.toMatchObject({ code: 'engine/failed' })
  })

  it('needs an open model', async () => {
    const { engine } = await opened()
    await engine.close()
    await expect(engine.score(items)).rejects.toMatchObject({ code: 'engine/failed' })
  })

  it('fails an explicit webgpu without an adapter and falls back from auto', async () => {
    await expect(opened({ device: 'webgpu' })).rejects.toMatchObject({ code: 'engine/no-webgpu' })
    expect((await opened({ device: 'auto' })).facts.deviceReason).toContain('no WebGPU adapter')
  })
})

describe('ModelEngine with an adapter', () => {
  const openOn = async (falsify: (logits: Float32Array, runTokens: number) => void, options: Partial<EngineOptions>) => {
    const engine = new ModelEngine(hostWithAdapter(falsify))
    const facts = await engine.open({ graph: historyModel(table), externalData: [], config }, { ...wasm, ...options })
    return { engine, facts }
  }
  const right = () => undefined
  const wrongFrom16 = (logits: Float32Array, runTokens: number) => {
    if (runTokens >= 16) logits[1] = (logits[1] ?? 0) + 1
  }
  const biased = (logits: Float32Array) => {
    logits[2] = (logits[2] ?? 0) + 0.1
  }

  it('believes one that agrees with WASM, and counts only scoring runs', async () => {
    const { engine, facts } = await openOn(right, { device: 'auto' })
    expect(facts).toMatchObject({ device: 'webgpu', chunkTokens: 128, selfCheck: { status: 'passed', maxAbsDiff: 0, reference: 'wasm' } })
    expect(facts.numericClass).toContain('adapter=acme%2Fone%2F%2F;features=shader-f16')
    expect(await engine.stats()).toMatchObject({ runs: 0, tokens: 0 })
  })

  it('obeys the longest run that agrees', async () => {
    const { engine, facts } = await openOn(wrongFrom16, { device: 'webgpu' })
    expect(facts).toMatchObject({ device: 'webgpu', chunkTokens: 8, selfCheck: { status: 'limited', maxRunTokens: 8 } })
    const item: ForwardItem = { input: Int32Array.from({ length: 40 }, (_, i) => i % size), targets: [ids(1, 2, 3)] }
    const [answer] = await engine.score([item])
    expect(answer?.answers[0]?.logprob).toBeCloseTo(expected(item)[0]?.logprob ?? NaN, 4)
    expect(await engine.stats()).toMatchObject({ runs: 5, tokens: 40 })
  })

  it('refuses a wrong one when asked for WebGPU, and goes to WASM from auto with the reason', async () => {
    await expect(openOn(biased, { device: 'webgpu' })).rejects.toMatchObject({ code: 'engine/self-check-failed' })
    const { facts } = await openOn(biased, { device: 'auto' })
    expect(facts).toMatchObject({ device: 'wasm', adapter: null })
    expect(facts.deviceReason).toContain('failed its self-check')
  })

  it('obeys a kept check and says when it was skipped', async () => {
    const { facts } = await openOn(wrongFrom16, { device: 'webgpu' })
    const again = await openOn(wrongFrom16, { device: 'webgpu', selfCheck: facts.selfCheck })
    expect(again.facts).toEqual(facts)
    const skipped = await openOn(biased, { device: 'webgpu', selfCheck: 'skip' })
    expect(skipped.facts.selfCheck).toMatchObject({ status: 'skipped', message: expect.stringContaining('unverified') as string })
  })
})

const pico = embeddedFolder('pico')

describe.skipIf(pico === null)('ModelEngine with an adapter, on the fast path', () => {
  const openOn = async (falsify: (values: Float32Array, runTokens: number) => void, options: Partial<EngineOptions>) => {
    const engine = new ModelEngine(hostWithAdapter(falsify))
    const facts = await engine.open(readEmbedded(pico ?? '', 'fp32'), { ...wasm, device: 'webgpu', scoring: 'fast', ...options })
    await engine.close()
    return facts
  }
  const right = () => undefined
  const wrongFrom200 = (values: Float32Array, runTokens: number) => {
    if (runTokens >= 200) values[0] = (values[0] ?? 0) + 1
  }

  it('tries longer runs than the self-check did, and says what runs cost', async () => {
    const { fast } = await openOn(right, {})
    expect(runLengths).toContain(fast?.layout.tokens)
    expect(fast?.costs).toMatchObject({ runMs: expect.any(Number) as number, tokenMs: expect.any(Number) as number })
  }, 60_000)

  it('takes none that differs from the model’s own graph', async () => {
    expect((await openOn(wrongFrom200, {})).fast?.layout.tokens).toBeLessThanOrEqual(128)
    // Nor one that an earlier run had.
    expect((await openOn(wrongFrom200, { runTokens: 256 })).fast?.layout.tokens).toBe(128)
  }, 60_000)

  it('takes the length that an earlier run had, whatever it costs now', async () => {
    for (const runTokens of [32, 256]) expect((await openOn(right, { runTokens })).fast?.layout.tokens).toBe(runTokens)
  }, 60_000)
})

describe('runBounds', () => {
  it('cuts full runs from the start and leaves the rest at the end', () => {
    expect(runBounds(70, 31)).toEqual([
      [0, 31],
      [31, 62],
      [62, 70],
    ])
    expect(runBounds(5, null)).toEqual([[0, 5]])
    expect(runBounds(4, 4)).toEqual([[0, 4]])
  })
})

describe('cacheDims', () => {
  const input = (dims: readonly (number | string | null)[]) => ({ name: 'past_key_values.0.key', elementType: 'float32', dims })
  it('takes sizes from the graph, then from config.json', () => {
    const gqa = readDecoderConfig('{"num_attention_heads": 9, "num_key_value_heads": 3, "hidden_size": 576}')
    expect(cacheDims(input(['b', 2, 'p', 32]), gqa)).toEqual([1, 2, 0, 32])
    expect(cacheDims(input(['b', 'heads', 'p', null]), gqa)).toEqual([1, 3, 0, 64])
    expect(() => cacheDims(input(['b', 'heads', 'p', 'd']), readDecoderConfig('{}'))).toThrow(
      expect.objectContaining({ code: 'model/unsupported' }),
    )
    expect(() => cacheDims(input(['b', 'p']), gqa)).toThrow(expect.objectContaining({ code: 'model/unsupported' }))
  })
})
