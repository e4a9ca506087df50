/** Section A of docs/requirements.md: the noise of repeated runs, on a real model. */
import { describe, expect, it } from 'vitest'
import { repeatNoise } from '../../src/analysis/compare/repeat-noise.ts'
import type { ForwardItem } from '../../src/contracts/items.ts'
import { ModelEngine } from '../../src/engines/engine.ts'
import { embeddedFolder, readEmbedded, readGoldens } from '../engines/embedded.ts'
import { loadNodeOrt } from '../engines/node-runtime.ts'

describe('A: ±0.01 run noise; padding effect', () => {
  it('two sets of answers: how many are the same, how far the others lie apart', () => {
    const answers = [-1, -2, -3].map((logprob) => ({ logprob, isGreedy: false }))
    const others = [-1, -2.5, -3.25].map((logprob, i) => ({ logprob, isGreedy: i === 2 }))
    expect(repeatNoise(answers, answers)).toEqual({ requests: 3, identical: 3, maxAbsDiff: 0, meanAbsDiff: 0, greedyFlips: 0 })
    expect(repeatNoise(answers, others)).toEqual({ requests: 3, identical: 1, maxAbsDiff: 0.5, meanAbsDiff: 0.25, greedyFlips: 1 })
    expect(() => repeatNoise(answers, [])).toThrow(expect.objectContaining({ code: 'metric/failed' }))
  })

  it.skipIf(embeddedFolder('pico') === null)(
    'one item at a time twice is identical; four at a time are reported, and identical too: no run pads',
    async () => {
      const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
      await engine.open(readEmbedded(embeddedFolder('pico') ?? '', 'q4'), { device: 'wasm', dtype: 'q4', scoring: 'reference', threads: 1 })
      const items = readGoldens('pico', 'q4')
        .slice(0, 12)
        .map(({ item }) => item)
      // Items of several lengths, or nothing would have to be padded.
      expect(new Set(items.map(({ input }) => input.length)).size).toBeGreaterThan(1)
      const score = async (size: number) => {
        const batches: ForwardItem[][] = []
        for (let at = 0; at < items.length; at += size) batches.push(items.slice(at, at + size))
        const answers = []
        for (const batch of batches) answers.push(...(await engine.score(batch)))
        return answers.flatMap((answer) => answer.answers)
      }
      const [first, second, four] = [await score(1), await score(1), await score(4)]
      expect(repeatNoise(first, second)).toMatchObject({ requests: items.length, identical: items.length, maxAbsDiff: 0 })
      const noise = repeatNoise(first, four)
      console.log(`batch 1 against 4: ${noise.identical} of ${noise.requests} identical, largest difference ${noise.maxAbsDiff} nats`)
      expect(noise).toMatchObject({ requests: items.length, identical: items.length, greedyFlips: 0 })
      await engine.close()
    },
    120_000,
  )
})
