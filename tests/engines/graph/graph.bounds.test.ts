/** Graphs of a few hundred bytes that ask for more memory than there is: each ends with an error of its own, before the memory is taken. */
import { describe, expect, it } from 'vitest'
import { ModelEngine } from '../../../src/engines/engine.ts'
import { loadNodeOrt } from '../node-runtime.ts'
import { float32, floatTensor, int64, integerTensor, model, node, valueInfo } from '../onnx-builder.ts'

const size = 7
const config = JSON.stringify({
  architectures: ['Test'],
  vocab_size: size,
  num_attention_heads: 1,
  hidden_size: 1,
  max_position_embeddings: 64,
})

/** A decoder whose logits hang on the first value of `big`, which `makers` make. */
function graphAround(makers: readonly number[][], initializers: readonly number[][]): Uint8Array {
  return model({
    nodes: [
      ...makers,
      node('Gather', ['table', 'input_ids'], ['rows']),
      node('Unsqueeze', ['rows', 'one'], ['rows4']),
      node('Concat', ['past_key_values.0.key', 'rows4'], ['present.0.key'], { attributes: [{ name: 'axis', integer: 2 }] }),
      node('ReduceMax', ['big'], ['largest']),
      node('MatMul', ['rows', 'head'], ['plain']),
      node('Add', ['plain', 'largest'], ['logits']),
    ],
    initializers: [
      floatTensor('table', [size, 1], [1, 2, 3, 4, 5, 6, 7]),
      floatTensor('head', [1, size], [1, 2, 3, 4, 5, 6, 7]),
      integerTensor('one', [1], [1]),
      ...initializers,
    ],
    inputs: [valueInfo('input_ids', int64, ['batch', 'tokens']), valueInfo('past_key_values.0.key', float32, ['batch', 1, 'past', 1])],
    outputs: [valueInfo('logits', float32, ['batch', 'tokens', size]), valueInfo('present.0.key', float32, ['batch', 1, 'total', 1])],
  })
}

const huge = 2 ** 20
const attacks: readonly (readonly [string, Uint8Array])[] = [
  ['zeros of a stated shape', graphAround([node('ConstantOfShape', ['shape'], ['big'])], [integerTensor('shape', [2], [huge, huge])])],
  ['a value repeated', graphAround([node('Tile', ['table', 'times'], ['big'])], [integerTensor('times', [2], [huge, huge])])],
  ['a value spread', graphAround([node('Expand', ['table', 'shape'], ['big'])], [integerTensor('shape', [3], [huge, size, huge])])],
  [
    'a row of numbers',
    graphAround(
      [node('Range', ['from', 'to', 'step'], ['big'])],
      [floatTensor('from', [], [0]), floatTensor('to', [], [2 ** 40]), floatTensor('step', [], [1])],
    ),
  ],
  ['a table padded', graphAround([node('Pad', ['table', 'pads'], ['big'])], [integerTensor('pads', [4], [0, 0, huge, huge])])],
  ['weights of more values than they hold', graphAround([], [floatTensor('big', [huge, huge], [1])])],
  ['weights of a shape beyond all numbers', graphAround([], [floatTensor('big', [2 ** 40, 2 ** 40], [1])])],
  ['weights of a negative shape', graphAround([], [floatTensor('big', [-1, 4], [1])])],
]

describe('a graph that asks for terabytes', () => {
  it('runs where it asks for little', async () => {
    const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
    const bytes = graphAround([node('ConstantOfShape', ['shape'], ['big'])], [integerTensor('shape', [2], [2, 2])])
    await engine.open({ graph: bytes, externalData: [], config }, { device: 'wasm', dtype: 'fp32', scoring: 'reference', threads: 1 })
    expect(await engine.score([{ input: Int32Array.of(1, 2), targets: [Int32Array.of(3)] }])).toHaveLength(1)
    await engine.close()
  })

  it.each(attacks)('with %s is refused', async (_what, bytes) => {
    const before = process.memoryUsage().rss
    for (const scoring of ['reference', 'fast'] as const) {
      const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
      const trying = engine
        .open({ graph: bytes, externalData: [], config }, { device: 'wasm', dtype: 'fp32', scoring, threads: 1 })
        .then(() => engine.score([{ input: Int32Array.of(1, 2), targets: [Int32Array.of(3)] }]))
      await expect(trying).rejects.toMatchObject({ code: expect.stringMatching(/^(engine|model)\//) as string })
      await engine.close()
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(2 ** 30)
  })
})
