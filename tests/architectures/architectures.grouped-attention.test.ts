/** The form whose attention is one operator, for WebGPU: the same operator's kernel on WASM, which computes it slowly but as it should be. */
import { describe, expect, it } from 'vitest'
import { writeDecoderGraph } from '../../src/architectures/graph/decoder-graph.ts'
import { readArchitecture } from '../../src/architectures/registry.ts'
import { alikePlaces, alikeTokens, largestDifference, openGraph, scoreBranches, scoreInPieces, sequencesAt } from './running.ts'
import { tinyModel, tinySequences } from './tiny-models.ts'

const all = tinySequences.map((_, place) => place)

/** Shared heads, windows, caps, norms of queries and keys, parts of a head rotated, none, and a scale of its own. */
const names = [
  'llama-wide',
  'mistral',
  'gemma2',
  'gemma3',
  'qwen3-biases',
  'granite-wide',
  'smollm3-wide',
  'gpt-neox-wide',
  'gpt2-wide',
  'phi3-wide',
  'qwen3-moe-window',
]

describe.each(names)('%s', (name) => {
  const { config, tensors } = tinyModel(name)

  it('scores as transformers does, in both forms', async () => {
    const reference = await openGraph(config, tensors, 'reference', 'fp32', 'grouped')
    const pieces = largestDifference(name, all, await scoreInPieces(reference, tinySequences, 40))
    await reference.release()
    const scoring = await openGraph(config, tensors, 'scoring', 'fp32', 'grouped')
    const branches = largestDifference(name, all, await scoreBranches(scoring, tinySequences, 0))
    const after = largestDifference(name, alikePlaces, await scoreBranches(scoring, sequencesAt(alikePlaces), alikeTokens), alikeTokens)
    await scoring.release()
    console.log(
      `${name}: pieces ${pieces.toExponential(1)}, branches ${branches.toExponential(1)}, after a prefix ${after.toExponential(1)}`,
    )
    expect(Math.max(pieces, branches, after)).toBeLessThan(1e-4)
  })
})

it('is refused for heads that the kernel does not take', () => {
  const architecture = readArchitecture(tinyModel('llama').config)
  expect(() => writeDecoderGraph(architecture, { form: 'reference', dtype: 'fp32', attention: 'grouped' })).toThrow(
    expect.objectContaining({ code: 'model/unsupported', message: expect.stringContaining('12') as string }),
  )
})

it('in 16 bits scores nearly so', async () => {
  const { config, tensors } = tinyModel('gemma3')
  for (const form of ['reference', 'scoring'] as const) {
    const session = await openGraph(config, tensors, form, 'fp16', 'grouped')
    const scores = form === 'reference' ? await scoreInPieces(session, tinySequences, 40) : await scoreBranches(session, tinySequences, 0)
    await session.release()
    expect(largestDifference('gemma3', all, scores)).toBeLessThan(0.05)
  }
})
