/** Scores of our own graphs against transformers' of the same models, in float32. */
import { describe, expect, it } from 'vitest'
import { groupBranches } from '../../src/engines/scoring/branch-groups.ts'
import { layOutTree } from '../../src/engines/scoring/tree-pass.ts'
import { readArchitecture } from '../../src/architectures/registry.ts'
import { alikePlaces, alikeTokens, largestDifference, openGraph, scoreBranches, scoreInPieces, sequencesAt } from './running.ts'
import { tinyModels, tinySequences } from './tiny-models.ts'

/** Nats: log-probabilities down to -50 come out of float32 logits of that size, whose last bit is 4e-6. Seen: 4.3e-5. */
const tolerance = 1e-4
const all = tinySequences.map((_, place) => place)

describe.each(tinyModels)('$name', ({ name, config, tensors }) => {
  it('scores in one pass, and in pieces that go on from the cache, as transformers does', async () => {
    const session = await openGraph(config, tensors, 'reference', 'fp32')
    const whole = largestDifference(name, all, await scoreInPieces(session, tinySequences, 1000))
    const pieces = largestDifference(name, all, await scoreInPieces(session, tinySequences, 7))
    console.log(`${name}: one pass ${whole.toExponential(1)}, pieces ${pieces.toExponential(1)}`)
    expect(whole).toBeLessThan(tolerance)
    expect(pieces).toBeLessThan(tolerance)
    await session.release()
  })

  const convolves = readArchitecture(config).layers.some(({ mixer }) => mixer.kind === 'convolution')
  it.skipIf(convolves)('scores branches of one pass, from the start and after a shared prefix, as transformers does', async () => {
    // The graph is given them in groups.
    const { parents } = layOutTree(
      tinySequences.map((input) => ({ input, targets: [] })),
      0,
    )
    expect(groupBranches(parents, 0)?.count).toBeGreaterThan(1)
    const session = await openGraph(config, tensors, 'scoring', 'fp32')
    const start = largestDifference(name, all, await scoreBranches(session, tinySequences, 0))
    const after = await scoreBranches(session, sequencesAt(alikePlaces), alikeTokens)
    const prefixed = largestDifference(name, alikePlaces, after, alikeTokens)
    console.log(`${name}: branches ${start.toExponential(1)}, after a prefix ${prefixed.toExponential(1)}`)
    expect(start).toBeLessThan(tolerance)
    expect(prefixed).toBeLessThan(tolerance)
    await session.release()
  })
})
