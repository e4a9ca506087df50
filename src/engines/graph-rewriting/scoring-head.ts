import type { GraphPaths } from './graph-paths.ts'
import type { GraphNode, ModelGraph } from './model-graph.ts'
import { constant, integer, integers, node } from './nodes.ts'

/**
 * Names that the rewritten graph adds. Inputs: `rows` (R) of a pass that are scored; `places` (K) = row of each target among them × V + its token.
 * Outputs: `logprobs` (K) in nats; `picks` (R) = lowest id of each row's largest log-probability, `tokens` (R) = that of its largest logit, which rounding
 * may keep apart where log-probabilities tie; `logits` of the rows in float32.
 */
export const scoringNames = {
  rows: 'yardstick_rows',
  places: 'yardstick_places',
  logprobs: 'yardstick_logprobs',
  picks: 'yardstick_picks',
  tokens: 'yardstick_tokens',
  logits: 'yardstick_logits',
} as const

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
    nodes: [...kept, ...fresh, ...rewritten.values(), ...reductions(source, graph.opset, vocabularySize)],
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

/**
 * float32 log-softmax of the rows, rounded where torch rounds it: `(x - max) - log(sum)`. Of it only the targets and the largest ids come out.
 *
 * The sum is taken in two steps: one after the other, 49,152 float32 terms lose up to 1.6e-4 nats (SmolLM2, WASM), in groups of 192 nothing that shows.
 */
function reductions(source: string, opset: number, vocabularySize: number): GraphNode[] {
  const name = (part: string): string => `${own}${part}`
  const last = (input: string, output: string, type: string, since: number, keeps: 0 | 1): GraphNode =>
    opset >= since
      ? node(type, [input, name('last_axis')], [output], [integer('keepdims', keeps)])
      : node(type, [input], [output], [integers('axes', [-1]), integer('keepdims', keeps)])
  const group = groupSize(vocabularySize)
  const padding = (group - (vocabularySize % group)) % group
  const groups = (vocabularySize + padding) / group
  return [
    constant(name('last_axis'), [-1]),
    constant(name('flat'), [-1]),
    constant(name('rows_shape'), [1, -1, vocabularySize]),
    constant(name('groups_shape'), [-1, groups, group]),
    node('Cast', [source], [name('float')], [integer('to', 1)]),
    node('Reshape', [name('float'), name('rows_shape')], [scoringNames.logits], []),
    last(scoringNames.logits, name('max'), 'ReduceMax', 18, 1),
    node('Sub', [scoringNames.logits, name('max')], [name('shifted')], []),
    node('Exp', [name('shifted')], [name('weights')], []),
    ...(padding === 0
      ? []
      : [constant(name('padding'), [0, 0, 0, 0, 0, padding]), node('Pad', [name('weights'), name('padding')], [name('padded')], [])]),
    node('Reshape', [name(padding === 0 ? 'weights' : 'padded'), name('groups_shape')], [name('groups')], []),
    last(name('groups'), name('group_sums'), 'ReduceSum', 13, 0),
    last(name('group_sums'), name('sum'), 'ReduceSum', 13, 1),
    node('Log', [name('sum')], [name('log_sum')], []),
    node('Sub', [name('shifted'), name('log_sum')], [name('log_softmax')], []),
    node('Reshape', [name('log_softmax'), name('flat')], [name('flat_log_softmax')], []),
    node('Gather', [name('flat_log_softmax'), scoringNames.places], [scoringNames.logprobs], [integer('axis', 0)]),
    ...largestIds(name('log_softmax'), scoringNames.picks),
    ...largestIds(scoringNames.logits, scoringNames.tokens),
  ]
}

/** About the square root, so that neither step sums many; a divisor where there is one near. */
function groupSize(vocabularySize: number): number {
  const root = Math.sqrt(vocabularySize)
  for (let size = Math.floor(root); size >= root / 8; size -= 1) if (vocabularySize % size === 0) return size
  return Math.max(1, Math.floor(root))
}

/** Ids (R) as int32: what comes back is half as large. */
function largestIds(rows: string, output: string): GraphNode[] {
  return [
    node('ArgMax', [rows], [`${output}_wide`], [integer('axis', -1), integer('keepdims', 0)]),
    node('Reshape', [`${output}_wide`, `${own}flat`], [`${output}_flat`], []),
    node('Cast', [`${output}_flat`], [output], [integer('to', 6)]),
  ]
}

const decoder = new TextDecoder()
function text(bytes: Uint8Array): string {
  return decoder.decode(bytes)
}
