/**
 * Large products with weights of 4 bits, split by their columns.
 *
 * ONNX Runtime on WASM has no kernel for them: each pass unpacks the whole weight to float32 first. For the head of Llama 3.2 1B (2,048 by 128,256) that
 * is 1.05 GB beside weights of 1.86 GB. The columns of a product don't depend on each other, and a weight lies in the file column after column, so that
 * parts of it are places in the same file.
 */
import { packedVarints, protobufFields } from '../../onnx/protobuf.ts'
import { integerAttribute, readNode, readName, wholeFields, writeNode, type GraphNode } from '../../onnx/model-graph.ts'
import { integer, node } from '../../onnx/nodes.ts'
import { bytesField, fieldHead, integerField, joinBytes } from '../../onnx/wire.ts'

/** Largest unpacked weight, in bytes, that is left whole: no layer of a model of 1B parameters has a larger one, only heads. */
const mostUnpackedBytes = 2 ** 27

/** The same where memory goes before time, as in a session whose weights stay packed on request. */
export const fewUnpackedBytes = 2 ** 25

/**
 * The graph with each `MatMulNBits` whose weight takes more than `mostBytes` unpacked as several, whose outputs are put together again. Only weights
 * that are external data are split (external-weights.ts). Throws `model/corrupt` for damaged bytes.
 * Source: com.microsoft.MatMulNBits of ONNX Runtime 1.30 (docs/ContribOperators.md).
 */
export function splitProducts(model: Uint8Array, mostBytes = mostUnpackedBytes): Uint8Array {
  const large = largeProducts(model, mostBytes)
  if (large.size === 0) return model
  const parts: Uint8Array[] = []
  for (const [field, whole] of wholeFields(model)) {
    if (field.number !== 7) parts.push(whole)
    else {
      const graph = joinBytes(splitGraph(field.bytes, large, mostBytes))
      parts.push(fieldHead(7, graph.length), graph)
    }
  }
  return joinBytes(parts)
}

/** Names of what the large products make. */
function largeProducts(model: Uint8Array, mostBytes: number): ReadonlySet<string> {
  const found = new Set<string>()
  for (const field of protobufFields(model)) {
    if (field.number !== 7) continue
    for (const part of protobufFields(field.bytes)) {
      if (part.number !== 1) continue
      const one = readNode(part.bytes)
      if (one.type === 'MatMulNBits' && unpackedBytes(one) > mostBytes) found.add(one.outputs[0] ?? '')
    }
  }
  return found
}

function unpackedBytes(product: GraphNode): number {
  return 4 * (integerAttribute(product, 'K') ?? 0) * (integerAttribute(product, 'N') ?? 0)
}

function splitGraph(graph: Uint8Array, large: ReadonlySet<string>, mostBytes: number): Uint8Array[] {
  const weights = new Map<string, Uint8Array>()
  const readers = new Map<string, number>()
  for (const field of protobufFields(graph)) {
    if (field.number === 5) weights.set(readName(field.bytes, 8), field.bytes)
    else if (field.number === 1) for (const input of readNode(field.bytes).inputs) readers.set(input, (readers.get(input) ?? 0) + 1)
  }
  const unread = new Set<string>()
  // By name: products that share a weight share its parts.
  const slices = new Map<string, Uint8Array>()
  const rest: Uint8Array[] = []
  for (const [field, whole] of wholeFields(graph)) {
    const product = field.number === 1 ? readNode(field.bytes) : null
    const split = product !== null && large.has(product.outputs[0] ?? '') ? splitProduct(product, weights, mostBytes) : null
    if (product === null || split === null) {
      rest.push(whole)
      continue
    }
    for (const one of split.nodes) rest.push(bytesField(1, writeNode(one)))
    for (const [name, slice] of split.slices) slices.set(name, bytesField(5, slice))
    for (const name of split.weights) {
      const left = (readers.get(name) ?? 1) - 1
      readers.set(name, left)
      if (left === 0) unread.add(name)
    }
  }
  const kept = rest.filter((whole) => {
    for (const field of protobufFields(whole)) return !(field.number === 5 && unread.has(readName(field.bytes, 8)))
    return true
  })
  return [...kept, ...slices.values()]
}

/** A multiple of what any kernel of float32 takes at once. */
const columnBlock = 64

