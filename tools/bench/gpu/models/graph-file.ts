/** An ONNX graph as it is put together, with its weights in files beside it that are written piece by piece. */
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { externalTensor } from '../../../../src/onnx/external-tensor.ts'
import { writeNode, type GraphNode } from '../../../../src/onnx/model-graph.ts'
import { node } from '../../../../src/onnx/nodes.ts'
import { elementTypes } from '../../../../src/onnx/ports.ts'
import { bytesField, fieldHead, integerField, joinBytes } from '../../../../src/onnx/wire.ts'
import { packHalves } from '../../../../src/weights/convert/half.ts'

/** The domain of ONNX Runtime's own operators. */
export const microsoft = 'com.microsoft'

type ElementType = keyof typeof elementTypes

/** Bytes of one value of a weight. */
const sizes: { readonly [type in ElementType]?: number } = { float32: 4, float16: 2, uint8: 1 }

/** Exporters split there. */
const mostFileBytes = 2_000_000_000

const alignment = 64

interface WeightFile {
  readonly name: string
  readonly chunks: (() => Iterable<Uint8Array>)[]
  bytes: number
}

export class GraphFile {
  readonly #name: string
  readonly #opset: number
  readonly #mostFileBytes: number
  readonly #nodes: GraphNode[] = []
  readonly #weights: Uint8Array[] = []
  readonly #constants = new Map<string, string>()
  readonly #files: WeightFile[] = []
  #count = 0

  /** `name`: of the file, such as `model_q4.onnx`. Weights go on in another file before one has more than `fileBytes`. */
  constructor(name: string, opset: number, fileBytes = mostFileBytes) {
    this.#name = name
    this.#opset = opset
    this.#mostFileBytes = fileBytes
  }

  /** Adds a node of one output, and gives its name: one of its own, or `output`. */
  add(type: string, inputs: readonly string[], attributes: readonly Uint8Array[] = [], domain = '', output = this.fresh(type)): string {
    this.#nodes.push(node(type, inputs, [output], attributes, domain))
    return output
  }

  /** Adds a node of several outputs that have names. */
  addNamed(type: string, inputs: readonly string[], outputs: readonly string[], attributes: readonly Uint8Array[], domain = ''): void {
    this.#nodes.push(node(type, inputs, outputs, attributes, domain))
  }

  fresh(type: string): string {
    this.#count += 1
    return `${type}_${this.#count}`
  }

  /** int64 values of shape [n]. */
  integers(...values: readonly number[]): string {
    return this.#constant(`i${values.join()}`, 'int64', [values.length], new Uint8Array(BigInt64Array.from(values, BigInt).buffer))
  }

  /** An int64 scalar. */
  integer(value: number): string {
    return this.#constant(`s${value}`, 'int64', [], new Uint8Array(BigInt64Array.of(BigInt(value)).buffer))
  }

  /** A scalar of a float type. */
  real(value: number, type: 'float32' | 'float16'): string {
    return this.#constant(`${type}${value}`, type, [], floatBytes(Float32Array.of(value), type))
  }

  /** float32 values of shape `dims`. */
  table(name: string, values: Float32Array<ArrayBuffer>, dims: readonly number[]): string {
    return this.#constant(name, 'float32', dims, floatBytes(values, 'float32'))
  }

  /** A weight in a file beside the graph; `chunks` gives its bytes one piece after the other, when they are written. */
  weight(name: string, type: ElementType, dims: readonly number[], chunks: () => Iterable<Uint8Array>): string {
    const bytes = dims.reduce((product, dim) => product * dim, sizes[type] ?? 0)
    let file = this.#files.at(-1)
    if (file === undefined || (file.bytes > 0 && alignedEnd(file) + bytes > this.#mostFileBytes)) {
      const part = this.#files.length === 0 ? '' : `_${this.#files.length}`
      file = { name: `${this.#name}_data${part}`, chunks: [], bytes: 0 }
      this.#files.push(file)
    }
    const padding = alignedEnd(file) - file.bytes
    if (padding > 0) file.chunks.push(() => [new Uint8Array(padding)])
    this.#weights.push(externalTensor(name, elementTypes[type], dims, { location: file.name, offset: file.bytes + padding, bytes }))
    file.chunks.push(chunks)
    file.bytes += padding + bytes
    return name
  }

  /** Writes graph and weights into `folder`; gives the names of the files of weights. Throws where a weight's pieces aren't as long as its shape says. */
  write(folder: string, inputs: readonly Uint8Array[], outputs: readonly Uint8Array[]): readonly string[] {
    writeFileSync(join(folder, this.#name), this.#model(inputs, outputs))
    for (const { name, chunks, bytes } of this.#files) {
      const file = openSync(join(folder, name), 'w')
      let written = 0
      try {
        for (const make of chunks)
          for (const piece of make()) {
            writeSync(file, piece)
            written += piece.length
          }
      } finally {
        closeSync(file)
      }
      if (written !== bytes) throw new Error(`wanted ${bytes} bytes of weights in ${name}, found ${written}`)
    }
    return this.#files.map(({ name }) => name)
  }

  #model(inputs: readonly Uint8Array[], outputs: readonly Uint8Array[]): Uint8Array {
    const graph = joinBytes([
      ...this.#nodes.map((one) => bytesField(1, writeNode(one))),
      bytesField(2, 'main_graph'),
      ...this.#weights.map((one) => bytesField(5, one)),
      ...inputs.map((one) => bytesField(11, one)),
      ...outputs.map((one) => bytesField(12, one)),
    ])
    const operators = (domain: string, version: number): Uint8Array =>
      bytesField(8, joinBytes([bytesField(1, domain), integerField(2, version)]))
    return joinBytes([
      integerField(1, this.#opset >= 21 ? 10 : 8),
      bytesField(2, 'yardstick-bench'),
      fieldHead(7, graph.length),
      graph,
      operators('', this.#opset),
      operators(microsoft, 1),
    ])
  }

  /** A Constant node, once for each key. */
  #constant(key: string, type: ElementType, dims: readonly number[], bytes: Uint8Array): string {
    const known = this.#constants.get(key)
    if (known !== undefined) return known
    const name = this.fresh('Constant')
    const tensor = joinBytes([...dims.map((dim) => integerField(1, dim)), integerField(2, elementTypes[type]), bytesField(9, bytes)])
    this.#nodes.push(node('Constant', [], [name], [joinBytes([bytesField(1, 'value'), bytesField(5, tensor), integerField(20, 4)])]))
    this.#constants.set(key, name)
    return name
  }
}

/** Where the next weight may begin. Bytes go beyond what bit operations hold. */
function alignedEnd({ bytes }: WeightFile): number {
  return Math.ceil(bytes / alignment) * alignment
}

/** Values as they stand in a file. */
export function floatBytes(values: Float32Array<ArrayBuffer>, type: 'float32' | 'float16'): Uint8Array<ArrayBuffer> {
  if (type === 'float32') return new Uint8Array(values.buffer, values.byteOffset, values.byteLength)
  const halves = new Uint16Array(values.length)
  packHalves(values, halves)
  return new Uint8Array(halves.buffer)
}
