import type { GraphPaths } from './graph-paths.ts'
import type { GraphNode, ModelGraph } from '../../onnx/model-graph.ts'
import { logProbabilities } from '../../onnx/log-probabilities.ts'
import { integer, node } from '../../onnx/nodes.ts'
import { scoringNames } from '../../onnx/scoring-names.ts'

/** Where rows are taken: `hidden` = before the projection onto the vocabulary, so that only they are projected; `logits` = after it. */
export type CutPlace = 'hidden' | 'logits'

interface Head {
  readonly cut: CutPlace
  /** All nodes of the graph, those of the projection rewritten, and the head's own behind them. */
  readonly nodes: readonly GraphNode[]
}

// What may stand between the projection and the logits: row by row, whatever the other operand.
const rowwise = new Set(['Cast', 'Identity', 'Add', 'Sub', 'Mul', 'Div', 'Tanh', 'Clip', 'Neg', 'Where'])
const projections = new Set(['MatMul', 'MatMulNBits', 'FusedMatMul', 'Gemm'])

/**
 * Ends a graph in log-probabilities of chosen tokens at chosen rows, computed in float32 whatever the graph's type: the rows are gathered
 * before the final projection where it is recognised (MatMul, Gemm, MatMulNBits with fixed weights, tied transposes and dequantised ones
 * among them; soft caps, biases, scales and casts after it stay), else from its result.
 *
 * A projection whose activations are quantised in the graph isn't cut before: one scale is computed over all rows of a pass.
 */
export function cutHead(graph: ModelGraph, paths: GraphPaths, vocabularySize: number): Head {
  const rewritten = new Map<string, GraphNode>()
  const hidden = findProjection('logits', paths)
  const fresh: GraphNode[] = []
  const source = `${own}source`
  if (hidden !== null) {
    const gathered = `${own}hidden`
    fresh.push(node('Gather', [hidden.activations, scoringNames.rows], [gathered], [integer('axis', hidden.axis)]))
    rewireChain(hidden, gathered, source, rewritten)
  } else {
    fresh.push(node('Gather', ['logits', scoringNames.rows], [source], [integer('axis', 1)]))
  }
  const kept = graph.nodes.filter((one) => !hidden?.chain.includes(one))
  return {
    cut: hidden === null ? 'logits' : 'hidden',
    nodes: [...kept, ...fresh, ...rewritten.values(), ...logProbabilities(source, graph.opset, vocabularySize)],
  }
}

const own = 'yardstick_head_'

interface Projection {
  readonly activations: string
  /** Axis of the activations on which rows lie. */
  readonly axis: number
  /** From the projection to the node that makes the logits. */
  readonly chain: readonly GraphNode[]
}

function findProjection(logits: string, paths: GraphPaths): Projection | null {
  const chain: GraphNode[] = []
  let name = logits
  for (let steps = 0; steps < 16; steps += 1) {
    const maker = paths.producerOf(name)
    if (maker === undefined) return null
    chain.unshift(maker)
    if (projections.has(maker.type)) {
      const [activations, ...others] = maker.inputs
      if (activations === undefined || !paths.holdsActivations(activations) || !others.every((other) => paths.isFixed(other))) return null
      if (maker.type === 'Gemm') return isPlainGemm(maker) ? { activations, axis: 0, chain } : null
      return { activations, axis: 1, chain }
    }
    const isReshape = maker.type === 'Reshape'
    if (!isReshape && !rowwise.has(maker.type)) return null
    const carriers = (isReshape ? maker.inputs.slice(0, 1) : maker.inputs).filter((input) => !paths.isFixed(input))
    const [carrier] = carriers
    if (carrier === undefined || carriers.length > 1) return null
    name = carrier
  }
  return null
}

// Transposed activations would have their rows on the other axis.
function isPlainGemm(gemm: GraphNode): boolean {
  return !gemm.attributes.some((attribute) => text(attribute).includes('transA') && attribute.at(-1) === 1)
}

/** The chain again, from the gathered rows on, under names of its own. Reshapes are left out: they spell out the pass’s length. */
function rewireChain({ activations, chain }: Projection, gathered: string, source: string, rewritten: Map<string, GraphNode>): void {
  const renamed = new Map([[activations, gathered]])
  chain.forEach((one, index) => {
    const inputs = one.inputs.map((name) => renamed.get(name) ?? name)
    const [output = ''] = one.outputs
    const isLast = index + 1 === chain.length
    if (one.type === 'Reshape') {
      const [carried = ''] = inputs
      renamed.set(output, carried)
      if (isLast) rewritten.set(output, node('Identity', [carried], [source], []))
      return
    }
    const name = isLast ? source : `${own}${index}`
    renamed.set(output, name)
    rewritten.set(output, { ...one, inputs, outputs: [name] })
  })
}

const decoder = new TextDecoder()
function text(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
