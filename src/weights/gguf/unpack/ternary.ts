/** The ternary types TQ1_0 (five values of three in a byte) and TQ2_0 (four of two bits). Source: `gguf.quants` 0.19. */
import { halfTable } from '../../convert/half.ts'
import { word, type Unpack } from './blocks.ts'

const powers = [1, 3, 9, 27, 81] as const

/** Digit `at` of a byte of base-3 digits, 0 to 2; the byte is a fraction of 256, so its product with a power of 3 wraps. */
function digit(byte: number, power: number): number {
  return (((byte * power) & 255) * 3) >> 8
}

export const unpackTQ1_0: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, start = 0; start < out.length; from += 54, start += 256) {
    const d = halves[word(blocks, from + 52)] ?? 0
    let to = start
    // 32 bytes and 16 bytes of five digits, then 4 of four: all first digits of a part, then all second ones.
    for (const [first, count, digits] of [
      [from, 32, 5],
      [from + 32, 16, 5],
      [from + 48, 4, 4],
    ] as const)
      for (const power of powers.slice(0, digits))
        for (let at = 0; at < count; at++) out[to++] = d * (digit(blocks[first + at] ?? 0, power) - 1)
  }
}

export const unpackTQ2_0: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, start = 0; start < out.length; from += 66, start += 256) {
    const d = halves[word(blocks, from + 64)] ?? 0
    for (let part = 0; part < 8; part++)
      for (let at = 0; at < 32; at++)
        // A value of 3 is none of three, and the types' makers never write it; it unpacks to 2 d.
        out[start + part * 32 + at] = d * ((((blocks[from + (part >> 2) * 32 + at] ?? 0) >> (2 * (part & 3))) & 3) - 1)
  }
}
