import { describe, expect, it } from 'vitest'
import { readGraphFacts, requireFloatActivations } from '../../../src/engines/graph/graph-facts.ts'
import {
  bytesField,
  externalTensor,
  float32,
  floatTensor,
  graph,
  historyModel,
  int64,
  integerField,
  model,
  node,
  valueInfo,
  type GraphParts,
} from '../onnx-builder.ts'

const logits = valueInfo('logits', float32, ['batch', 'tokens', 9])
const ids = valueInfo('input_ids', int64, ['batch', 'tokens'])
const matmuls = [node('MatMul', [], []), node('Softmax', [], [])]
const build = (parts: Partial<GraphParts>) => model({ nodes: matmuls, inputs: [ids], outputs: [logits], ...parts })

describe('readGraphFacts', () => {
  it('tells the families apart by their operators', () => {
    expect(readGraphFacts(build({})).family).toBe('decomposed')
    expect(readGraphFacts(build({ nodes: [...matmuls, node('GroupQueryAttention', [], [], { domain: 'com.microsoft' })] })).family).toBe(
      'gqa',
    )
    expect(readGraphFacts(build({ nodes: [...matmuls, node('MultiHeadAttention', [], [])] })).family).toBe('other')
    expect(readGraphFacts(build({ nodes: [node('Gather', [], [])] })).family).toBe('other')
  })

  it('recognises dynamic quantisation, also inside subgraphs', () => {
    const inner = graph({ nodes: [node('DynamicQuantizeLinear', [], [])], inputs: [], outputs: [] })
    expect(readGraphFacts(build({ nodes: [node('MatMulInteger', [], [])] })).isDynamicallyQuantised).toBe(true)
    expect(
      readGraphFacts(build({ nodes: [node('If', [], [], { attributes: [{ name: 'then_branch', graph: inner }] })] }))
        .isDynamicallyQuantised,
    ).toBe(true)
    expect(readGraphFacts(build({ nodes: [node('MatMulNBits', [], [])] })).isDynamicallyQuantised).toBe(false)
  })

  it('reads names, element types and dimensions of inputs and outputs', () => {
    const past = valueInfo('past_key_values.3.key', 10, ['batch', 2, 'past', 'head'])
    const present = valueInfo('present.3.key', 10, ['batch', 2, null, 'head'])
    const facts = readGraphFacts(
      build({
        inputs: [ids, past, valueInfo('position_ids', int64, []), valueInfo('num_logits_to_keep', int64, [])],
        outputs: [logits, present],
      }),
    )
    expect(facts.logits).toEqual({ name: 'logits', elementType: 'float32', dims: ['batch', 'tokens', 9] })
    expect(facts.cache).toEqual([
      { past: { name: 'past_key_values.3.key', elementType: 'float16', dims: ['batch', 2, 'past', 'head'] }, present: 'present.3.key' },
    ])
    expect(facts.outputs[1]?.dims).toEqual(['batch', 2, null, 'head'])
    expect([facts.hasPositionIds, facts.hasLogitsToKeep]).toEqual([true, true])
  })

  it('names external files of initializers and of constants, and leaves weights out of the inputs', () => {
    const constant = node('Constant', [], ['c'], { attributes: [{ name: 'value', tensor: externalTensor('c', [1], 'b.bin', 4) }] })
    const facts = readGraphFacts(
      build({
        nodes: [...matmuls, constant],
        initializers: [externalTensor('w', [1], 'a.onnx_data', 4), floatTensor('v', [1], [1])],
        inputs: [ids, valueInfo('w', float32, [1])],
      }),
    )
    expect(facts.externalFiles).toEqual(['a.onnx_data', 'b.bin'])
    expect(facts.inputs.map((input) => input.name)).toEqual(['input_ids'])
  })

  it('merges several graph fields as protobuf does', () => {
    const appended = bytesField(
      7,
      graph({ nodes: [node('GroupQueryAttention', [], [])], inputs: [], outputs: [valueInfo('extra', float32, [])] }),
    )
    const facts = readGraphFacts(Uint8Array.from([...build({}), ...appended]))
    expect([facts.family, facts.outputs.map((output) => output.name)]).toEqual(['gqa', ['logits', 'extra']])
  })

  it('reads negative dimensions and skips fixed-width fields', () => {
    const odd = Uint8Array.from([
      ...build({ inputs: [ids, valueInfo('x', float32, [-1])] }),
      ...[0x79, 1, 2, 3, 4, 5, 6, 7, 8],
      ...[0x7d, 1, 2, 3, 4],
    ])
    expect(readGraphFacts(odd).inputs[1]?.dims).toEqual([-1])
  })

  it('sets accuracy level 4 to 1 in place and leaves other bytes alone', () => {
    const level = (integer: number) =>
      node('MatMulNBits', [], [], {
        attributes: [
          { name: 'bits', integer: 4 },
          { name: 'accuracy_level', integer },
        ],
      })
    const bytes = build({ nodes: [level(4), level(2), level(4)] })
    const wanted = build({ nodes: [level(1), level(2), level(1)] })
    const facts = readGraphFacts(bytes)
    expect(facts.int8ActivationOffsets).toHaveLength(2)
    requireFloatActivations(bytes, facts)
    expect(bytes).toEqual(wanted)
    expect(readGraphFacts(bytes).int8ActivationOffsets).toEqual([])
  })

  it('rejects a graph without logits, and a cache that nothing continues', () => {
    expect(() => readGraphFacts(build({ outputs: [] }))).toThrow(expect.objectContaining({ code: 'model/unsupported' }))
    expect(() => readGraphFacts(build({ inputs: [ids, valueInfo('past_key_values.0.key', float32, [])] }))).toThrow(
      expect.objectContaining({ code: 'model/unsupported' }),
    )
  })

  it('never reads past damage: every cut either is corrupt or ends between fields', () => {
    const whole = historyModel([
      [1, 2],
      [3, 4],
    ])
    for (let length = 0; length < whole.length; length += 1) {
      let code = 'none'
      try {
        readGraphFacts(whole.subarray(0, length))
      } catch (error) {
        code = error instanceof Error && 'code' in error ? String(error.code) : 'foreign'
      }
      // Only the end of the graph field is a place where a shorter file is still a model.
      expect(['none', 'model/corrupt']).toContain(code)
      if (code === 'none') expect(length).toBeGreaterThanOrEqual(whole.length - 8)
    }
  })

  it('calls a text file, a web page and a pointer file corrupt', () => {
    for (const text of ['version https://git-lfs.github.com/spec/v1\noid sha256:0', '<!doctype html><html></html>', '{"error":"x"}', '']) {
      expect(() => readGraphFacts(new TextEncoder().encode(text)), text).toThrow(expect.objectContaining({ code: 'model/corrupt' }))
    }
    expect(() => readGraphFacts(Uint8Array.from(integerField(7, 3)))).toThrow()
  })
})
