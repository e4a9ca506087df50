import { afterAll, describe, expect, it } from 'vitest'
import type { ForwardItem, GenerationItem } from '../../../src/contracts/items.ts'
import { ModelEngine, type EngineModel } from '../../../src/engines/engine.ts'
import { makeScoringGraph } from '../../../src/engines/graph-rewriting/scoring-graph.ts'
import { readGraphFacts } from '../../../src/engines/graph/graph-facts.ts'
import { readDecoderConfig } from '../../../src/engines/graph/model-config.ts'
import { openSession } from '../../../src/engines/open-session.ts'
import { prepareModel } from '../../../src/engines/opening.ts'
import { FastScorer } from '../../../src/engines/scoring/fast-scoring.ts'
import { planTree, sequenceOf } from '../../../src/planning/token-tree.ts'
import { trieTokens } from '../../../tools/bench/trie.ts'
import { isLong } from '../../support/long.ts'
import { embeddedFolder, readEmbedded, readGoldens } from '../embedded.ts'
import { loadNodeOrt } from '../node-runtime.ts'

const models = [
  ['pico', 'fp32'],
  ['pico', 'q4'],
  ['pico-gqa', 'fp32'],
  ['pico-gqa', 'q4'],
] as const

/** Each family once and each dtype once: Python's numbers and the matrix (engine.matrix.test.ts) hold the other weights. */
const eachOnce = isLong ? models : models.filter(([model, dtype]) => (model === 'pico') === (dtype === 'fp32'))

function readModel(model: string, dtype: string): EngineModel {
  const folder = embeddedFolder(model)
  if (folder === null) throw new Error(`no ${model}`)
  return readEmbedded(folder, dtype)
}

async function open(model: string, dtype: string, scoring: 'fast' | 'reference', longestRun?: number) {
  const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
  const facts = await engine.open(readModel(model, dtype), {
    device: 'wasm',
    dtype,
    scoring,
    threads: 1,
    ...(longestRun === undefined ? {} : { longestRun }),
  })
  return { engine, facts }
}

/** Docs of a made benchmark: a common start, questions, endings of several lengths, letters, and texts scored whole. */
function madeItems(seed: number): ForwardItem[] {
  let state = seed
  const draw = (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return (state >>> 8) % below
  }
  const tokens = (count: number): number[] => Array.from({ length: count }, () => draw(500))
  const start = tokens(60)
  const items: ForwardItem[] = []
  const add = (input: readonly number[], ...targets: readonly (readonly number[])[]) =>
    items.push({ input: Int32Array.from(input), targets: targets.map((list) => Int32Array.from(list)) })
  for (let doc = 0; doc < (isLong ? 5 : 3); doc += 1) {
    const question = [...start, ...tokens(3 + draw(20))]
    add(question, [1], [2], [3], [4])
    for (let choice = 0; choice < 4; choice += 1) {
      const ending = tokens(1 + draw(9))
      add([...question, ...ending.slice(0, -1)], ending)
      // The same ending without its context.
      add([0, ...ending.slice(0, -1)], ending)
    }
  }
  const text = tokens(90)
  add(text, [...text.slice(1), 7])
  return items
}

async function scoreAll(engine: ModelEngine, items: readonly ForwardItem[], layout: Parameters<typeof planTree>[1]) {
  const answers: { readonly logprob: number; readonly isGreedy: boolean }[][] = []
  for (const batch of planTree(items.map(sequenceOf), layout)) {
    const scored = await engine.score(
      batch.items.flatMap((index) => items[index] ?? []),
      batch.prefixes,
    )
    batch.items.forEach((index, place) => {
      answers[index] = [...(scored[place]?.answers ?? [])]
    })
  }
  return answers
}

async function writeTogether(
  engine: ModelEngine,
  items: readonly GenerationItem[],
  prefixes: readonly number[],
  tokens: number,
): Promise<number[][]> {
  await engine.beginGeneration(items, prefixes)
  const all: number[][] = items.map(() => [])
  const open = new Set(items.map((_, index) => index))
  while (open.size > 0) {
    const parts = await engine.continueGeneration({ tokens, milliseconds: 60_000 })
    parts.forEach((part, index) => {
      expect(part === null).toBe(!open.has(index))
      all[index]?.push(...(part?.tokens ?? []))
      if (part?.end !== null) open.delete(index)
    })
  }
  return all
}

