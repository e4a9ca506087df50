import type { Tensor } from 'onnxruntime-common'
import { describe, expect, it } from 'vitest'
import { greedyItem, type Decoding, type GenerationItem, type Sampling } from '../../../src/contracts/items.ts'
import { ModelEngine } from '../../../src/engines/engine.ts'
import { drawToken, mulberry32, TokenChooser } from '../../../src/engines/generation/decoding.ts'
import { Generation, type Writer } from '../../../src/engines/generation/generation.ts'
import { loadNodeOrt } from '../node-runtime.ts'
import { float32, floatTensor, historyModel, int64, model, node, valueInfo } from '../onnx-builder.ts'

const size = 7
const table = Array.from({ length: size }, (_, i) => Array.from({ length: size }, (_, j) => Math.fround(Math.sin(i * 3 + j * j + 1))))
const config = JSON.stringify({
  architectures: ['Test'],
  vocab_size: size,
  num_attention_heads: 1,
  hidden_size: size,
  max_position_embeddings: 64,
})
const greedy = greedyItem([], 12).decoding
const text = (input: readonly number[], change: Partial<Decoding> = {}): GenerationItem => ({
  input: Int32Array.from(input),
  stops: [],
  decoding: { ...greedy, ...change },
})

/** The history model's greedy continuation, straight from its definition: logits are the sum of the tokens' rows. */
function expected(input: readonly number[], count: number): number[] {
  const tokens = [...input]
  for (let i = 0; i < count; i += 1) {
    const logits = Array.from({ length: size }, (_, id) => tokens.reduce((sum, token) => sum + (table[token]?.[id] ?? NaN), 0))
    tokens.push(logits.indexOf(Math.max(...logits)))
  }
  return tokens.slice(input.length)
}

async function opened(longestRun = 128, graph: Uint8Array = historyModel(table)) {
  const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
  await engine.open({ graph, externalData: [], config }, { device: 'wasm', dtype: 'fp32', scoring: 'reference', threads: 1, longestRun })
  return engine
}

async function writeAll(engine: ModelEngine, item: GenerationItem, tokens = 5): Promise<{ tokens: number[]; end: string }> {
  await engine.beginGeneration([item])
  const all: number[] = []
  for (;;) {
    const [part] = await engine.continueGeneration({ tokens, milliseconds: 10_000 })
    all.push(...(part?.tokens ?? []))
    if (part?.end !== null && part?.end !== undefined) return { tokens: all, end: part.end }
  }
}

describe('writing on real ONNX Runtime', () => {
  it.each([1, 2, 3, 128])(
    'continues greedily as defined after a prompt in runs of %i tokens, in parts of any length',
    async (longestRun) => {
      const engine = await opened(longestRun)
      for (const part of [1, 3, 50])
        expect(await writeAll(engine, text([1, 2, 3, 4]), part)).toEqual({ tokens: expected([1, 2, 3, 4], 12), end: 'length' })
      await engine.close()
    },
  )

  it('costs one run for the prompt and one for each further token, and none for the last', async () => {
    const engine = await opened()
    await writeAll(engine, text([1, 2, 3]))
    expect(await engine.stats()).toMatchObject({ runs: 12, tokens: 3 + 11 })
    await engine.close()
  })

  it('ends at an end token, which stays on the text', async () => {
    const engine = await opened()
    const whole = expected([1, 2], 12)
    const end = whole[4] ?? -1
    const written = await writeAll(engine, text([1, 2], { endTokens: [99, end] }))
    expect(written).toEqual({ tokens: whole.slice(0, whole.indexOf(end) + 1), end: 'end-token' })
    await engine.close()
  })

  it('runs the whole text again for each token where the graph has no cache', async () => {
    const bigram = model({
      nodes: [node('Gather', ['table', 'input_ids'], ['logits'])],
      initializers: [floatTensor('table', [size, size], table.flat())],
      inputs: [valueInfo('input_ids', int64, ['batch', 'tokens'])],
      outputs: [valueInfo('logits', float32, ['batch', 'tokens', size])],
    })
    const engine = await opened(128, bigram)
    const tokens = [2]
    for (let i = 0; i < 12; i += 1) {
      const row = table[tokens.at(-1) ?? 0] ?? []
      tokens.push(row.indexOf(Math.max(...row)))
    }
    expect(await writeAll(engine, text([2]))).toEqual({ tokens: tokens.slice(1), end: 'length' })
    await engine.close()
  })

  it('can score between two parts, and gives up a text when another begins or the model closes', async () => {
    const engine = await opened()
    await engine.beginGeneration([text([1, 2, 3, 4])])
    const [first] = await engine.continueGeneration({ tokens: 4, milliseconds: 10_000 })
    await engine.score([{ input: Int32Array.of(1, 2), targets: [Int32Array.of(3)] }])
    const [second] = await engine.continueGeneration({ tokens: 4, milliseconds: 10_000 })
    expect([...(first?.tokens ?? []), ...(second?.tokens ?? [])]).toEqual(expected([1, 2, 3, 4], 8))
    expect(await writeAll(engine, text([5]))).toEqual({ tokens: expected([5], 12), end: 'length' })
    await expect(engine.continueGeneration({ tokens: 1, milliseconds: 1 })).rejects.toMatchObject({ code: 'engine/failed' })
    await engine.close()
    await expect(engine.beginGeneration([text([5])])).rejects.toMatchObject({ code: 'engine/failed' })
  })

  it('refuses a prompt without tokens or with foreign ones, and logits that are no numbers', async () => {
    const engine = await opened()
    await expect(engine.beginGeneration([text([])])).rejects.toMatchObject({ code: 'engine/failed' })
    await expect(engine.beginGeneration([text([size])])).rejects.toMatchObject({ code: 'tokenizer/broken' })
    await engine.close()
    const broken = await opened(128, historyModel(table.map((row, i) => (i === 4 ? row.map(() => NaN) : row))))
    await expect(writeAll(broken, text([1, 4]))).rejects.toMatchObject({ code: 'engine/nonfinite' })
    await broken.close()
  })
})