interface SplitProduct {
  readonly nodes: readonly GraphNode[]
  /** TensorProto messages by name. */
  readonly slices: ReadonlyMap<string, Uint8Array>
  /** The weights that were split. */
  readonly weights: readonly string[]
}

/** Null where a weight isn't external data, or not laid out by columns. */
function splitProduct(product: GraphNode, weights: ReadonlyMap<string, Uint8Array>, mostBytes: number): SplitProduct | null {
  const columns = integerAttribute(product, 'N') ?? 0
  const [activations = '', ...others] = product.inputs
  const [output = ''] = product.outputs
  // B, scales, zero points, and the order of rows (g_idx), which all columns share.
  const [weight = '', scales = '', zeroPoints = '', rowOrder = '', bias = ''] = others
  const byColumn = [weight, scales, zeroPoints, bias].filter((name) => name !== '')
  const places = new Map<string, WeightPlace>()
  for (const name of byColumn) {
    const message = weights.get(name)
    const place = message === undefined ? null : placeOf(message, columns)
    if (place === null) return null
    places.set(name, place)
  }
  const count = Math.ceil(unpackedBytes(product) / mostBytes)
  // Kernels take columns in blocks: whole ones, so that every column is in a block of the same size as before.
  const step = Math.ceil(columns / count / columnBlock) * columnBlock
  const nodes: GraphNode[] = []
  const slices = new Map<string, Uint8Array>()
  for (let from = 0; from < columns; from += step) {
    const to = Math.min(columns, from + step)
    const renamed = (name: string): string => (name === '' ? '' : `${name}_columns_${from}_of_${count}`)
    for (const [name, place] of places) slices.set(renamed(name), sliceOf(place, renamed(name), from, to))
    const inputs = [activations, renamed(weight), renamed(scales), renamed(zeroPoints), rowOrder, renamed(bias)]
    while (inputs.at(-1) === '') inputs.pop()
    const attributes = product.attributes.filter((attribute) => readName(attribute, 1) !== 'N')
    nodes.push({
      ...product,
      name: `${product.name}_columns_${from}`,
      inputs,
      outputs: [`${output}_columns_${from}`],
      attributes: [...attributes, integer('N', to - from)],
    })
  }
  nodes.push(
    node(
      'Concat',
      nodes.flatMap(({ outputs }) => outputs),
      [output],
      [integer('axis', -1)],
    ),
  )
  return { nodes, slices, weights: byColumn }
}

/** A weight in a file, in bytes, with the fields of its TensorProto that its parts have too. */
interface WeightPlace {
  readonly location: string
  readonly offset: number
  readonly columnBytes: number
  /** Dimensions of one column of it; the first of the weight's, or a share of it where all are one. */
  readonly columnDims: readonly number[]
  readonly kept: readonly Uint8Array[]
}

function placeOf(message: Uint8Array, columns: number): WeightPlace | null {
  const dims: number[] = []
  const kept: Uint8Array[] = []
  const entries = new Map<string, string>()
  for (const [field, whole] of wholeFields(message)) {
    if (field.number === 1) for (const dim of packedVarints(field)) dims.push(dim)
    else if (field.number === 13) entries.set(readName(field.bytes, 1), readName(field.bytes, 2))
    else if (field.number !== 8) kept.push(whole)
  }
  const location = entries.get('location')
  const bytes = Number(entries.get('length') ?? 0)
  const columnBytes = bytes / columns
  const [first = 0, ...others] = dims
  if (location === undefined || !Number.isInteger(columnBytes) || columnBytes === 0 || first % columns !== 0) return null
  return { location, offset: Number(entries.get('offset') ?? 0), columnBytes, columnDims: [first / columns, ...others], kept }
}

function sliceOf({ location, offset, columnBytes, columnDims, kept }: WeightPlace, name: string, from: number, to: number): Uint8Array {
  const [first = 1, ...others] = columnDims
  const entries = { location, offset: String(offset + from * columnBytes), length: String((to - from) * columnBytes) }
  return joinBytes([
    ...[first * (to - from), ...others].map((dim) => integerField(1, dim)),
    ...kept,
    bytesField(8, name),
    ...Object.entries(entries).map(([key, value]) => bytesField(13, joinBytes([bytesField(1, key), bytesField(2, value)]))),
  ])
}
