/** Random weights of a shape: the same numbers for everyone who asks, whatever the file or graph that they go into. */
import { tensorsOf, type CheckpointTensor, type ShapeConfig } from './shapes.ts'

/** Values from which rows are cut, at places that differ from row to row: a thousand million draws would take longer than writing them. */
const poolSize = 2 ** 22

/**
 * A checkpoint that is nowhere: rows are made when they are asked for. Every value has at most 8 significant bits, so that bfloat16 and float16 hold it exactly. Matrices keep a
 * vector's size, those that add to what runs from layer to layer make it smaller by √(2 · layers), so that activations stay near one.
 */
export class MadeWeights {
  readonly tensors: readonly CheckpointTensor[]
  readonly #places = new Map<string, number>()
  readonly #pool: Float32Array
  readonly #layers: number

  constructor(config: ShapeConfig, seed: number) {
    this.tensors = tensorsOf(config)
    this.tensors.forEach(({ name }, place) => this.#places.set(name, place))
    this.#pool = drawPool(seed)
    this.#layers = config.num_hidden_layers
  }

  /** Throws RangeError for a name that the shape hasn't got. */
  tensor(name: string): CheckpointTensor {
    const found = this.tensors[this.#places.get(name) ?? -1]
    if (found === undefined) throw new RangeError(`no tensor ${name}`)
    return found
  }

  /** Rows `from` (in) to `to` (out) of a matrix one behind the other, or these values of a vector. */
  rows(name: string, from: number, to: number): Float32Array<ArrayBuffer> {
    const tensor = this.tensor(name)
    const isVector = tensor.columns === null
    const width = tensor.columns ?? tensor.rows
    const [factor, add] = this.#range(tensor)
    const place = Math.imul((this.#places.get(name) ?? 0) + 1, 0x9e3779b1)
    const out = new Float32Array((isVector ? 1 : to - from) * width)
    for (let row = 0; row * width < out.length; row += 1) {
      const begin = mix(place ^ mix(isVector ? 0 : from + row)) % (poolSize - width)
      for (let i = 0; i < width; i += 1) out[row * width + i] = (this.#pool[begin + i] ?? 0) * factor + add
    }
    return isVector ? out.slice(from, to) : out
  }

  /** What a value between -1 and 1 is multiplied by, a power of two, and what is added. */
  #range({ kind, columns }: CheckpointTensor): readonly [factor: number, add: number] {
    if (kind === 'norm') return [1 / 2, 1]
    if (kind === 'bias') return [1 / 32, 0]
    const width = Math.sqrt(3 / (columns ?? 1)) / (kind === 'output' ? Math.sqrt(2 * this.#layers) : 1)
    return [2 ** Math.round(Math.log2(width)), 0]
  }
}

/** Odd multiples of 1/64 between -1 and 1: half of one and 1 added still has 8 bits. */
function drawPool(seed: number): Float32Array {
  let state = seed >>> 0
  return Float32Array.from({ length: poolSize }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return ((state >>> 26) - 31.5) / 32
  })
}

/** Spreads an integer over 32 bits. Source: the finaliser of MurmurHash3. */
function mix(value: number): number {
  let mixed = value | 0
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
