/** Weights of the made graphs: a checkpoint's rows as each dtype has them. */
import { integer } from '../../../../src/onnx/nodes.ts'
import { quantizeRows } from '../../../../src/weights/convert/matmul-nbits.ts'
import { transposeInto } from '../../../../src/weights/convert/transpose.ts'
import { floatBytes, microsoft, type GraphFile } from './graph-file.ts'
import type { MadeWeights } from './made-weights.ts'

export const madeDtypes = ['fp32', 'fp16', 'q4', 'q4f16'] as const
export type MadeDtype = (typeof madeDtypes)[number]

/** What a made graph computes with, and whether its products have blocks of 4 bits. */
export interface GraphNumbers {
  readonly float: 'float32' | 'float16'
  readonly isPacked: boolean
}

export const graphNumbers: { readonly [dtype in MadeDtype]: GraphNumbers } = {
  fp32: { float: 'float32', isPacked: false },
  fp16: { float: 'float16', isPacked: false },
  q4: { float: 'float32', isPacked: true },
  q4f16: { float: 'float16', isPacked: true },
}

/** The graph's file, as transformers.js names it. */
export function graphFileOf(dtype: string): string {
  return dtype === 'fp32' ? 'model.onnx' : `model_${dtype}.onnx`
}

/** Values of a row that share a scale. */
const blockSize = 32
/** Values that are in memory at once, unless a matrix has to be turned. */
const chunkValues = 2 ** 22

/** Writes weights of a graph; each is asked for once. */
export class GraphWeights {
  readonly #file: GraphFile
  readonly #made: MadeWeights
  readonly #numbers: GraphNumbers

  constructor(file: GraphFile, made: MadeWeights, numbers: GraphNumbers) {
    this.#file = file
    this.#made = made
    this.#numbers = numbers
  }

  /** A vector, or a matrix as the checkpoint has it, [rows, columns]. */
  plain(name: string): string {
    const { rows, columns } = this.#made.tensor(name)
    const { float } = this.#numbers
    return this.#file.weight(name, float, columns === null ? [rows] : [rows, columns], () =>
      this.#chunks([name], (values) => floatBytes(values, float)),
    )
  }

  /** Vectors one behind the other, as one. */
  joined(names: readonly string[], name: string): string {
    const { float } = this.#numbers
    return this.#file.weight(name, float, [this.#count(names)], () => this.#chunks(names, (values) => floatBytes(values, float)))
  }

  /** x Wᵀ of `x` [batch, S, columns], W the matrices of `names` below each other: by MatMul with its transpose, or by MatMulNBits. */
  project(x: string, names: readonly string[], name: string, output?: string): string {
    const { columns } = this.#made.tensor(names[0] ?? '')
    const inputs = columns ?? 1
    const outputs = this.#count(names)
    const { float, isPacked } = this.#numbers
    if (!isPacked) {
      const turned = this.#file.weight(name, float, [inputs, outputs], () => this.#turned(names, inputs, outputs))
      return this.#file.add('MatMul', [x, turned], [], '', output)
    }
    const count = Math.ceil(inputs / blockSize)
    const quantised = (values: Float32Array<ArrayBuffer>) =>
      quantizeRows(values, inputs, { bits: 4, isSymmetric: true, scaleType: float }, name)
    const blocks = this.#file.weight(`${name}_Q4`, 'uint8', [outputs, count, blockSize / 2], () =>
      this.#chunks(names, (values) => quantised(values).packed),
    )
    const scales = this.#file.weight(`${name}_scales`, float, [outputs * count], () =>
      this.#chunks(names, (values) => floatBytes(Float32Array.from(quantised(values).scales), float)),
    )
    const sizes = { K: inputs, N: outputs, accuracy_level: 4, bits: 4, block_size: blockSize }
    const attributes = Object.entries(sizes).map(([key, value]) => integer(key, value))
    return this.#file.add('MatMulNBits', [x, blocks, scales], attributes, microsoft, output)
  }

  #count(names: readonly string[]): number {
    return names.reduce((sum, name) => sum + this.#made.tensor(name).rows, 0)
  }

  *#chunks(names: readonly string[], make: (values: Float32Array<ArrayBuffer>) => Uint8Array): Generator<Uint8Array> {
    for (const name of names) {
      const { rows, columns } = this.#made.tensor(name)
      const step = Math.max(1, Math.floor(chunkValues / (columns ?? 1)))
      for (let row = 0; row < rows; row += step) yield make(this.#made.rows(name, row, Math.min(rows, row + step)))
    }
  }

  *#turned(names: readonly string[], inputs: number, outputs: number): Generator<Uint8Array> {
    const whole = new Float32Array(inputs * outputs)
    let at = 0
    for (const name of names) {
      const { rows } = this.#made.tensor(name)
      transposeInto(this.#made.rows(name, 0, rows), inputs, whole, { outColumns: outputs, firstColumn: at })
      at += rows
    }
    yield floatBytes(whole, this.#numbers.float)
  }
}