describe.skipIf(embeddedFolder('pico') === null)('fast scoring on the embedded models', () => {
  it.each(eachOnce)('gives the reference path’s numbers, %s %s', { timeout: 120_000 }, async (model, dtype) => {
    const items = madeItems(20261121)
    const reference = await open(model, dtype, 'reference')
    const wanted = await reference.engine.score(items)
    await reference.engine.close()
    for (const longestRun of [undefined, 40]) {
      const { engine, facts } = await open(model, dtype, 'fast', longestRun)
      expect(facts).toMatchObject({ scoring: 'fast', fast: { cut: 'hidden', layout: { packs: true, shares: true } } })
      const layout = facts.fast?.layout
      if (layout === undefined) return
      expect([layout.splitsAttention, layout.tokens]).toEqual([model === 'pico-gqa' ? true : undefined, longestRun ?? 384])
      for (const one of [layout, { ...layout, packs: false }, { ...layout, packs: false, shares: false }]) {
        const found = await scoreAll(engine, items, one)
        let largest = 0
        wanted.forEach((answer, item) => {
          answer.answers.forEach(({ logprob, isGreedy }, k) => {
            const other = found[item]?.[k]
            largest = Math.max(largest, Math.abs(logprob - (other?.logprob ?? NaN)) / Math.max(1, items[item]?.targets[k]?.length ?? 1))
            expect(other?.isGreedy).toBe(isGreedy)
          })
        })
        expect(largest).toBeLessThan(1e-5)
      }
      await engine.close()
    }
  })

  it('gives them with the attention kernel too, which WebGPU keeps', { timeout: 120_000 }, async () => {
    const items = madeItems(20261122)
    const reference = await open('pico-gqa', 'fp32', 'reference')
    const wanted = await reference.engine.score(items)
    await reference.engine.close()
    const files = readModel('pico-gqa', 'fp32')
    const { bytes: model, configText } = await prepareModel(files, { dtype: 'fp32' }, 'wasm', null)
    const [facts, config] = [readGraphFacts(model.graph), readDecoderConfig(configText)]
    const cut = makeScoringGraph(model.graph, { vocabularySize: config.vocabularySize ?? 0, elementType: 'float32', allowPacking: true })
    expect(cut.packing).toEqual({ wants: 'positions' })
    const session = await openSession({ runtime: await loadNodeOrt(), model, facts, config, device: 'wasm', cut })
    const layout = { tokens: 64, rows: 100, packs: true, shares: true }
    const scorer = new FastScorer(session, layout)
    let largest = 0
    for (const { items: indices, prefixes } of planTree(items.map(sequenceOf), layout)) {
      const batch = indices.flatMap((index) => items[index] ?? [])
      const found = await scorer.score(batch, prefixes)
      indices.forEach((index, place) => {
        wanted[index]?.tokenLogprobs.forEach((list, k) => {
          list.forEach((logprob, i) => (largest = Math.max(largest, Math.abs(logprob - (found[place]?.tokenLogprobs[k]?.[i] ?? NaN)))))
        })
      })
    }
    scorer.release()
    await session.release()
    expect(largest).toBeLessThan(1e-5)
  })

  it('computes the tree’s tokens, hardly more, and reads back a few bytes a target', async () => {
    const items = madeItems(7)
    const { engine, facts } = await open('pico', 'fp32', 'fast')
    const layout = facts.fast?.layout
    if (layout === undefined) return
    await scoreAll(engine, items, layout)
    const { tokens, bytesReadBack, rows, runs } = await engine.stats()
    const tree = trieTokens(items.map(({ input }) => input))
    expect(tokens).toBeGreaterThanOrEqual(tree - items.length)
    expect(tokens).toBeLessThan(tree * 1.05)
    const targets = items.flatMap((item) => item.targets).reduce((sum, list) => sum + list.length, 0)
    expect(rows).toBeLessThanOrEqual(targets + runs)
    expect(bytesReadBack).toBeLessThanOrEqual(8 * targets)
    await engine.close()
  })

  it('recognises the dynamically quantised graph, scores its sequences whole and says why', async () => {
    const { engine, facts } = await open('pico', 'q8', 'fast')
    expect(facts).toMatchObject({ scoring: 'reference', chunkTokens: null, isDynamicallyQuantised: true })
    expect(facts.scoringReason).toContain('quantises activations')
    await engine.close()
  })

  it.each(models)('agrees with Python’s onnxruntime, %s %s', async (model, dtype) => {
    const { engine } = await open(model, dtype, 'fast')
    const goldens = readGoldens(model, dtype)
    const answers = await engine.score(goldens.map(({ item }) => item))
    goldens.forEach(({ logprob, isGreedy }, index) => {
      expect(answers[index]?.answers[0]?.logprob).toBeCloseTo(logprob, 3)
      expect(answers[index]?.answers[0]?.isGreedy).toBe(isGreedy)
    })
    await engine.close()
  })

  it.each(eachOnce)(
    'writes texts together as each is written alone, wherever they end, %s %s',
    { timeout: 120_000 },
    async (model, dtype) => {
      const decoding = { minNewTokens: 0, endTokens: [], repetitionPenalty: 1, noRepeatNgramSize: 0, badWords: [] }
      const own = { suppressTokens: [], beginSuppressTokens: [], sampling: null }
      const made = madeItems(11)
        .map(({ input }) => input)
        .filter((input) => input.length > 31)
        .slice(0, 8)
      const prefix = made[0]?.slice(0, 30) ?? new Int32Array(0)
      // Different lengths, two of them alike, one that has nothing to write.
      const items = made.map((input, index): GenerationItem => ({
        input: Int32Array.from([...prefix, ...(index === 3 ? (made[2] ?? input) : input).subarray(30)]),
        stops: [],
        decoding: { ...decoding, ...own, maxNewTokens: [24, 5, 17, 17, 1, 0, 24, 9][index] ?? 0 },
      }))
      const { engine } = await open(model, dtype, 'fast')
      const alone: number[][] = []
      for (const item of items) alone.push((await writeTogether(engine, [item], [], 50))[0] ?? [])
      expect(alone.map((tokens) => tokens.length)).toEqual(items.map(({ decoding: { maxNewTokens } }) => maxNewTokens))
      for (const part of [1, 4, 50]) {
        expect(await writeTogether(engine, items, [30], part)).toEqual(alone)
        expect(await writeTogether(engine, items, [], part)).toEqual(alone)
      }
      // With an end token of each text, and with one that is given up on the way.
      const ending = items.map((item, index) => ({ ...item, decoding: { ...item.decoding, endTokens: alone[index]?.slice(2, 3) ?? [] } }))
      const cut = alone.map((tokens) =>
        tokens.slice(0, tokens.findIndex((token, at) => at <= 2 && token === tokens[2]) + 1 || tokens.length),
      )
      expect(await writeTogether(engine, ending, [30], 2)).toEqual(cut)
      await engine.beginGeneration(items, [30])
      await engine.continueGeneration({ tokens: 3, milliseconds: 60_000 })
      const rest = await engine.continueGeneration({ tokens: 50, milliseconds: 60_000 }, [0, 2])
      expect(rest.map((part) => (part === null ? null : [...part.tokens]))).toEqual(
        alone.map((tokens, index) => (index === 0 || index === 2 || tokens.length <= 3 ? null : tokens.slice(3))),
      )
      // Runs: one for each token of the longest, whatever their number, besides the prompts'.
      const before = (await engine.stats()).runs
      await writeTogether(engine, items, [30], 50)
      expect((await engine.stats()).runs - before).toBeLessThanOrEqual(23 + Math.ceil((8 * 100) / 64))
      await engine.close()
    },
  )

  it.each(eachOnce)('writes the reference path’s texts, after a kept prefix too, %s %s', async (model, dtype) => {
    const decoding = { maxNewTokens: 20, minNewTokens: 0, endTokens: [], repetitionPenalty: 1, noRepeatNgramSize: 0, badWords: [] }
    const input = madeItems(3)[0]?.input ?? new Int32Array(0)
    const greedy: GenerationItem = {
      input,
      stops: [],
      decoding: { ...decoding, suppressTokens: [], beginSuppressTokens: [], sampling: null },
    }
    const sampling = { temperature: 0.8, topK: 20, topP: 0.9, minP: null, typicalP: 1, seed: 5 }
    const texts = [
      greedy,
      { ...greedy, decoding: { ...greedy.decoding, repetitionPenalty: 1.3 } },
      { ...greedy, decoding: { ...greedy.decoding, sampling } },
    ]
    const write = async (engine: ModelEngine, item: GenerationItem, prefixes: readonly number[]) => {
      await engine.beginGeneration([item], prefixes)
      const [part] = await engine.continueGeneration({ tokens: 50, milliseconds: 60_000 })
      return [...(part?.tokens ?? [])]
    }
    const reference = await open(model, dtype, 'reference')
    const fast = await open(model, dtype, 'fast')
    const alone: number[][] = []
    for (const item of texts) {
      const wanted = await write(reference.engine, item, [])
      alone.push(wanted)
      expect(wanted).toHaveLength(20)
      expect(await write(fast.engine, item, [])).toEqual(wanted)
      expect(await write(fast.engine, item, [30, 55])).toEqual(wanted)
    }
    expect(await writeTogether(fast.engine, texts, [30], 50)).toEqual(alone)
    await reference.engine.close()
    await fast.engine.close()
  })
})

afterAll(() => {
  if (embeddedFolder('pico') === null) console.log('skipped: the embedded models are not built')
})
