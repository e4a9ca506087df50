/**
 * The graph that the fast path runs: rows are chosen before the projection, log-probabilities come out, branches may share a pass.
 *
 * Made in the browser from the model's own graph, whose weights stay where they are (external-weights.ts).
 */
import { hasSubgraph, indexPaths } from './graph-paths.ts'
import { takeApart, writeNode, type GraphNode } from '../../onnx/model-graph.ts'
import { elementTypes, port } from '../../onnx/ports.ts'
import { packingNames, scoringNames } from '../../onnx/scoring-names.ts'
import { openMask, type Packing } from './packing.ts'
import { cutHead, type CutPlace } from './scoring-head.ts'
import { bytesField, fieldHead, joinBytes } from '../../onnx/wire.ts'

export interface ScoringGraph {
  readonly graph: Uint8Array<ArrayBuffer>
  readonly cut: CutPlace
  /** Null: branches can't share a pass. */
  readonly packing: Pick<Packing, 'wants'> | null
  /** Tokens that layers with a window see at most, where the graph has an input for what they see (`packingNames.localBias`). */
  readonly localWindow?: number | null
  /** The graph can part a pass in groups of branches, and wants the inputs of `packingNames` for it; `lastIsLocal`: its `rowBias` is what layers with a window see. */
  readonly parting?: { readonly lastIsLocal: boolean } | null
}

interface ScoringGraphWish {
  readonly vocabularySize: number
  /** The type that attention scores are computed in: that of the cache. */
  readonly elementType: 'float32' | 'float16'
  readonly allowPacking: boolean
  /** Size of a head, where GroupQueryAttention shall become the operators that it stands for; packing isn't possible else. */
  readonly splitHeadSize?: number | null
}

/** Throws `model/corrupt` for damaged bytes. */
export function makeScoringGraph(
  model: Uint8Array,
  { vocabularySize, elementType, allowPacking, splitHeadSize = null }: ScoringGraphWish,
): ScoringGraph {
  const parts = takeApart(model)
  const paths = indexPaths(parts)
  const head = cutHead(parts, paths, vocabularySize)
  const packing = allowPacking ? openMask(parts, head.nodes, paths, splitHeadSize) : null
  const outputs = [
    ...parts.outputs.filter((output) => output.name !== 'logits').map((output) => output.name),
    ...Object.values(outputNames),
  ]
  const nodes = reachable(packing?.nodes ?? head.nodes, outputs)
  const isUsed = usedNames(nodes)
  const weights = nodes.some(hasSubgraph) ? parts.weights : parts.weights.filter((weight) => isUsed.has(weight.name))
  const inputs = [
    ...parts.inputs.map((input) => input.message),
    port(scoringNames.rows, elementTypes.int32, ['yardstick_R']),
    port(scoringNames.places, elementTypes.int32, ['yardstick_K']),
    ...(packing === null ? [] : [port(packingNames.bias, elementTypes[elementType], [1, 1, 'yardstick_S', 'yardstick_T'])]),
    ...(packing?.wants === 'positions' ? [port(packingNames.positions, elementTypes.int32, ['yardstick_T'])] : []),
    ...(packing?.wants === 'runPositions' ? [port(packingNames.runPositions, elementTypes.int64, [1, 'yardstick_S'])] : []),
  ]
  const graph = joinBytes([
    ...nodes.map((node) => bytesField(1, writeNode(node))),
    ...weights.map(({ message }) => bytesField(5, message)),
    ...inputs.map((message) => bytesField(11, message)),
    ...parts.outputs.filter((output) => output.name !== 'logits').map((output) => bytesField(12, output.message)),
    bytesField(12, port(outputNames.logprobs, elementTypes.float32, ['yardstick_K'])),
    bytesField(12, port(outputNames.picks, elementTypes.int32, ['yardstick_R'])),
    bytesField(12, port(outputNames.tokens, elementTypes.int32, ['yardstick_R'])),
    bytesField(12, port(outputNames.logits, elementTypes.float32, null)),
    ...parts.rest,
  ])
  return {
    graph: joinBytes([...parts.around, fieldHead(7, graph.length), graph]),
    cut: head.cut,
    packing: packing === null ? null : { wants: packing.wants },
  }
}

const { rows: _rows, places: _places, ...outputNames } = scoringNames

/** Nodes that the outputs depend on, in an order that ONNX accepts: what a node reads is made before it. With subgraphs, which read what they don't name, all nodes as they stand. */
function reachable(nodes: readonly GraphNode[], outputs: readonly string[]): readonly GraphNode[] {
  if (nodes.some(hasSubgraph)) return nodes
  const producers = new Map<string, GraphNode>()
  for (const node of nodes) for (const output of node.outputs) if (output !== '') producers.set(output, node)
  const order: GraphNode[] = []
  const seen = new Set<GraphNode>()
  // An own stack: graphs are deeper than a call stack likes.
  const stack: { readonly node: GraphNode; next: number }[] = []
  const enter = (name: string): void => {
    const node = producers.get(name)
    if (node === undefined || seen.has(node)) return
    seen.add(node)
    stack.push({ node, next: 0 })
  }
  for (const output of outputs) {
    enter(output)
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const input = top.node.inputs[top.next]
      if (input === undefined) {
        order.push(top.node)
        stack.pop()
      } else {
        top.next += 1
        enter(input)
      }
    }
  }
  return order
}

function usedNames(nodes: readonly GraphNode[]): Set<string> {
  return new Set(nodes.flatMap((node) => node.inputs))
}
