/** Blocks of 32 values with one scale, and in some a lowest value: Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, IQ4_NL. Source: `gguf.quants` 0.19. */
import { halfTable } from '../../convert/half.ts'
import { word, type Unpack } from './blocks.ts'

/** Low halves of 16 bytes are values 0 to 15, high halves 16 to 31, in all types of this file but Q8_0. */
export const unpackQ4_0: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, to = 0; to < out.length; from += 18, to += 32) {
    const d = halves[word(blocks, from)] ?? 0
    for (let at = 0; at < 16; at++) {
      const byte = blocks[from + 2 + at] ?? 0
      out[to + at] = d * ((byte & 15) - 8)
      out[to + 16 + at] = d * ((byte >> 4) - 8)
    }
  }
}

export const unpackQ4_1: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, to = 0; to < out.length; from += 20, to += 32) {
    const d = halves[word(blocks, from)] ?? 0
    const low = halves[word(blocks, from + 2)] ?? 0
    for (let at = 0; at < 16; at++) {
      const byte = blocks[from + 4 + at] ?? 0
      out[to + at] = d * (byte & 15) + low
      out[to + 16 + at] = d * (byte >> 4) + low
    }
  }
}

export const unpackQ5_0: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, to = 0; to < out.length; from += 22, to += 32) {
    const d = halves[word(blocks, from)] ?? 0
    const fifth = word(blocks, from + 2) | (word(blocks, from + 4) << 16)
    for (let at = 0; at < 16; at++) {
      const byte = blocks[from + 6 + at] ?? 0
      out[to + at] = d * (((byte & 15) | (((fifth >> at) & 1) << 4)) - 16)
      out[to + 16 + at] = d * (((byte >> 4) | (((fifth >> (at + 16)) & 1) << 4)) - 16)
    }
  }
}

export const unpackQ5_1: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, to = 0; to < out.length; from += 24, to += 32) {
    const d = halves[word(blocks, from)] ?? 0
    const low = halves[word(blocks, from + 2)] ?? 0
    const fifth = word(blocks, from + 4) | (word(blocks, from + 6) << 16)
    for (let at = 0; at < 16; at++) {
      const byte = blocks[from + 8 + at] ?? 0
      out[to + at] = d * ((byte & 15) | (((fifth >> at) & 1) << 4)) + low
      out[to + 16 + at] = d * ((byte >> 4) | (((fifth >> (at + 16)) & 1) << 4)) + low
    }
  }
}

export const unpackQ8_0: Unpack = (blocks, out) => {
  const halves = halfTable()
  const values = new Int8Array(blocks.buffer, blocks.byteOffset, blocks.length)
  for (let from = 0, to = 0; to < out.length; from += 34, to += 32) {
    const d = halves[word(blocks, from)] ?? 0
    for (let at = 0; at < 32; at++) out[to + at] = d * (values[from + 2 + at] ?? 0)
  }
}

/** The sixteen values of IQ4_NL and IQ4_XS. */
const nonLinear = Float32Array.of(-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113)

export const unpackIQ4_NL: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, to = 0; to < out.length; from += 18, to += 32) {
    const d = halves[word(blocks, from)] ?? 0
    for (let at = 0; at < 16; at++) {
      const byte = blocks[from + 2 + at] ?? 0
      out[to + at] = d * (nonLinear[byte & 15] ?? 0)
      out[to + 16 + at] = d * (nonLinear[byte >> 4] ?? 0)
    }
  }
}

/** Eight parts of 32 values in the layout of IQ4_NL, each with six bits of scale: four in `low`, two in `high`. */
export const unpackIQ4_XS: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, to = 0; to < out.length; from += 136, to += 256) {
    const d = halves[word(blocks, from)] ?? 0
    const high = word(blocks, from + 2)
    for (let part = 0; part < 8; part++) {
      const low = (blocks[from + 4 + (part >> 1)] ?? 0) >> (4 * (part & 1))
      const scale = d * (((low & 15) | (((high >> (2 * part)) & 3) << 4)) - 32)
      for (let at = 0; at < 16; at++) {
        const byte = blocks[from + 8 + part * 16 + at] ?? 0
        out[to + part * 32 + at] = scale * (nonLinear[byte & 15] ?? 0)
        out[to + part * 32 + 16 + at] = scale * (nonLinear[byte >> 4] ?? 0)
      }
    }
  }
}
