import { EvalError } from '../base/errors.ts'
import { protobufFields, type ProtobufField } from './protobuf.ts'
import { bytesField, joinBytes } from './wire.ts'

/** A node of a graph: what it is, and its attributes as they stand in the file. */
export interface GraphNode {
  readonly type: string
  readonly name: string
  readonly domain: string
  readonly inputs: readonly string[]
  readonly outputs: readonly string[]
  /** Serialized AttributeProto messages. */
  readonly attributes: readonly Uint8Array[]
}

/** A named weight, as it stands in the file: `message` is a view of the serialized TensorProto. */
export interface Weight {
  readonly name: string
  readonly message: Uint8Array
}

/** A named input or output: the serialized ValueInfoProto. */
export interface Port {
  readonly name: string
  readonly message: Uint8Array
}

/** An ONNX model taken apart into views of its bytes; weights are not decoded and not copied. */
export interface ModelGraph {
  /** Fields of the model beside its graph: IR version, operator sets, functions. */
  readonly around: readonly Uint8Array[]
  /** Version of the standard operator set. */
  readonly opset: number
  readonly nodes: readonly GraphNode[]
  readonly weights: readonly Weight[]
  readonly inputs: readonly Port[]
  readonly outputs: readonly Port[]
  /** Name, annotations and the like; shapes of intermediate tensors are left out, since ONNX Runtime infers them. */
  readonly rest: readonly Uint8Array[]
}

/**
 * Takes a model apart. Throws `model/corrupt` for damaged bytes and for a model without a graph.
 * Source: onnx/onnx.proto of ONNX 1.19 (field numbers).
 */
export function takeApart(model: Uint8Array): ModelGraph {
  const around: Uint8Array[] = []
  const nodes: GraphNode[] = []
  const weights: Weight[] = []
  const inputs: Port[] = []
  const outputs: Port[] = []
  const rest: Uint8Array[] = []
  let opset = 0
  let graphs = 0
  for (const [field, whole] of wholeFields(model)) {
    if (field.number !== 7) {
      around.push(whole)
      if (field.number === 8) opset = readOpset(field.bytes) ?? opset
      continue
    }
    graphs += 1
    for (const [part, bytes] of wholeFields(field.bytes)) {
      if (nodes.length + weights.length + inputs.length + outputs.length > maxParts)
        throw new EvalError('model/unsupported', `wanted a graph of at most ${maxParts} nodes and weights, found more`)
      if (part.number === 1) nodes.push(readNode(part.bytes))
      else if (part.number === 5) weights.push({ name: readName(part.bytes, 8), message: part.bytes })
      else if (part.number === 11) inputs.push({ name: readName(part.bytes, 1), message: part.bytes })
      else if (part.number === 12) outputs.push({ name: readName(part.bytes, 1), message: part.bytes })
      // 13: shapes of intermediate tensors, which the cut changes.
      else if (part.number !== 13) rest.push(bytes)
    }
  }
  if (graphs === 0) throw new EvalError('model/corrupt', `wanted an ONNX model with a graph, found none in ${model.length} bytes`)
  return { around, opset, nodes, weights, inputs, outputs, rest }
}

/** The serialized NodeProto. */
export function writeNode(node: GraphNode): Uint8Array {
  return joinBytes([
    ...node.inputs.map((name) => bytesField(1, name)),
    ...node.outputs.map((name) => bytesField(2, name)),
    bytesField(3, node.name),
    bytesField(4, node.type),
    ...node.attributes.map((attribute) => bytesField(5, attribute)),
    ...(node.domain === '' ? [] : [bytesField(7, node.domain)]),
  ])
}

/** A graph of today's largest models has some ten thousand; each takes far more memory here than in its file. */
const maxParts = 500_000

/** The integer of attribute `name`, or null when the node hasn't got it. */
export function integerAttribute(node: GraphNode, name: string): number | null {
  for (const attribute of node.attributes) {
    if (readName(attribute, 1) !== name) continue
    for (const field of protobufFields(attribute)) if (field.number === 3) return field.value
    return 0
  }
  return null
}

/** The float of attribute `name`, or null when the node hasn't got it. */
export function floatAttribute(node: GraphNode, name: string): number | null {
  for (const attribute of node.attributes) {
    if (readName(attribute, 1) !== name) continue
    for (const [field, whole] of wholeFields(attribute)) if (field.number === 2 && whole.length > 4) return readFloat(whole.subarray(-4))
    return 0
  }
  return null
}

function readFloat(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getFloat32(0, true)
}

/** Names of a node's attributes. */
export function attributeNames(node: GraphNode): string[] {
  return node.attributes.map((attribute) => readName(attribute, 1))
}

/** Fields with all their bytes, tag included. */
export function* wholeFields(message: Uint8Array): Generator<readonly [ProtobufField, Uint8Array]> {
  let start = 0
  for (const field of protobufFields(message)) {
    yield [field, message.subarray(start, field.end)]
    start = field.end
  }
}

const decoder = new TextDecoder()

/** The text of field `number` of a message; empty when it has none. */
export function readName(message: Uint8Array, number: number): string {
  for (const field of protobufFields(message)) if (field.number === number) return decoder.decode(field.bytes)
  return ''
}

function readOpset(message: Uint8Array): number | null {
  let domain = ''
  let version = 0
  for (const field of protobufFields(message)) {
    if (field.number === 1) domain = decoder.decode(field.bytes)
    else if (field.number === 2) version = field.value
  }
  return domain === '' || domain === 'ai.onnx' ? version : null
}

export function readNode(message: Uint8Array): GraphNode {
  const inputs: string[] = []
  const outputs: string[] = []
  const attributes: Uint8Array[] = []
  let name = ''
  let type = ''
  let domain = ''
  for (const field of protobufFields(message)) {
    if (field.number === 1) inputs.push(decoder.decode(field.bytes))
    else if (field.number === 2) outputs.push(decoder.decode(field.bytes))
    else if (field.number === 3) name = decoder.decode(field.bytes)
    else if (field.number === 4) type = decoder.decode(field.bytes)
    else if (field.number === 5) attributes.push(field.bytes)
    else if (field.number === 7) domain = decoder.decode(field.bytes)
  }
  return { type, name, domain, inputs, outputs, attributes }
}
