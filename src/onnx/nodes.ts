/** Making nodes of a graph. Source: onnx.proto of ONNX 1.17. */
import { writeNode, type GraphNode } from './model-graph.ts'
import { bytesField, integerField, joinBytes } from './wire.ts'

/** A node of the standard operators, or of another domain's; named after its first output. */
export function node(
  type: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: readonly Uint8Array[] = [],
  domain = '',
): GraphNode {
  return { type, name: `${outputs[0] ?? ''}_node`, domain, inputs, outputs, attributes }
}

/** AttributeProto of type INT. Two's complement in ten bytes for negative values. */
export function integer(name: string, value: number): Uint8Array {
  return joinBytes([bytesField(1, name), signedField(3, value), integerField(20, 2)])
}

/** AttributeProto of type INTS. */
export function integers(name: string, values: readonly number[]): Uint8Array {
  return joinBytes([bytesField(1, name), ...values.map((value) => signedField(8, value)), integerField(20, 7)])
}

/** AttributeProto of type FLOAT. */
export function float(name: string, value: number): Uint8Array {
  const bits = new Uint8Array(new Float32Array([value]).buffer)
  return joinBytes([bytesField(1, name), Uint8Array.of(2 * 8 + 5), bits, integerField(20, 1)])
}

function signedField(number: number, value: number): Uint8Array {
  if (value >= 0) return integerField(number, value)
  const bytes = [number * 8]
  let rest = BigInt.asUintN(64, BigInt(value))
  while (rest > 0x7fn) {
    bytes.push(Number(rest & 0x7fn) + 0x80)
    rest >>= 7n
  }
  bytes.push(Number(rest))
  return Uint8Array.from(bytes)
}

/** A Constant node of int64 values of shape [n]. */
export function constant(name: string, values: readonly number[]): GraphNode {
  const raw = new Uint8Array(BigInt64Array.from(values, BigInt).buffer)
  const tensor = joinBytes([integerField(1, values.length), integerField(2, 7), bytesField(9, raw)])
  const value = joinBytes([bytesField(1, 'value'), bytesField(5, tensor), integerField(20, 4)])
  return node('Constant', [], [name], [value])
}

/** A Constant node of float32 values: a scalar. */
export function floatConstant(name: string, value: number): GraphNode {
  const tensor = joinBytes([integerField(2, 1), bytesField(9, new Uint8Array(new Float32Array([value]).buffer))])
  return node('Constant', [], [name], [joinBytes([bytesField(1, 'value'), bytesField(5, tensor), integerField(20, 4)])])
}

/** AttributeProto of type GRAPH: nodes that read what stands outside by its names, and give `outputs`, serialized ValueInfoProtos. */
export function subgraph(name: string, nodes: readonly GraphNode[], outputs: readonly Uint8Array[]): Uint8Array {
  const graph = joinBytes([
    ...nodes.map((one) => bytesField(1, writeNode(one))),
    bytesField(2, name),
    ...outputs.map((one) => bytesField(12, one)),
  ])
  return joinBytes([bytesField(1, name), bytesField(6, graph), integerField(20, 5)])
}

/** AttributeProto of type STRING. */
export function text(name: string, value: string): Uint8Array {
  return joinBytes([bytesField(1, name), bytesField(4, value), integerField(20, 3)])
}
