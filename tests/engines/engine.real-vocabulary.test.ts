/** Vocabularies as large as today's models have, from the tokenizer to the log-probability; the graph is made here, its scores are also computed here. */
import { beforeAll, describe, expect, it } from 'vitest'
import type { EngineModel } from '../../src/engines/engine.ts'
import { ModelEngine } from '../../src/engines/engine.ts'
import { encodeLoglikelihood } from '../../src/tokenizing/encode.ts'
import { isLong } from '../support/long.ts'
import { realTokenizers } from '../tokenizers/real-tokenizers.ts'
import { foundTokenizers, openReal } from '../tokenizing/real-tokenizers.ts'
import { loadNodeOrt } from './node-runtime.ts'
import { externalTensor, float32, int64, model, node, valueInfo } from './onnx-builder.ts'

const hiddenSize = 4
/** A little wider than the vocabulary, as heads are. */
const widths: { readonly [name: string]: number } = { gemma3: 262_208, gptoss: 201_088, qwen3: 151_936, llama3_1: 128_256 }
const pairs = [
  ['Question: What is the capital of Kenya?\nAnswer:', ' Nairobi'],
  ['Swali: Mji mkuu wa Tanzania ni upi?\nJibu: ', 'Dodoma'],
  ['Kí ni olú ìlú Nàìjíríà? ', 'Àbújá, 東京 நகரம் 😀'],
  ['', 'The cat sat on the mat.'],
] as const

const made = (length: number, step: number): Float32Array =>
  Float32Array.from({ length: length * hiddenSize }, (_, index) => Math.sin(index * step))

// The widest and the narrowest, or all.
const tried = foundTokenizers().filter(({ name }) => (isLong ? name in widths : ['gemma3', 'llama3_1'].includes(name)))

describe.each(tried)('a graph with the vocabulary of $name', (real) => {
  const width = widths[real.name] ?? 0
  const embedding = made(width, 0.37)
  const head = made(width, 0.91)
  let pieces: readonly ReturnType<typeof encodeLoglikelihood>[]
  let wanted: readonly number[]

  beforeAll(() => {
    const tokenizer = openReal(real)
    pieces = pairs.map(([context, continuation]) => encodeLoglikelihood(tokenizer, context, continuation))
    wanted = pieces.map(({ input, target }) =>
      target.reduce(
        (sum, token, place) => sum + logProbability(embedding, head, width, input[input.length - target.length + place] ?? -1, token),
        0,
      ),
    )
  }, 120_000)

  it.each(['reference', 'fast'] as const)(
    'gives the log-probabilities of its logits on the %s path',
    { timeout: 120_000 },
    async (scoring) => {
      const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
      const facts = await engine.open(graphOf(width, embedding, head), { device: 'wasm', dtype: 'fp32', scoring, threads: 1 })
      expect(facts.scoring).toBe(scoring)
      const answers = await engine.score(pieces.map(({ input, target }) => ({ input, targets: [target] })))
      await engine.close()
      const found = answers.map(({ answers: [answer] }) => answer?.logprob ?? NaN)
      expect(found).toHaveLength(pairs.length)
      for (const [place, sum] of wanted.entries()) expect(found[place]).toBeCloseTo(sum, 3)
    },
  )
})

/** Embeds a token and projects it onto the vocabulary: what follows depends on the last token alone. */
function graphOf(width: number, embedding: Float32Array, head: Float32Array): EngineModel {
  const parts = [
    ['embedding', [width, hiddenSize], embedding],
    ['head', [hiddenSize, width], head],
  ] as const
  return {
    graph: model({
      nodes: [node('Gather', ['embedding', 'input_ids'], ['hidden']), node('MatMul', ['hidden', 'head'], ['logits'])],
      initializers: parts.map(([name, dims, values]) => externalTensor(name, dims, name, values.byteLength)),
      inputs: [valueInfo('input_ids', int64, [1, 'tokens'])],
      outputs: [valueInfo('logits', float32, [1, 'tokens', width])],
    }),
    externalData: parts.map(([path, , values]) => ({ path, bytes: new Uint8Array(values.buffer) })),
    config: JSON.stringify({
      architectures: ['Test'],
      vocab_size: width,
      num_attention_heads: 1,
      hidden_size: hiddenSize,
      max_position_embeddings: 4096,
    }),
  }
}

/** In double precision, from the weights. */
function logProbability(embedding: Float32Array, head: Float32Array, width: number, last: number, token: number): number {
  const logit = (id: number): number => {
    let sum = 0
    for (let row = 0; row < hiddenSize; row++) sum += (embedding[last * hiddenSize + row] ?? NaN) * (head[row * width + id] ?? NaN)
    return sum
  }
  let total = 0
  for (let id = 0; id < width; id++) total += Math.exp(logit(id))
  return logit(token) - Math.log(total)
}

it('knows the width of every tokenizer that it names', () => {
  expect(Object.keys(widths).every((name) => realTokenizers.some((real) => real.name === name))).toBe(true)
})
