/**
 * Products with weights of 4 or 8 bits whose weights are unpacked once, when the model is opened.
 *
 * ONNX Runtime on WASM has no kernel for packed weights: MatMulNBits unpacks the whole weight to float32 in each pass, and multiplies by the same routine as a
 * float32 product whose weight isn't arranged beforehand. So FusedMatMul with the unpacked weight gives the same bits (decision 0079), and a pass of one token takes a fifth of the time.
 */
import { integerAttribute, readName, readNode, takeApart, writeNode, attributeNames, type GraphNode } from '../../onnx/model-graph.ts'
import { float, integer, node } from '../../onnx/nodes.ts'
import { externalTensor } from '../../onnx/external-tensor.ts'
import { elementTypes, port } from '../../onnx/ports.ts'
import { packedVarints, protobufFields } from '../../onnx/protobuf.ts'
import { bytesField, fieldHead, joinBytes } from '../../onnx/wire.ts'
import type { ExternalFile } from '../graph/external-data.ts'
import type { FileBytes } from '../../weights/file-bytes.ts'
import { fileBytes } from '../graph/model-file.ts'
import { packedBytes, unpackedBytes, unpackedFile, type PackedWeight } from '../graph/unpacked-weights.ts'

/** Place of the unpacked weights among a model's external data. */
export const unpackedLocation = 'yardstick-unpacked'

/** Products with weights of 4 or 8 bits, and how many of them have theirs unpacked. */
export interface UnpackedShare {
  readonly products: number
  readonly unpacked: number
  /** Of all unpacked weights. */
  readonly bytes: number
}

interface UnpackedModel {
  readonly graph: Uint8Array
  readonly files: readonly ExternalFile[]
  readonly share: UnpackedShare
}

/**
 * The model with the weights of `MatMulNBits` unpacked, the largest first, while all of them together need at most `mostBytes` more than before, and only in forms
 * whose result is known to keep its bits. Throws `model/corrupt` for damaged bytes.
 */
export function unpackProducts(model: Uint8Array, files: readonly ExternalFile[], mostBytes: number): UnpackedModel {
  if (!hasProducts(model)) return { graph: model, files, share: { products: 0, unpacked: 0, bytes: 0 } }
  const graph = takeApart(model)
  const messages = new Map(graph.weights.map(({ name, message }) => [name, message]))
  const products = graph.nodes.filter(({ type }) => type === 'MatMulNBits')
  // By their weights: products that share them share what is unpacked.
  const found = new Map<string, { readonly weight: PackedWeight; readonly name: string }>()
  for (const product of products) {
    const weight = weightOf(product, messages, files)
    if (weight !== null && !found.has(keyOf(product))) found.set(keyOf(product), { weight, name: `${product.inputs[1] ?? ''}.unpacked` })
  }
  const chosen = chooseWithin(found, mostBytes)
  if (chosen.size === 0) return { graph: model, files, share: { products: products.length, unpacked: 0, bytes: 0 } }

  const nodes = graph.nodes.flatMap((one) => {
    const unpacked = one.type === 'MatMulNBits' ? chosen.get(keyOf(one)) : undefined
    return unpacked === undefined ? [one] : unpackedProduct(one, unpacked.name, unpacked.weight)
  })
  const read = new Set(nodes.flatMap(({ inputs }) => inputs))
  const packed = new Set(products.filter((one) => chosen.has(keyOf(one))).flatMap(({ inputs }) => inputs.slice(1)))
  const placed: { readonly name: string; readonly dims: readonly number[]; readonly offset: number; readonly bytes: number }[] = []
  let end = 0
  for (const { name, weight } of chosen.values()) {
    const bytes = unpackedBytes(weight)
    placed.push({ name, dims: [weight.rows, weight.columns], offset: end, bytes })
    end += bytes
  }
  const body = joinBytes([
    ...nodes.map((one) => bytesField(1, writeNode(one))),
    ...graph.weights.filter(({ name }) => read.has(name) || !packed.has(name)).map(({ message }) => bytesField(5, message)),
    ...placed.map(({ name, dims, ...place }) =>
      bytesField(5, externalTensor(name, elementTypes.float32, dims, { location: unpackedLocation, ...place })),
    ),
    ...graph.inputs.map(({ message }) => bytesField(11, message)),
    // A weight that could be given as an input is never arranged for its product, which would change the order of its sums.
    ...placed.map(({ name, dims }) => bytesField(11, port(name, elementTypes.float32, dims))),
    ...graph.outputs.map(({ message }) => bytesField(12, message)),
    ...graph.rest,
  ])
  const file: FileBytes = unpackedFile([...chosen.values()].map(({ weight }) => weight))
  return {
    graph: joinBytes([...graph.around, fieldHead(7, body.length), body]),
    files: [...files, { path: unpackedLocation, bytes: file }],
    share: { products: products.length, unpacked: products.filter((one) => chosen.has(keyOf(one))).length, bytes: end },
  }
}

