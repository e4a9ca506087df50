/** How each weight of a graph is made of a checkpoint's tensors, and where in the graph's file of weights it lies: plain data, whatever reads the checkpoint. */
import type { Rope, Weight } from './architecture.ts'

/** Element types of weights. */
export type WeightType = 'float32' | HalfType | 'uint8'

/** Of 16 bits. */
export type HalfType = 'float16' | 'bfloat16'

/** How the bytes of an initializer come to be. */
export type Make =
  /** The source's values row by row, each plus `add`; column by column where it `isTurned`. */
  | { readonly kind: 'values'; readonly source: Weight; readonly add: 0 | 1; readonly isTurned?: boolean }
  /**
   * The source in blocks of `block` values of a row, the last one filled up with zeros: value = (q − 2^(bits − 1)) · scale. `blocks`: q, for each row and block block · bits / 8 bytes, the
   * even value in a byte's low half where `bits` is 4. `scales`: one for each row and block. Source: com.microsoft.MatMulNBits of ONNX Runtime 1.30, without zero points.
   * `isStored`: the checkpoint has these blocks, in another order (GGUF's Q4_0 and Q8_0), and nothing is rounded.
   */
  | {
      readonly kind: 'quantised'
      readonly part: 'blocks' | 'scales'
      readonly bits: 4 | 8
      readonly block: number
      readonly isStored: boolean
      readonly source: Weight
    }
  /** `rotaryTable` of rope.ts for as many positions as the first dimension says. */
  | { readonly kind: 'rotary'; readonly part: 'cos' | 'sin'; readonly rope: Rope }

/** A weight of a graph: its name there, what it is made of, and its place in the file. */
export interface Initializer {
  readonly name: string
  /** The checkpoint's tensor that it is made of, the first where there are several; empty where it is computed. */
  readonly tensor: string
  readonly make: Make
  readonly dtype: WeightType
  readonly shape: readonly number[]
  readonly location: string
  /** In bytes, a multiple of 64. */
  readonly offset: number
  readonly bytes: number
}

/** Bytes of one value. */
export const typeBytes: { readonly [type in WeightType]: number } = { float32: 4, float16: 2, bfloat16: 2, uint8: 1 }
