/** What unpacking has in common: a function from blocks to float32 values, and a reader of their words. */

/**
 * Unpacks whole blocks that lie one behind the other; `out` has room for exactly their values. Numpy's float32 arithmetic in `gguf.quants` rounds once a value, where a lowest value is added or taken away,
 * or where MXFP4 overflows: scales have 11 bits, what they are multiplied by at most 13 together. All of it is exact in a double, so storing a float32 is that one rounding.
 */
export type Unpack = (blocks: Uint8Array, out: Float32Array) => void

/** 16 bits, little endian. */
export function word(bytes: Uint8Array, at: number): number {
  return (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8)
}