function hasProducts(model: Uint8Array): boolean {
  for (const field of protobufFields(model)) {
    if (field.number !== 7) continue
    for (const part of protobufFields(field.bytes)) if (part.number === 1 && readNode(part.bytes).type === 'MatMulNBits') return true
  }
  return false
}

/** The entries that fit, the largest first. */
function chooseWithin<Entry extends { readonly weight: PackedWeight }>(
  found: ReadonlyMap<string, Entry>,
  mostBytes: number,
): ReadonlyMap<string, Entry> {
  const chosen = new Map<string, Entry>()
  let left = mostBytes
  for (const [key, entry] of [...found].sort(([, a], [, b]) => unpackedBytes(b.weight) - unpackedBytes(a.weight))) {
    // Where an embedding shares the packed weight, that stays: a little more than is counted.
    const added = unpackedBytes(entry.weight) - packedBytes(entry.weight)
    if (added > left) continue
    left -= added
    chosen.set(key, entry)
  }
  return chosen
}

function keyOf({ inputs }: GraphNode): string {
  return inputs.slice(1).join('\n')
}

function unpackedProduct(product: GraphNode, weight: string, { scaleType }: PackedWeight): readonly GraphNode[] {
  const [activations = ''] = product.inputs
  const [output = ''] = product.outputs
  const attributes = [integer('transA', 0), integer('transB', 1), float('alpha', 1)]
  const multiply = (from: string, to: string): GraphNode => node('FusedMatMul', [from, weight], [to], attributes, product.domain)
  if (scaleType === 'float32') return [multiply(activations, output)]
  // As the kernel does: activations of 16 bits are widened, and the sums of float32 narrowed.
  const [wide, sums] = [`${output}.wide`, `${output}.sums`]
  return [
    node('Cast', [activations], [wide], [integer('to', elementTypes.float32)]),
    multiply(wide, sums),
    node('Cast', [sums], [output], [integer('to', elementTypes.float16)]),
  ]
}

/** What a product may be told besides its weights' form; all else may change what it computes. */
const knownAttributes = ['K', 'N', 'bits', 'block_size', 'accuracy_level']

/** Null for forms that aren't known to keep their bits: an order of rows, a bias of its own, zero points that are no whole numbers. */
function weightOf(product: GraphNode, messages: ReadonlyMap<string, Uint8Array>, files: readonly ExternalFile[]): PackedWeight | null {
  const [, blocksName = '', scalesName = '', zeroName = '', ...others] = product.inputs
  if (others.some((name) => name !== '') || attributeNames(product).some((name) => !knownAttributes.includes(name))) return null
  const columns = integerAttribute(product, 'K') ?? 0
  const rows = integerAttribute(product, 'N') ?? 0
  const bits = integerAttribute(product, 'bits') ?? 4
  const blockSize = integerAttribute(product, 'block_size') ?? 0
  if ((bits !== 4 && bits !== 8) || blockSize < 16 || rows < 1 || columns < 1) return null
  const count = Math.ceil(columns / blockSize)
  const place = (name: string, types: readonly number[], valueCount: number) => placeOf(messages.get(name), types, valueCount, files)
  const blocks = place(blocksName, [elementTypes.uint8], (rows * count * blockSize * bits) / 8)
  const scales = place(scalesName, [elementTypes.float32, elementTypes.float16], rows * count)
  const zeroPoints = zeroName === '' ? null : place(zeroName, [elementTypes.uint8], rows * Math.ceil((count * bits) / 8))
  if (blocks === null || scales === null || (zeroName !== '' && zeroPoints === null)) return null
  const scaleType = scales.type === elementTypes.float16 ? 'float16' : 'float32'
  return { rows, columns, bits, blockSize, blocks, scales, scaleType, zeroPoints }
}

/** Where the `count` values of a weight lie, in a file or in the graph, where small ones are; null where it is of another type or size. */
function placeOf(message: Uint8Array | undefined, types: readonly number[], count: number, files: readonly ExternalFile[]) {
  if (message === undefined) return null
  let type = 0
  let values = 1
  let inside: Uint8Array | null = null
  const entries = new Map<string, string>()
  for (const field of protobufFields(message)) {
    if (field.number === 1) for (const dim of packedVarints(field)) values *= dim
    else if (field.number === 2) type = field.value
    else if (field.number === 9) inside = field.bytes
    else if (field.number === 13) entries.set(readName(field.bytes, 1), readName(field.bytes, 2))
  }
  const file = inside === null ? files.find(({ path }) => path === entries.get('location'))?.bytes : fileBytes(inside)
  const offset = Number(entries.get('offset') ?? 0)
  const bytes = count * (type === elementTypes.float32 ? 4 : type === elementTypes.float16 ? 2 : 1)
  if (file === undefined || values !== count || !types.includes(type) || offset + bytes > file.length) return null
  return { file, offset, type }
}
