/** Blocks of GGUF's Q4_0 and Q8_0 as MatMulNBits takes them, without unpacking: the same values bit for bit, at most in another order. */
import { halfTable } from './half.ts'
import type { NBitsRows } from './matmul-nbits.ts'

/** Types of GGUF whose blocks are blocks of MatMulNBits: 32 values, one scale, a zero point in the middle. */
export type RepackableType = 'Q4_0' | 'Q8_0'

export function isRepackable(dtype: string): dtype is RepackableType {
  return dtype === 'Q4_0' || dtype === 'Q8_0'
}

/**
 * Blocks of a chunk of rows: 18 bytes each in Q4_0 (scale d as float16, then 16 bytes of which the low halves are values 0 to 15 and the high halves 16 to 31; d × (q - 8)), 34 in Q8_0
 * (d, then 32 int8; d × q). MatMulNBits has neighbours in one byte, and counts from 0. Each d is a float32, so nothing is rounded.
 */
export function repackBlocks(type: RepackableType, bytes: Uint8Array): NBitsRows {
  return type === 'Q4_0' ? repackQ4(bytes) : repackQ8(bytes)
}

function repackQ4(bytes: Uint8Array): NBitsRows {
  const table = halfTable()
  const blocks = bytes.length / 18
  const packed = new Uint8Array(blocks * 16)
  const scales = new Float32Array(blocks)
  for (let block = 0; block < blocks; block++) {
    const from = block * 18 + 2
    scales[block] = table[(bytes[from - 2] ?? 0) | ((bytes[from - 1] ?? 0) << 8)] ?? 0
    const to = block * 16
    for (let pair = 0; pair < 8; pair++) {
      const first = bytes[from + 2 * pair] ?? 0
      const second = bytes[from + 2 * pair + 1] ?? 0
      packed[to + pair] = (first & 15) | ((second & 15) << 4)
      packed[to + 8 + pair] = (first >> 4) | (second & 0xf0)
    }
  }
  return { bits: 4, packed, scales, zeroPoints: null }
}

function repackQ8(bytes: Uint8Array): NBitsRows {
  const table = halfTable()
  const blocks = bytes.length / 34
  const packed = new Uint8Array(blocks * 32)
  const scales = new Float32Array(blocks)
  for (let block = 0; block < blocks; block++) {
    const from = block * 34 + 2
    scales[block] = table[(bytes[from - 2] ?? 0) | ((bytes[from - 1] ?? 0) << 8)] ?? 0
    // From two's complement to a zero point of 128: only the sign's bit changes.
    const to = block * 32
    for (let at = 0; at < 32; at++) packed[to + at] = (bytes[from + at] ?? 0) ^ 0x80
  }
  return { bits: 8, packed, scales, zeroPoints: null }
}
