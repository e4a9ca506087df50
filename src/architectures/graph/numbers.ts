/** What numbers a graph computes with and how its weights are stored, by dtype. */
import type { Weight } from '../architecture.ts'
import type { HalfType } from '../weight-plan.ts'

export type GraphDtype = 'fp32' | 'fp16' | 'q8' | 'q4' | 'q4f16'

/** How a matrix is stored. */
export type Storage = 'float32' | 'float16' | 'q8' | 'q4'

export interface Numbers {
  /** Of products and of keys and values. What runs from layer to layer, norms and softmax are float32 whatever it is: there 16 bits overflow. */
  readonly activation: 'float32' | 'float16'
  /** Of projections and the head. */
  readonly projection: Storage
  /** Of an embedding of tokens that is no head too: 8 bits where weights are quantised, since not every GPU reads 16, and 32 take as much as the rest of a small model. */
  readonly embedding: Storage
}

/** The numbers of each dtype. */
export const numbersOf: { readonly [dtype in GraphDtype]: Numbers } = {
  fp32: { activation: 'float32', projection: 'float32', embedding: 'float32' },
  fp16: { activation: 'float16', projection: 'float16', embedding: 'float16' },
  q8: { activation: 'float32', projection: 'q8', embedding: 'q8' },
  q4: { activation: 'float32', projection: 'q4', embedding: 'q8' },
  q4f16: { activation: 'float16', projection: 'q4', embedding: 'q8' },
}

/** Bits of the blocks in which a checkpoint has a tensor already, and in which it is to go into the graph; null for tensors of other numbers. */
export type BlocksOf = (tensor: string) => 4 | 8 | null

/** The 16 bits in which a checkpoint has a tensor; null for tensors of other numbers. */
export type HalfOf = (tensor: string) => HalfType | null

/** How a matrix is stored: in its checkpoint's own blocks where it has some, else as `otherwise` says. */
export function storageOf(blocksOf: BlocksOf | null, { pieces: [piece] }: Weight, otherwise: Storage): Storage {
  const bits = piece === undefined || blocksOf === null ? null : blocksOf(piece.tensor)
  return bits === null ? otherwise : bits === 4 ? 'q4' : 'q8'
}

/** Values of a row that share a scale. */
export const blockSize = 32

/** Bits of a value, null where it isn't quantised. */
export function bitsOf(storage: Storage): 4 | 8 | null {
  return storage === 'q4' ? 4 : storage === 'q8' ? 8 : null
}
