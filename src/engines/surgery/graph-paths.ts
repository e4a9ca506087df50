import type { GraphNode, ModelGraph } from './model-graph.ts'

/** Who makes which tensor, and what depends on what. */
export interface GraphPaths {
  producerOf(name: string): GraphNode | undefined
  /** The tensor is the same in every run: a weight, a constant, or made of such only. */
  isFixed(name: string): boolean
  /** What the tensor's values are made of contains a product of activations with weights, or the cache. Shapes count for nothing. */
  holdsActivations(name: string): boolean
  /**
   * How a tensor is computed, as text that is equal for two tensors computed alike from the same inputs: constants by value, shapes
   * as such.
   */
  recipeOf(name: string): string
}

const products = new Set([
  'MatMul',
  'MatMulNBits',
  'MatMulInteger',
  'MatMulIntegerToFloat',
  'DynamicQuantizeMatMul',
  'FusedMatMul',
  'Gemm',
  'Einsum',
  'Conv',
  'Attention',
  'MultiHeadAttention',
  'GroupQueryAttention',
])

/** Indexes a graph's nodes; answers are remembered, so that each tensor is looked at once. */
export function indexPaths(graph: ModelGraph): GraphPaths {
  const producers = new Map<string, GraphNode>()
  for (const node of graph.nodes) for (const output of node.outputs) if (output !== '') producers.set(output, node)
  const weights = new Set(graph.weights.map((weight) => weight.name))
  const cacheInputs = new Set(graph.inputs.map((input) => input.name).filter((name) => name.startsWith('past')))

  const isFixed = remembering<boolean>(false, (name, self) => {
    if (name === '' || weights.has(name)) return true
    const node = producers.get(name)
    return node !== undefined && !hasSubgraph(node) && node.inputs.every(self)
  })

  const holdsActivations = remembering<boolean>(true, (name, self) => {
    if (cacheInputs.has(name)) return true
    const node = producers.get(name)
    if (node === undefined || node.type === 'Shape' || node.type === 'Size') return false
    return products.has(node.type) || node.inputs.some(self)
  })

  const recipeOf = remembering<string>('?', (name, self) => {
    const node = producers.get(name)
    if (node === undefined) return name
    if (node.type === 'Shape' || node.type === 'Size') return node.type
    // Names of outputs tell several outputs of a node apart.
    const place = node.outputs.length > 1 ? `#${node.outputs.indexOf(name)}` : ''
    const recipe = `${node.type}${place}[${node.attributes.map(hex).sort().join()}](${node.inputs.map(self).join()})`
    // Shared parts repeat in the text, so it could grow without bound: then only the same tensor counts as computed alike.
    return recipe.length > 20_000 ? name : recipe
  })

  return { producerOf: (name) => producers.get(name), isFixed, holdsActivations, recipeOf }
}

/** A recursive function of a name that computes each once; a cycle, which no valid graph has, gets `inCycle`. */
function remembering<T>(inCycle: T, compute: (name: string, self: (name: string) => T) => T): (name: string) => T {
  const known = new Map<string, T>()
  const self = (name: string): T => {
    const answer = known.get(name)
    if (answer !== undefined) return answer
    known.set(name, inCycle)
    const fresh = compute(name, self)
    known.set(name, fresh)
    return fresh
  }
  return self
}

/** A node with subgraphs reads tensors that aren't among its inputs. */
export function hasSubgraph(node: GraphNode): boolean {
  return node.type === 'If' || node.type === 'Loop' || node.type === 'Scan'
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