describe('the cache of a text', () => {
  /** A session of a graph as it came, of which only these two are read. */
  const uncut = {
    cut: null,
    facts: { cache: [{}] } as unknown as Writer['facts'],
    runRows: () => Promise.reject(new Error('not a rewritten graph')),
  }

  /** Logits always favour token 1; counts the caches that are alive. */
  function countingRunner() {
    let alive = 0
    let most = 0
    const runner: Writer = {
      ...uncut,
      async run(tokens, cache, wants) {
        if (cache !== null) for (const tensor of Object.values(cache.tensors)) tensor.dispose()
        alive += 1
        most = Math.max(most, alive)
        // Only `dispose` is called on it.
        const tensor = { dispose: () => (alive -= 1) } as unknown as Tensor
        return {
          logits:
            wants.logits === false
              ? null
              : { rows: tokens.length, vocabularySize: 2, bytes: 8, free: () => undefined, row: () => Float32Array.of(0, 1) },
          cache: { tokens: (cache?.tokens ?? 0) + tokens.length, tensors: { past: tensor } },
        }
      },
    }
    return { runner, alive: () => alive, most: () => most }
  }

  it('is one at a time, and none is left after 300 tokens or a text that was given up', async () => {
    const counted = countingRunner()
    for (let texts = 0; texts < 3; texts += 1) {
      const generation = new Generation(counted.runner, text([0, 0, 0], { maxNewTokens: 100 }))
      await generation.prefill(2, null)
      await generation.write({ tokens: 200, milliseconds: 10_000 })
      expect(counted.alive()).toBe(1)
      generation.release()
      generation.release()
      expect(counted.alive()).toBe(0)
    }
    const givenUp = new Generation(counted.runner, text([0]))
    await givenUp.prefill(2, null)
    givenUp.release()
    expect([counted.alive(), counted.most()]).toEqual([0, 1])
  })

  it('is freed when a run fails', async () => {
    const counted = countingRunner()
    let runs = 0
    const failing: Writer = {
      ...uncut,
      run: async (tokens, cache, wants) => {
        runs += 1
        if (runs < 4) return counted.runner.run(tokens, cache, wants)
        if (cache !== null) for (const tensor of Object.values(cache.tensors)) tensor.dispose()
        throw new Error('made')
      },
    }
    const generation = new Generation(failing, text([0]))
    await generation.prefill(null, null)
    await expect(generation.write({ tokens: 10, milliseconds: 10_000 })).rejects.toThrow('made')
    generation.release()
    expect(counted.alive()).toBe(0)
  })
})

const chosen = (logits: readonly number[], input: readonly number[], change: Partial<Decoding>) =>
  new TokenChooser(Int32Array.from(input), { ...greedy, ...change }).choose(Float32Array.from(logits))

