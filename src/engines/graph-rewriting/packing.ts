import type { GraphPaths } from './graph-paths.ts'
import { integerAttribute, type GraphNode, type ModelGraph } from '../../onnx/model-graph.ts'
import { packingNames } from '../../onnx/scoring-names.ts'
import { splitAttention } from './split-attention.ts'
import { bytesField, integerField, joinBytes } from '../../onnx/wire.ts'

export interface Packing {
  /** The graph wants `positions`, or `runPositions`: its own count would take a branch for the continuation of the one before. */
  readonly wants: 'positions' | 'runPositions' | null
  readonly nodes: readonly GraphNode[]
}

/**
 * Lets the attention mask and the positions of a graph be given from outside, or null when that can't be done safely: layers with masks of
 * different kinds (sliding windows), a bias of its own, attention that isn't understood, positions that can't be given. With `splitHeadSize`
 * GroupQueryAttention becomes the operators that it stands for (split-attention.ts); null where it isn't there or can't.
 */
export function openMask(graph: ModelGraph, nodes: readonly GraphNode[], paths: GraphPaths, splitHeadSize: number | null): Packing | null {
  const types = new Set(nodes.map((node) => node.type))
  const hasPositionIds = graph.inputs.some((input) => input.name === 'position_ids')
  if (splitHeadSize !== null) return types.has('Softmax') ? null : openSplit(nodes, hasPositionIds, splitHeadSize)
  if (types.has('GroupQueryAttention')) return types.has('Softmax') ? null : openGroupQuery(nodes, hasPositionIds)
  if (opaqueAttention.some((type) => types.has(type))) return null
  return hasPositionIds ? openSoftmax(nodes, paths) : null
}

const opaqueAttention = ['MultiHeadAttention', 'Attention', 'PagedAttention', 'SparseAttention', 'LinearAttention', 'If', 'Loop', 'Scan']

function openSplit(nodes: readonly GraphNode[], hasPositionIds: boolean, headSize: number): Packing | null {
  const attention = nodes.filter((node) => node.type === 'GroupQueryAttention')
  const isRotating = attention.some((node) => integerAttribute(node, 'do_rotary') === 1)
  // What was rotated before has positions of its own, and a graph that has neither can't be told where a branch stands.
  if (attention.length === 0 || (!isRotating && !hasPositionIds)) return null
  const split = splitAttention(nodes, headSize, { bias: packingNames.bias, positions: packingNames.runPositions })
  return split === null ? null : { wants: isRotating ? 'runPositions' : null, nodes: split }
}

// Inputs of com.microsoft.GroupQueryAttention.
const cosInput = 7
const sinInput = 8
const positionInput = 9
const biasInput = 10

// The kernel takes rotary angles from the tables' rows past, past+1, …, whatever its own position input says on WebGPU; so the rows are
// put where it looks.
function openGroupQuery(nodes: readonly GraphNode[], hasPositionIds: boolean): Packing | null {
  const attention = nodes.filter((node) => node.type === 'GroupQueryAttention')
  const cos = new Set(attention.map((node) => node.inputs[cosInput] ?? ''))
  const sin = new Set(attention.map((node) => node.inputs[sinInput] ?? ''))
  const rotates = new Set(attention.map((node) => (integerAttribute(node, 'do_rotary') ?? 0) === 1))
  const isForeign = attention.some(
    (node) =>
      (node.inputs[biasInput] ?? '') !== '' ||
      (node.inputs[positionInput] ?? '') !== '' ||
      (node.inputs[11] ?? '') !== '' ||
      hasWindow(node),
  )
  const [cosTable = ''] = cos
  const [sinTable = ''] = sin
  const [isRotating = false] = rotates
  if (isForeign || cos.size > 1 || sin.size > 1 || rotates.size > 1) return null
  if (!isRotating)
    return hasPositionIds ? { wants: null, nodes: nodes.map((node) => withInputs(node, { [biasInput]: packingNames.bias })) } : null
  if (cosTable === '' || sinTable === '') return null
  const placed = [gather(cosTable, 'yardstick_cos'), gather(sinTable, 'yardstick_sin')]
  return {
    wants: 'positions',
    nodes: [
      ...placed,
      ...nodes.map((node) =>
        withInputs(node, { [cosInput]: 'yardstick_cos', [sinInput]: 'yardstick_sin', [biasInput]: packingNames.bias }),
      ),
    ],
  }
}

function hasWindow(node: GraphNode): boolean {
  return (integerAttribute(node, 'local_window_size') ?? -1) > 0
}

function withInputs(node: GraphNode, changed: { readonly [index: number]: string }): GraphNode {
  if (node.type !== 'GroupQueryAttention') return node
  const length = Math.max(node.inputs.length, biasInput + 1)
  return { ...node, inputs: Array.from({ length }, (_, index) => changed[index] ?? node.inputs[index] ?? '') }
}

function gather(table: string, output: string): GraphNode {
  const axis = joinBytes([bytesField(1, 'axis'), integerField(3, 0), integerField(20, 2)])
  return {
    type: 'Gather',
    name: `${output}_node`,
    domain: '',
    inputs: [table, packingNames.positions],
    outputs: [output],
    attributes: [axis],
  }
}

// Scores are Add(products, mask) in front of each Softmax. The mask is the operand that no product went into; all layers must compute it alike.
function openSoftmax(nodes: readonly GraphNode[], paths: GraphPaths): Packing | null {
  const replaced = new Map<GraphNode, GraphNode>()
  const recipes = new Set<string>()
  for (const softmax of nodes.filter((node) => node.type === 'Softmax')) {
    const add = maskingAdd(softmax, paths)
    if (add === null) return null
    const mask = add.inputs.findIndex((input) => !paths.holdsActivations(input))
    const recipe = paths.recipeOf(add.inputs[mask] ?? '')
    recipes.add(recipe)
    replaced.set(add, { ...add, inputs: add.inputs.map((input, index) => (index === mask ? packingNames.bias : input)) })
  }
  if (recipes.size !== 1) return null
  return {
    wants: null,
    nodes: withoutNanGuards(
      nodes.map((node) => replaced.get(node) ?? node),
      paths,
    ),
  }
}

function maskingAdd(softmax: GraphNode, paths: GraphPaths): GraphNode | null {
  let maker = paths.producerOf(softmax.inputs[0] ?? '')
  if (maker?.type === 'Cast') maker = paths.producerOf(maker.inputs[0] ?? '')
  if (maker?.type !== 'Add') return null
  return maker.inputs.filter((input) => paths.holdsActivations(input)).length === 1 ? maker : null
}

// Where(IsNaN(p), 0, p) guards rows that may see nothing. With our mask each token sees itself, so p itself is used: two passes over all scores less.
function withoutNanGuards(nodes: readonly GraphNode[], paths: GraphPaths): readonly GraphNode[] {
  const guarded = new Map<string, string>()
  for (const node of nodes) {
    const [condition = '', , value = ''] = node.inputs
    const test = paths.producerOf(condition)
    if (node.type === 'Where' && test?.type === 'IsNaN' && test.inputs[0] === value && paths.producerOf(value)?.type === 'Softmax')
      guarded.set(node.outputs[0] ?? '', value)
  }
  return nodes.map((node) =>
    node.inputs.some((input) => guarded.has(input)) ? { ...node, inputs: node.inputs.map((input) => guarded.get(input) ?? input) } : node,
  )
}
