import type { GraphNode, ModelGraph } from '../../onnx/model-graph.ts'

/** Who makes which tensor, and what depends on what. */
export interface GraphPaths {
  producerOf(name: string): GraphNode | undefined
  /** The tensor is the same in every pass: a weight, a constant, or made of such only. */
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

  const inputsOf = (name: string): readonly string[] => producers.get(name)?.inputs ?? []
  const isShape = (node: GraphNode): boolean => node.type === 'Shape' || node.type === 'Size'

  const isFixed = remembering<boolean>(false, inputsOf, (name, self) => {
    if (name === '' || weights.has(name)) return true
    const node = producers.get(name)
    return node !== undefined && !hasSubgraph(node) && node.inputs.every(self)
  })

  const pastShapes = (name: string): readonly string[] => {
    const node = producers.get(name)
    return node === undefined || isShape(node) ? [] : node.inputs
  }

  const holdsActivations = remembering<boolean>(true, pastShapes, (name, self) => {
    if (cacheInputs.has(name)) return true
    const node = producers.get(name)
    if (node === undefined || isShape(node)) return false
    return products.has(node.type) || node.inputs.some(self)
  })

  let recipeCharacters = 0
  const recipeOf = remembering<string>('?', pastShapes, (name, self) => {
    const node = producers.get(name)
    if (node === undefined) return name
    if (isShape(node)) return node.type
    if (node.attributes.reduce((sum, { length }) => sum + length, 0) > longestRecipe / 2) return name
    // Names of outputs tell several outputs of a node apart.
    const place = node.outputs.length > 1 ? `#${node.outputs.indexOf(name)}` : ''
    const recipe = `${node.type}${place}[${node.attributes.map(hex).sort().join()}](${node.inputs.map(self).join()})`
    // Shared parts repeat in the text, so it could grow without bound: then only the same tensor counts as computed alike.
    recipeCharacters += recipe.length
    return recipe.length > longestRecipe || recipeCharacters > mostRecipes ? name : recipe
  })

  return { producerOf: (name) => producers.get(name), isFixed, holdsActivations, recipeOf }
}

/** In characters: one, and all of a graph together. */
const longestRecipe = 20_000
const mostRecipes = 2 ** 24

/**
 * A function of a name over the same function of the names in `needs`, each computed once, on a stack of its own: graphs are deeper than a call
 * stack likes. A cycle, which no valid graph has, gets `inCycle`.
 */
function remembering<T>(
  inCycle: T,
  needs: (name: string) => readonly string[],
  compute: (name: string, self: (name: string) => T) => T,
): (name: string) => T {
  const known = new Map<string, T>()
  const self = (name: string): T => known.get(name) ?? inCycle
  return (wanted) => {
    const stack: { readonly name: string; readonly needs: readonly string[]; next: number }[] = []
    const enter = (name: string): void => {
      if (known.has(name)) return
      known.set(name, inCycle)
      stack.push({ name, needs: needs(name), next: 0 })
    }
    enter(wanted)
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const need = top.needs[top.next++]
      if (need !== undefined) enter(need)
      else {
        known.set(top.name, compute(top.name, self))
        stack.pop()
      }
    }
    return self(wanted)
  }
}

/** A node with subgraphs reads tensors that aren't among its inputs. */
export function hasSubgraph(node: GraphNode): boolean {
  return node.type === 'If' || node.type === 'Loop' || node.type === 'Scan'
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