describe('choosing the next token', () => {
  it('takes the lowest id of the largest logit', () => {
    expect(chosen([0, 3, 3, 1], [0], {})).toBe(1)
  })

  it('penalises each token of prompt and text once: positive logits divided, negative ones times the penalty', () => {
    expect(chosen([0, 3, 2, 1], [1, 1, 1], { repetitionPenalty: 1.4 })).toBe(1)
    expect(chosen([0, 3, 2.5, 1], [1], { repetitionPenalty: 1.4 })).toBe(2)
    expect(chosen([-1, -1.5], [0], { repetitionPenalty: 2 })).toBe(1)
  })

  it('bans n-grams that would come again, bad words, and suppressed tokens', () => {
    expect(chosen([0, 1, 2, 9], [2, 3, 2], { noRepeatNgramSize: 2 })).toBe(2)
    expect(chosen([0, 1, 2, 9], [2, 3, 2], { noRepeatNgramSize: 3 })).toBe(3)
    expect(chosen([0, 1, 2, 9], [1], { badWords: [[1, 3], [2]] })).toBe(1)
    expect(chosen([0, 1, 2, 9], [2], { badWords: [[1, 3]] })).toBe(3)
    expect(chosen([0, 1, 2, 9], [2], { suppressTokens: [3, 2] })).toBe(1)
  })

  it('holds end tokens back until there are enough, and begin-suppressed ones at the first only', () => {
    const chooser = new TokenChooser(Int32Array.of(0), { ...greedy, minNewTokens: 2, endTokens: [3], beginSuppressTokens: [2] })
    const next = () => chooser.choose(Float32Array.of(0, 1, 2, 9))
    expect([next(), next(), next()]).toEqual([1, 2, 3])
  })

  it('says when nothing can be chosen', () => {
    expect(() => chosen([NaN, 1], [0], {})).toThrow(/finite logits/)
    expect(() => chosen([1, 2], [0], { suppressTokens: [0, 1] })).toThrow(/finite logits/)
  })
})

describe('drawing a token', () => {
  const sampling = { temperature: 1, topK: 0, topP: 1, minP: null, typicalP: 1, seed: 7 }
  const logits = () => Float32Array.from([Math.log(0.5), Math.log(0.25), Math.log(0.15), Math.log(0.1)])
  const shares = (change: Partial<Sampling>) => {
    const draw = mulberry32(12)
    const counts = [0, 0, 0, 0]
    for (let i = 0; i < 4000; i += 1) {
      const token = drawToken(logits(), { ...sampling, ...change }, draw)
      counts[token] = (counts[token] ?? 0) + 1
    }
    return counts.map((count) => count / 4000)
  }
  const near = (found: readonly number[], wanted: readonly number[]) => {
    for (const [at, share] of wanted.entries()) expect(found[at]).toBeCloseTo(share, 1)
    for (const [at, share] of wanted.entries()) if (share === 0) expect(found[at]).toBe(0)
  }

  it('draws in proportion to the probabilities, sharper at a low temperature', () => {
    near(shares({}), [0.5, 0.25, 0.15, 0.1])
    near(shares({ temperature: 0.5 }), [0.72, 0.18, 0.065, 0.03])
  })

  it('keeps the k most probable, the fewest that reach p, and those near the best', () => {
    near(shares({ topK: 2 }), [0.667, 0.333, 0, 0])
    near(shares({ topP: 0.6 }), [0.667, 0.333, 0, 0])
    near(shares({ topP: 0.5 }), [1, 0, 0, 0])
    near(shares({ minP: 0.4 }), [0.667, 0.333, 0, 0])
    near(shares({ topK: 3, topP: 0.8 }), [0.667, 0.333, 0, 0])
    near(shares({ topP: 0 }), [1, 0, 0, 0])
  })

  it('keeps the typical ones', () => {
    // Entropy 1.208: surprises are 0.693, 1.386, 1.897, 2.303, so the second is nearest, then the first.
    near(shares({ typicalP: 0.2 }), [0, 1, 0, 0])
    near(shares({ typicalP: 0.7 }), [0.667, 0.333, 0, 0])
  })

  it('keeps ties with the k-th', () => {
    const draw = mulberry32(3)
    const seen = new Set(Array.from({ length: 200 }, () => drawToken(Float32Array.of(1, 0, 0, 0), { ...sampling, topK: 2 }, draw)))
    expect([...seen].sort()).toEqual([0, 1, 2, 3])
  })

  it('writes the same text for the same seed, and others for others', async () => {
    const engine = await opened()
    const sampled = (seed: number) => writeAll(engine, text([1, 2], { sampling: { ...sampling, temperature: 2, seed } }))
    const first = await sampled(1)
    expect(await sampled(1)).toEqual(first)
    const others: string[] = []
    for (const seed of [2, 3, 4]) others.push((await sampled(seed)).tokens.join())
    expect(new Set([first.tokens.join(), ...others]).size).toBe(4)
    await engine.close()
  })
})
