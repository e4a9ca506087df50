/**
 * The graph that the fast path runs: rows are chosen before the projection, log-probabilities come out, branches may share a run.
 *
 * Made in the browser from the model's own bytes. Weights that stand in the graph are not copied: the new graph names their places in the old
 * file, which is given to ONNX Runtime as external data. So a model of 500 MB in one file needs no second copy, nor one in the WASM heap.
 */
import { protobufFields } from '../protobuf.ts'
import { hasSubgraph, indexPaths } from './graph-paths.ts'
import { takeApart, wholeFields, writeNode, type GraphNode, type Weight } from './model-graph.ts'
import { openMask, packingNames, type Packing } from './packing.ts'
import { cutHead, scoringNames, type CutPlace } from './scoring-head.ts'
import { bytesField, fieldHead, integerField, joinBytes } from './wire.ts'

export interface ScoringGraph {
  readonly graph: Uint8Array<ArrayBuffer>
  /** Place of the old file among the external data; null when no weight is read from it. */
  readonly weightsFile: string | null
  readonly cut: CutPlace
  /** Null: branches can't share a run. */
  readonly packing: Pick<Packing, 'wants'> | null
}

export const weightsFile = 'yardstick-weights'

export interface ScoringGraphWish {
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
  const moved = weights.map((weight) => moveOut(weight, model))
  const inputs = [
    ...parts.inputs.map((input) => input.message),
    port(scoringNames.rows, int32, ['R']),
    port(scoringNames.places, int32, ['K']),
    ...(packing === null ? [] : [port(packingNames.bias, elementType === 'float16' ? float16 : float32, [1, 1, 'S', 'T'])]),
    ...(packing?.wants === 'positions' ? [port(packingNames.positions, int32, ['T'])] : []),
    ...(packing?.wants === 'runPositions' ? [port(packingNames.runPositions, int64, [1, 'S'])] : []),
  ]
  const graph = joinBytes([
    ...nodes.map((node) => bytesField(1, writeNode(node))),
    ...moved.map(({ message }) => bytesField(5, message)),
    ...inputs.map((message) => bytesField(11, message)),
    ...parts.outputs.filter((output) => output.name !== 'logits').map((output) => bytesField(12, output.message)),
    bytesField(12, port(outputNames.logprobs, float32, ['K'])),
    bytesField(12, port(outputNames.picks, int32, ['R'])),
    bytesField(12, port(outputNames.tokens, int32, ['R'])),
    bytesField(12, port(outputNames.logits, float32, null)),
    ...parts.rest,
  ])
  return {
    graph: joinBytes([...parts.around, fieldHead(7, graph.length), graph]),
    weightsFile: moved.some(({ isMoved }) => isMoved) ? weightsFile : null,
    cut: head.cut,
    packing: packing === null ? null : { wants: packing.wants },
  }
}

const { rows: _rows, places: _places, ...outputNames } = scoringNames

// onnx.TensorProto.DataType.
const float32 = 1
const int32 = 6
const int64 = 7
const float16 = 10

/** Smaller weights stay: shape inference reads them, and an entry costs as much. */
const movedBytes = 4096

/** The weight as an entry that names its place in the old file, when its bytes stand there. */
function moveOut(weight: Weight, model: Uint8Array): { readonly message: Uint8Array; readonly isMoved: boolean } {
  let raw: Uint8Array | null = null
  for (const field of protobufFields(weight.message)) if (field.number === 9) raw = field.bytes
  if (raw === null || raw.length < movedBytes) return { message: weight.message, isMoved: false }
  const kept: Uint8Array[] = []
  for (const [field, whole] of wholeFields(weight.message)) if (field.number !== 9) kept.push(whole)
  const entries = { location: weightsFile, offset: String(raw.byteOffset - model.byteOffset), length: String(raw.length) }
  const external = Object.entries(entries).map(([key, value]) => bytesField(13, joinBytes([bytesField(1, key), bytesField(2, value)])))
  return { message: joinBytes([...kept, ...external, integerField(14, 1)]), isMoved: true }
}

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

/** A ValueInfoProto; dims null = unknown rank. */
function port(name: string, elementType: number, dims: readonly (number | string)[] | null): Uint8Array {
  const shape = (dims ?? []).map((dim) => bytesField(1, typeof dim === 'number' ? integerField(1, dim) : bytesField(2, `yardstick_${dim}`)))
  const tensor = [integerField(1, elementType), ...(dims === null ? [] : [bytesField(2, joinBytes(shape))])]
  return joinBytes([bytesField(1, name), bytesField(2, bytesField(1, joinBytes(tensor)))])
}
