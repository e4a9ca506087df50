/** What a long prompt needs on a vocabulary of 49,152: on the fast path never a row of logits for each of its tokens. */
import { afterAll, describe, expect, it } from 'vitest'
import type { ScoringPath } from '../../src/contracts/engine.ts'
import { ModelEngine } from '../../src/engines/engine.ts'
import { loadNodeOrt } from './node-runtime.ts'
import { float32, floatTensor, int64, model, node, valueInfo } from './onnx-builder.ts'

const vocabularySize = 49_152
const hiddenSize = 4
const tokens = 2048
const logitsBytes = tokens * vocabularySize * 4

/** Embeds, mixes, and projects onto the vocabulary. */
const bytes = model({
  nodes: [
    node('Gather', ['embedding', 'input_ids'], ['embedded']),
    node('MatMul', ['embedded', 'mixer'], ['hidden']),
    node('MatMul', ['hidden', 'head'], ['logits']),
  ],
  initializers: [
    floatTensor('embedding', [vocabularySize, hiddenSize], made(vocabularySize, 0.37)),
    floatTensor('mixer', [hiddenSize, hiddenSize], made(hiddenSize, 0.11)),
    floatTensor('head', [hiddenSize, vocabularySize], made(vocabularySize, 0.91)),
  ],
  inputs: [valueInfo('input_ids', int64, [1, 'tokens'])],
  outputs: [valueInfo('logits', float32, [1, 'tokens', vocabularySize])],
})
const config = JSON.stringify({
  architectures: ['Test'],
  vocab_size: vocabularySize,
  num_attention_heads: 1,
  hidden_size: hiddenSize,
  max_position_embeddings: 4096,
})

function made(length: number, step: number): number[] {
  return Array.from({ length: length * hiddenSize }, (_, index) => Math.sin(index * step))
}

// ONNX Runtime's memory only grows: what it grows by is what it needed at once.
const grow = Object.getOwnPropertyDescriptor(WebAssembly.Memory.prototype, 'grow')
let grownBytes = 0
Object.defineProperty(WebAssembly.Memory.prototype, 'grow', {
  configurable: true,
  writable: true,
  value(this: WebAssembly.Memory, pages: number): number {
    grownBytes += pages * 65_536
    return Reflect.apply(grow?.value as (pages: number) => number, this, [pages])
  },
})

afterAll(() => {
  if (grow !== undefined) Object.defineProperty(WebAssembly.Memory.prototype, 'grow', grow)
})

/** Scores a prompt of 2,048 tokens and three continuations; gives the log-probabilities and the bytes that memory grew by meanwhile. */
async function scoreLong(scoring: ScoringPath): Promise<{ readonly logprobs: readonly number[]; readonly grownBytes: number }> {
  const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
  const facts = await engine.open(
    { graph: bytes.slice(), externalData: [], config },
    { device: 'wasm', dtype: 'fp32', scoring, threads: 1 },
  )
  expect(facts.scoring).toBe(scoring)
  const input = Int32Array.from({ length: tokens }, (_, index) => (index * 7919) % vocabularySize)
  const before = grownBytes
  const [answer] = await engine.score([{ input, targets: [Int32Array.of(5), Int32Array.of(6), Int32Array.of(7, 8)] }])
  await engine.close()
  return { logprobs: (answer?.answers ?? []).map(({ logprob }) => logprob), grownBytes: grownBytes - before }
}

describe('a prompt of 2,048 tokens on a vocabulary of 49,152', () => {
  it('never has a row of logits for each of its tokens on the fast path, as the reference path does', async () => {
    const fast = await scoreLong('fast')
    const reference = await scoreLong('reference')
    expect(fast.grownBytes).toBeLessThan(logitsBytes / 10)
    // So the measure sees what it must.
    expect(reference.grownBytes).toBeGreaterThan(logitsBytes / 2)
    fast.logprobs.forEach((logprob, index) => {
      expect(logprob).toBeCloseTo(reference.logprobs[index] ?? NaN, 4)
    })
    expect(fast.logprobs).toHaveLength(3)
  })
})
