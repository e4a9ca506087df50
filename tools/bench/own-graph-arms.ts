/** Ways to write the same graph otherwise, as changes of the one that is written. */
import { readName, takeApart, writeNode, wholeFields, type GraphNode, type ModelGraph } from '../../src/onnx/model-graph.ts'
import { constant, float, floatConstant, integer, integers, node } from '../../src/onnx/nodes.ts'
import { externalTensor } from '../../src/onnx/external-tensor.ts'
import { packedVarints, protobufFields } from '../../src/onnx/protobuf.ts'
import { bytesField, fieldHead, joinBytes } from '../../src/onnx/wire.ts'

export type Arm = (graph: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>

function putTogether(graph: ModelGraph): Uint8Array<ArrayBuffer> {
  const body = joinBytes([
    ...graph.nodes.map((one) => bytesField(1, writeNode(one))),
    ...graph.weights.map(({ message }) => bytesField(5, message)),
    ...graph.inputs.map(({ message }) => bytesField(11, message)),
    ...graph.outputs.map(({ message }) => bytesField(12, message)),
    ...graph.rest,
  ])
  return joinBytes([...graph.around, fieldHead(7, body.length), body])
}

/** Changes nodes one by one. */
function each(change: (one: GraphNode, graph: ModelGraph) => readonly GraphNode[]): Arm {
  return (bytes) => {
    const graph = takeApart(bytes)
    return putTogether({ ...graph, nodes: graph.nodes.flatMap((one) => change(one, graph)) })
  }
}

/** A product with a weight, of which it is the second input. */
const isProjection = ({ type, inputs }: GraphNode): boolean => type === 'Gemm' && inputs[1]?.endsWith('.weight') === true

/** Weights of projections the other way round, [inputs, outputs]; of the tied embedding, whose rows are gathered, none. */
const matmul: Arm = (bytes) => {
  const graph = takeApart(bytes)
  const turned = new Set(graph.nodes.filter((one) => isProjection(one) && !one.inputs[1]?.includes('embed')).map((one) => one.inputs[1]))
  return putTogether({
    ...graph,
    nodes: graph.nodes.map((one) => (isProjection(one) && turned.has(one.inputs[1]) ? node('MatMul', one.inputs, one.outputs) : one)),
    weights: graph.weights.map((one) => (turned.has(one.name) ? { ...one, message: turn(one.message) } : one)),
  })
}

function turn(message: Uint8Array): Uint8Array {
  const dims: number[] = []
  const entries = new Map<string, string>()
  for (const field of protobufFields(message)) {
    if (field.number === 1) for (const dim of packedVarints(field)) dims.push(dim)
    if (field.number === 13) entries.set(readName(field.bytes, 1), readName(field.bytes, 2))
  }
  const place = { location: entries.get('location') ?? '', offset: Number(entries.get('offset')), bytes: Number(entries.get('length')) }
  return externalTensor(readName(message, 8), 1, dims.reverse(), place)
}

const fusedMatmul = each((one) =>
  isProjection(one)
    ? [node('FusedMatMul', one.inputs, one.outputs, [integer('transA', 0), integer('transB', 1), float('alpha', 1)], 'com.microsoft')]
    : [one],
)

/** Addition to what runs from layer to layer and the norm behind it in one node. */
const skipNorm: Arm = (bytes) => {
  const graph = takeApart(bytes)
  const adders = new Map(graph.nodes.filter(({ type }) => type === 'Add').map((one) => [one.outputs[0] ?? '', one]))
  const taken = new Set<GraphNode>()
  const fused = graph.nodes.map((one) => {
    const [x = '', weight = ''] = one.inputs
    const add = one.type === 'SimplifiedLayerNormalization' ? adders.get(x) : undefined
    if (add === undefined) return one
    taken.add(add)
    const [output = ''] = one.outputs
    return node('SkipSimplifiedLayerNormalization', [...add.inputs, weight], [output, '', '', x], [float('epsilon', 1e-6)], 'com.microsoft')
  })
  return putTogether({ ...graph, nodes: fused.filter((one) => !taken.has(one)) })
}

const sigmoid = each((one) =>
  one.type === 'QuickGelu'
    ? [
        node('Sigmoid', one.inputs, [`${one.outputs[0] ?? ''}.gate`]),
        node('Mul', [one.inputs[0] ?? '', `${one.outputs[0] ?? ''}.gate`], one.outputs),
      ]
    : [one],
)

/** Keys turned by a node of their own, scaled by another, in place of one product that does all. */
const plainProducts = each((one) => {
  if (one.type !== 'FusedMatMul') return [one]
  const [query = '', key = ''] = one.inputs
  const [output = ''] = one.outputs
  return [
    floatConstant(`${output}.scale`, 1 / 8),
    node('Transpose', [key], [`${output}.keys`], [integers('perm', [0, 1, 3, 2])]),
    node('MatMul', [query, `${output}.keys`], [`${output}.product`]),
    node('Mul', [`${output}.product`, `${output}.scale`], [output]),
  ]
})

/** Queries, keys and values by one product, split after it: the weights of three stand behind each other in the file. */
const fusedInputs: Arm = (bytes) => {
  const graph = takeApart(bytes)
  const nodes: GraphNode[] = []
  const weights = [...graph.weights]
  const last = graph.nodes.findLast((one) => one.inputs[1]?.includes('q_proj'))?.inputs[1]?.replace(/self_attn.*/, '') ?? ''
  for (const one of graph.nodes) {
    const weight = one.inputs[1] ?? ''
    // Of the last layer queries are made of fewer rows.
    if (!isProjection(one) || !/[qkv]_proj/.test(weight) || weight.startsWith(last)) {
      nodes.push(one)
      continue
    }
    if (!weight.includes('q_proj')) continue
    const layer = weight.replace(/q_proj.*/, '')
    const outputOf = (part: string): string =>
      graph.nodes.find((other) => isProjection(other) && other.inputs[1] === `${layer}${part}.weight`)?.outputs[0] ?? ''
    const place = placeOf(weights.find(({ name }) => name === weight)?.message ?? new Uint8Array(0))
    const name = `${layer}qkv`
    weights.push({ name, message: externalTensor(name, 1, [960, 576], { ...place, bytes: 960 * 576 * 4 }) })
    nodes.push(
      node('Gemm', [one.inputs[0] ?? '', name], [`${name}.product`], one.attributes),
      constant(`${name}.sizes`, [576, 192, 192]),
      node(
        'Split',
        [`${name}.product`, `${name}.sizes`],
        [outputOf('q_proj'), outputOf('k_proj'), outputOf('v_proj')],
        [integer('axis', -1)],
      ),
    )
  }
  const used = new Set(nodes.flatMap(({ inputs }) => inputs))
  return putTogether({ ...graph, nodes, weights: weights.filter(({ name }) => used.has(name)) })
}

function placeOf(message: Uint8Array): { readonly location: string; readonly offset: number } {
  const entries = new Map<string, string>()
  for (const [field] of wholeFields(message)) if (field.number === 13) entries.set(readName(field.bytes, 1), readName(field.bytes, 2))
  return { location: entries.get('location') ?? '', offset: Number(entries.get('offset')) }
}

export const arms: { readonly [name: string]: { readonly change: Arm; readonly dtypes: readonly string[] } } = {
  same: { change: (graph) => graph, dtypes: ['fp32', 'q4'] },
  matmul: { change: matmul, dtypes: ['fp32'] },
  'fused-matmul': { change: fusedMatmul, dtypes: ['fp32'] },
  'fused-inputs': { change: fusedInputs, dtypes: ['fp32'] },
  'skip-norm': { change: skipNorm, dtypes: ['fp32', 'q4'] },
  sigmoid: { change: sigmoid, dtypes: ['fp32', 'q4'] },
  'plain-products': { change: plainProducts, dtypes: ['fp32'] },
}
