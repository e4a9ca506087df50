import { describe, expect, it } from 'vitest'
import { ModelEngine } from '../../../src/engines/engine.ts'
import { moveWeightsOut, weightsFile } from '../../../src/engines/graph-rewriting/external-weights.ts'
import { makeScoringGraph } from '../../../src/engines/graph-rewriting/scoring-graph.ts'
import { fileBytes } from '../../../src/engines/graph/model-file.ts'
import { readGraphFacts } from '../../../src/engines/graph/graph-facts.ts'
import { loadNodeOrt } from '../node-runtime.ts'
import { float32, floatTensor, int64, integerTensor, model, node, valueInfo } from '../onnx-builder.ts'

const vocabulary = 11
const hidden = 5
const wave = (count: number, shift: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.fround(2 * Math.sin(i * i * 0.37 + shift)))
const config = JSON.stringify({
  architectures: ['Test'],
  vocab_size: vocabulary,
  hidden_size: hidden,
  num_attention_heads: 1,
  max_position_embeddings: 64,
})

interface Ending {
  readonly nodes: readonly (readonly number[])[]
  readonly weights?: readonly (readonly number[])[]
  /** Where the rows should be taken. */
  readonly cut: 'hidden' | 'logits'
}

const embedding = floatTensor('embedding', [vocabulary, hidden], wave(vocabulary * hidden, 0))
const projection = floatTensor('projection', [hidden, vocabulary], wave(vocabulary * hidden, 1))

/** Hidden states are products of embedded tokens with a matrix, so that they count as activations; `nodes` make logits of them. */
function decoder({ nodes, weights = [] }: Ending, opset = 17): Uint8Array {
  return model(
    {
      nodes: [node('Gather', ['embedding', 'input_ids'], ['embedded']), node('MatMul', ['embedded', 'mixing'], ['hidden']), ...nodes],
      initializers: [embedding, floatTensor('mixing', [hidden, hidden], wave(hidden * hidden, 2)), projection, ...weights],
      inputs: [valueInfo('input_ids', int64, [1, 'T'])],
      outputs: [valueInfo('logits', float32, [1, 'T', vocabulary])],
    },
    opset,
  )
}

const integers = (name: string, dims: readonly number[], values: readonly number[]) => integerTensor(name, dims, values)
const endings: { readonly [name: string]: Ending } = {
  'a matrix': { nodes: [node('MatMul', ['hidden', 'projection'], ['logits'])], cut: 'hidden' },
  'a tied, transposed embedding': {
    nodes: [node('Transpose', ['embedding'], ['tied']), node('MatMul', ['hidden', 'tied'], ['logits'])],
    cut: 'hidden',
  },
  'a matrix and a bias': {
    nodes: [node('MatMul', ['hidden', 'projection'], ['product']), node('Add', ['bias', 'product'], ['logits'])],
    weights: [floatTensor('bias', [vocabulary], wave(vocabulary, 3))],
    cut: 'hidden',
  },
  'a soft cap': {
    nodes: [
      node('MatMul', ['hidden', 'projection'], ['product']),
      node('Div', ['product', 'cap'], ['scaled']),
      node('Tanh', ['scaled'], ['squashed']),
      node('Mul', ['squashed', 'cap'], ['logits']),
    ],
    weights: [floatTensor('cap', [1], [3])],
    cut: 'hidden',
  },
  'Gemm between reshapes': {
    nodes: [
      node('Reshape', ['hidden', 'rows_by_hidden'], ['flat']),
      node('Gemm', ['flat', 'projection', 'bias'], ['flat_logits']),
      node('Reshape', ['flat_logits', 'one_by_rows'], ['logits']),
    ],
    weights: [
      floatTensor('bias', [vocabulary], wave(vocabulary, 3)),
      integers('rows_by_hidden', [2], [-1, hidden]),
      integers('one_by_rows', [3], [1, -1, vocabulary]),
    ],
    cut: 'hidden',
  },
  'a softmax mixture, which is no projection': {
    nodes: [
      node('MatMul', ['hidden', 'projection'], ['first']),
      node('Softmax', ['first'], ['gate']),
      node('Mul', ['gate', 'first'], ['logits']),
    ],
    cut: 'logits',
  },
  'a projection by what the run computed': {
    nodes: [
      node('ReduceMean', ['hidden'], ['scale']),
      node('MatMul', ['hidden', 'projection'], ['product']),
      node('Mul', ['product', 'scale'], ['logits']),
    ],
    cut: 'logits',
  },
}

describe('the rewritten graph', () => {
  it.each(Object.entries(endings))('gives the reference path’s numbers where logits come of %s', async (name, ending) => {
    const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
    const facts = await engine.open(
      { graph: decoder(ending), externalData: [], config },
      { device: 'wasm', dtype: 'fp32', scoring: 'fast', threads: 1 },
    )
    // A scale over a whole run isn't causal: what is scored alone can't be scored in company.
    if (name.startsWith('a projection by')) expect(facts.scoring).toBe('fast')
    expect(facts.scoringReason).toBeUndefined()
    expect(facts.fast?.cut).toBe(ending.cut)
    expect(facts.fast?.check.tokens).toBeGreaterThan(8)
    expect(facts.fast?.check.maxAbsDiff).toBeLessThan(1e-5)
    await engine.close()
  })

  it.each([11, 12, 13, 18, 21])('is made for operator set %i', async (opset) => {
    const ending = endings['a matrix and a bias']
    if (ending === undefined) return
    const engine = new ModelEngine({ loadOrt: loadNodeOrt, gpu: undefined })
    const facts = await engine.open(
      { graph: decoder(ending, opset), externalData: [], config },
      { device: 'wasm', dtype: 'fp32', scoring: 'fast', threads: 1 },
    )
    expect([facts.scoring, facts.scoringReason]).toEqual(['fast', undefined])
    await engine.close()
  })

  it('reads large weights from the old bytes, holds none of them itself, and drops what nothing needs', () => {
    const large = 40_000
    const bytes = model({
      nodes: [
        node('Gather', ['embedding', 'input_ids'], ['embedded']),
        node('MatMul', ['embedded', 'large'], ['logits']),
        node('Relu', ['embedded'], ['unused']),
      ],
      initializers: [embedding, floatTensor('large', [hidden, large / hidden], wave(large, 1))],
      inputs: [valueInfo('input_ids', int64, [1, 'T'])],
      outputs: [valueInfo('logits', float32, [1, 'T', large / hidden])],
    })
    // Activations must come of a product for a cut at the hidden rows.
    const own = moveWeightsOut(fileBytes(bytes))
    const { graph, cut } = makeScoringGraph(own.graph, {
      vocabularySize: large / hidden,
      elementType: 'float32',
      allowPacking: true,
    })
    expect(cut).toBe('logits')
    expect(own.readsFile).toBe(true)
    expect(readGraphFacts(own.graph).externalFiles).toEqual([weightsFile])
    expect(graph.length).toBeLessThan(8_000)
    expect(new TextDecoder('latin1').decode(graph)).not.toContain('unused')
    expect(readGraphFacts(bytes).logits.name).toBe('logits')
  })

  it('refuses bytes that are no model', () => {
    expect(() => makeScoringGraph(Uint8Array.of(1, 2, 3), { vocabularySize: 7, elementType: 'float32', allowPacking: true })).toThrow(
      expect.objectContaining({ code: 'model/corrupt' }),
    )
  })
})
