import { describe, expect, it } from 'vitest'
import { greedyItem, type Decoding, type GenerationItem, type Sampling } from '../../../src/contracts/items.ts'
import { ModelEngine } from '../../../src/engines/engine.ts'
import { isLong } from '../../support/long.ts'
import { embeddedFolder, readEmbedded, readGoldens } from '../embedded.ts'
import { loadNodeOrt } from '../node-runtime.ts'

const greedy = greedyItem([], 40).decoding
const sampling: Sampling = { temperature: 0.8, topK: 0, topP: 0.95, minP: null, typicalP: 1, seed: 7 }

/** Everything that looks back at what was written, or draws. */
const ways: readonly (readonly [string, Partial<Decoding>])[] = [
  ['greedy', {}],
  ['sampled', { sampling }],
  ['penalised', { repetitionPenalty: 1.3, noRepeatNgramSize: 3, minNewTokens: 30 }],
]

/** Writes `items` on from what there is of them until each has `tokens` tokens or has ended. */
async function write(
  engine: ModelEngine,
  items: readonly GenerationItem[],
  begun: readonly Int32Array[],
  tokens: number,
): Promise<Int32Array[]> {
  await engine.beginGeneration(items, [], begun)
  const texts = items.map((_, index) => [...(begun[index] ?? [])])
  for (;;) {
    const left = tokens - Math.min(...texts.map((text) => text.length))
    if (left <= 0) break
    const parts = await engine.continueGeneration({ tokens: Math.min(5, left), milliseconds: 60_000 })
    parts.forEach((part, index) => texts[index]?.push(...(part?.tokens ?? [])))
    if (parts.every((part) => part === null || part.end !== null)) break
  }
  await engine.endGeneration()
  return texts.map((text) => Int32Array.from(text))
}

/** The short form leaves out what differs from a neighbour in its weights alone. */
const models = [
  ['pico', 'fp32'],
  ...(isLong ? ([['pico', 'q4']] as const) : []),
  ['pico', 'q8'],
  ...(isLong ? ([['pico-gqa', 'fp32']] as const) : []),
  ['pico-gqa', 'q4'],
] as const

describe.skipIf(embeddedFolder('pico') === null)('texts that were cut off', () => {
  it.each(models)(
    'are, on %s %s, the ones that an undisturbed engine writes, wherever they were cut',
    async (model, dtype) => {
      const prompts = readGoldens(model, dtype === 'q8' ? 'fp32' : dtype)
        .map(({ item }) => item.input.slice(0, 24))
        .filter((input, at, all) => all.findIndex((other) => other.join() === input.join()) === at)
        .slice(0, 8)
      const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
      const { fast, isDynamicallyQuantised } = await engine.open(readEmbedded(embeddedFolder(model) ?? '', dtype), {
        device: 'wasm',
        dtype,
        scoring: 'fast',
        threads: 1,
      })
      const together = fast?.layout.textTokens === undefined ? 1 : 8
      expect([isDynamicallyQuantised, together]).toEqual([dtype === 'q8', dtype === 'q8' ? 1 : 8])
      for (const [, change] of ways) {
        const items = prompts
          .slice(0, together === 1 ? 2 : 8)
          .map((input): GenerationItem => ({ input, stops: [], decoding: { ...greedy, ...change } }))
        for (let start = 0; start < items.length; start += together) {
          const batch = items.slice(start, start + together)
          const whole = await write(engine, batch, [], 40)
          for (const cut of isLong ? [1, 7, 23, 39] : [1, 23]) {
            // Some had come further than others.
            const begun = whole.map((text, index) => text.slice(0, Math.max(0, cut - (index % 3) * 5)))
            const before = await engine.stats()
            const resumed = await write(engine, batch, begun, 40)
            expect(resumed).toEqual(whole)
            const most = Math.max(...begun.map((tokens) => 40 - tokens.length))
            const reading = dtype === 'q8' ? cut : 0
            // Reading the prompts, a pass for each token that was missing but the last.
            expect((await engine.stats()).runs - before.runs).toBeLessThanOrEqual(1 + reading + most)
          }
        }
      }
      await engine.close()
    },
    240_000,
  )
})
