/** Passes in groups against each sequence by itself, on random trees: shared beginnings of any length, with and without a kept prefix. */
import { expect, it } from 'vitest'
import type { ForwardItem } from '../../../src/contracts/items.ts'
import { groupBranches } from '../../../src/engines/scoring/branch-groups.ts'
import { FastScorer } from '../../../src/engines/scoring/fast-scoring.ts'
import { layOutTree } from '../../../src/engines/scoring/tree-pass.ts'
import { openGraph } from '../../architectures/running.ts'
import { tinyModel } from '../../architectures/tiny-models.ts'
import { randomOf } from '../../fuzz/random.ts'
import { isLong } from '../../support/long.ts'

const layout = { tokens: 384, rows: 64, packs: true, shares: true }
const [trees, inShort] = [25, 6]

/** Sequences that share a prefix, some of them more; the last tokens of each are scored. */
function randomItems(seed: string, vocabularySize: number): { readonly items: readonly ForwardItem[]; readonly prefix: number } {
  const random = randomOf(seed, vocabularySize)
  const words = (count: number) => Array.from({ length: count }, () => random.below(vocabularySize))
  const prefix = words(random.below(30))
  const trunk = words(random.below(10))
  const stems = Array.from({ length: 3 }, () => words(1 + random.below(12)))
  const items = Array.from({ length: 2 + random.below(8) }, () => {
    const own = [...trunk, ...(stems[random.below(3)] ?? []), ...words(2 + random.below(random.below(4) === 0 ? 60 : 14))]
    const scored = 1 + random.below(Math.min(8, own.length - 1))
    const tokens = [...prefix, ...own]
    return { input: Int32Array.from(tokens.slice(0, -1)), targets: [Int32Array.from(tokens.slice(-scored))] }
  })
  return { items, prefix: prefix.length }
}

// Layers that see a window, the last among them or not; heads of their own and shared ones; a cap of scores; experts.
it.each(['llama', 'mistral', 'gemma2', 'gemma3', 'gpt2', 'qwen3-moe'])('%s scores branches as it scores them alone', async (name) => {
  const { config, tensors } = tinyModel(name)
  const session = await openGraph(config, tensors, 'scoring', 'fp32')
  let parted = 0
  let largest = 0
  for (let tree = 0; tree < (isLong ? trees : inShort); tree += 1) {
    const { items, prefix } = randomItems(`${name} ${tree}`, Number(config['vocab_size']))
    if (groupBranches(layOutTree(items, prefix).parents, prefix) !== null) parted += 1
    const together = await new FastScorer(session, layout).score(items, prefix === 0 ? [] : [prefix])
    for (const [index, item] of items.entries()) {
      const [alone] = await new FastScorer(session, layout).score([item], [])
      const difference = Math.abs((alone?.answers[0]?.logprob ?? NaN) - (together[index]?.answers[0]?.logprob ?? NaN))
      largest = difference <= largest ? largest : difference
    }
  }
  console.log(`${name}: ${parted} passes in groups, largest difference ${largest.toExponential(1)} nats`)
  expect(parted).toBeGreaterThan(0)
  expect(largest).toBeLessThan(1e-4)
  await session.release()
})
