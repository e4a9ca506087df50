import { externalTensor } from '../../onnx/external-tensor.ts'
import { writeNode, type GraphNode } from '../../onnx/model-graph.ts'
import { constant, floatConstant, integer, node, subgraph } from '../../onnx/nodes.ts'
import { elementTypes, port } from '../../onnx/ports.ts'
import { bytesField, fieldHead, integerField, joinBytes } from '../../onnx/wire.ts'
import { typeBytes, type Initializer, type Make, type WeightType } from '../weight-plan.ts'

/** The domain of ONNX Runtime's own operators. */
export const microsoft = 'com.microsoft'

/** The standard operator set that graphs are written in. */
export const opset = 21

const alignment = 64

/** Collects a graph's nodes and weights. Nodes are named after their first output; weights stand in the file in the order in which they were first asked for. */
export class GraphBuilder {
  readonly initializers: Initializer[] = []
  readonly #nodes: GraphNode[] = []
  /** Where nodes are added: the graph, or a branch of a choice. */
  #open = this.#nodes
  readonly #constants = new Map<string, string>()
  readonly #weights = new Map<string, string>()
  readonly #aliases: Uint8Array[] = []
  readonly #unarranged: Uint8Array[] = []
  readonly #location: string
  #scope = ''
  #count = 0
  #end = 0

  constructor(location: string) {
    this.#location = location
  }

  /** Names of what is added next begin with it. */
  enter(scope: string): void {
    this.#scope = scope
    this.#count = 0
  }

  /** Adds a node of one output, and gives its name: one of its own, or `output`. */
  add(type: string, inputs: readonly string[], attributes: readonly Uint8Array[] = [], domain = '', output = this.#name(type)): string {
    this.#open.push(node(type, inputs, [output], attributes, domain))
    return output
  }

  /** Adds a node of an output that it names itself, and more behind it that are `named`; gives the first. */
  addNamed(type: string, inputs: readonly string[], named: readonly string[], attributes: readonly Uint8Array[], domain: string): string {
    const output = this.#name(type)
    this.#open.push(node(type, inputs, [output, ...named], attributes, domain))
    return output
  }

  /** Adds a node of several outputs, and gives their names. */
  addMany(type: string, inputs: readonly string[], count: number, attributes: readonly Uint8Array[] = [], domain = ''): string[] {
    const outputs = Array.from({ length: count }, () => this.#name(type))
    this.#open.push(node(type, inputs, outputs, attributes, domain))
    return outputs
  }

  addAll(nodes: readonly GraphNode[]): void {
    for (const one of nodes) this.#open.push(one)
  }

  /** What one of two branches gives, of one element type and shape, as the bool `condition` (1) says. Both may read all that was added before. */
  choose(
    condition: string,
    then: () => string,
    otherwise: () => string,
    type: keyof typeof elementTypes,
    dims: readonly (number | string)[],
  ): string {
    const outer = this.#open
    const branchOf = (name: string, make: () => string): Uint8Array => {
      const nodes: GraphNode[] = []
      this.#open = nodes
      const output = make()
      this.#open = outer
      return subgraph(name, nodes, [port(output, elementTypes[type], dims)])
    }
    return this.add('If', [condition], [branchOf('then_branch', then), branchOf('else_branch', otherwise)])
  }

  /** int64 values of shape [n]. */
  integers(...values: readonly number[]): string {
    return this.#once(`i${values.join()}`, (name) => constant(name, values))
  }

  /** A float32 scalar. */
  float(value: number): string {
    return this.#once(`f${value}`, (name) => floatConstant(name, value))
  }

  cast(input: string, type: keyof typeof elementTypes): string {
    return this.add('Cast', [input], [integer('to', elementTypes[type])])
  }

  reshape(input: string, ...dims: readonly number[]): string {
    return this.add('Reshape', [input, this.integers(...dims)])
  }

  /** A weight of the file; the same `name` is the same weight. */
  weight(name: string, make: Make, dtype: WeightType, shape: readonly number[]): string {
    const known = this.#weights.get(name)
    if (known !== undefined) return known
    const offset = Math.ceil(this.#end / alignment) * alignment
    const bytes = shape.reduce((product, dim) => product * dim, typeBytes[dtype])
    this.#end = offset + bytes
    const tensor = make.kind === 'rotary' ? '' : (make.source.pieces[0]?.tensor ?? '')
    this.initializers.push({ name, tensor, make, dtype, shape, location: this.#location, offset, bytes })
    this.#weights.set(name, name)
    return name
  }

  /**
   * A weight that ONNX Runtime leaves as it is: since it is listed among the graph's inputs too, a caller could replace it, so it isn't arranged for its product, which would
   * be a second copy.
   */
  unarranged(name: string, make: Make, dtype: WeightType, shape: readonly number[]): string {
    if (!this.#weights.has(name)) this.#unarranged.push(port(name, elementTypes[dtype], shape))
    return this.weight(name, make, dtype, shape)
  }

  /** The bytes of a weight once more, under another name and shape. */
  again(weight: string, name: string, shape: readonly number[]): string {
    const source = this.initializers.find((one) => one.name === weight)
    if (source !== undefined && !this.#weights.has(name)) {
      this.#aliases.push(externalTensor(name, elementTypes[source.dtype], shape, source))
      this.#weights.set(name, name)
    }
    return name
  }

  /** Bytes of the file of weights. */
  get bytes(): number {
    return this.#end
  }

  /** The ModelProto. Source: onnx/onnx.proto of ONNX 1.19 (field numbers). */
  write(inputs: readonly Uint8Array[], outputs: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
    const weights = this.initializers.map((one) => externalTensor(one.name, elementTypes[one.dtype], one.shape, one))
    const graph = joinBytes([
      ...this.#nodes.map((one) => bytesField(1, writeNode(one))),
      bytesField(2, 'yardstick'),
      ...[...weights, ...this.#aliases].map((one) => bytesField(5, one)),
      ...[...inputs, ...this.#unarranged].map((one) => bytesField(11, one)),
      ...outputs.map((one) => bytesField(12, one)),
    ])
    const operators = (domain: string, version: number): Uint8Array =>
      bytesField(8, joinBytes([bytesField(1, domain), integerField(2, version)]))
    // IR version 10 is the one of ONNX 1.16, which operator set 21 came with.
    return joinBytes([
      integerField(1, 10),
      bytesField(2, 'yardstick'),
      fieldHead(7, graph.length),
      graph,
      operators('', opset),
      operators(microsoft, 1),
    ])
  }

  #once(key: string, make: (name: string) => GraphNode): string {
    const known = this.#constants.get(key)
    if (known !== undefined) return known
    const name = `constant_${this.#constants.size}`
    this.#nodes.push(make(name))
    this.#constants.set(key, name)
    return name
  }

  #name(type: string): string {
    this.#count += 1
    return `${this.#scope}.${type}_${this.#count}`
  }
}
