import { describe, expect, it } from 'vitest'
import { ModelEngine } from '../../src/engines/engine.ts'
import { embeddedFolder, readEmbedded, readGoldens } from './embedded.ts'
import { loadNodeOrt } from './node-runtime.ts'

const cases = [
  ['pico', 'fp32', 'decomposed', 1e-4],
  ['pico', 'q4', 'decomposed', 1e-2],
  ['pico', 'q8', 'decomposed', 1e-2],
  ['pico-gqa', 'fp32', 'gqa', 1e-4],
  ['pico-gqa', 'q4', 'gqa', 1e-2],
] as const

describe.skipIf(embeddedFolder('pico') === null)('the embedded models, against the same graphs in Python', () => {
  it.each(cases)(
    '%s %s',
    async (model, dtype, family, tolerance) => {
      const goldens = readGoldens(model, dtype)
      const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
      const facts = await engine.open(readEmbedded(embeddedFolder(model) ?? '', dtype), {
        device: 'wasm',
        dtype,
        scoring: 'reference',
        threads: 1,
      })
      expect([facts.family, facts.isDynamicallyQuantised]).toEqual([family, dtype === 'q8'])
      const answers = await engine.score(goldens.map((golden) => golden.item))
      const differences = goldens.map((golden, i) => Math.abs((answers[i]?.answers[0]?.logprob ?? NaN) - golden.logprob))
      console.log(`${model} ${dtype}: ${goldens.length} requests, largest difference ${Math.max(...differences)} nats`)
      expect(Math.max(...differences)).toBeLessThan(tolerance)
      expect(answers.map((answer) => answer.answers[0]?.isGreedy)).toEqual(goldens.map((golden) => golden.isGreedy))
      await engine.close()
    },
    120_000,
  )
})
