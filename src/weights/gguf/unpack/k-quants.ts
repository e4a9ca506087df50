/** The K types: 256 values in parts of 16 or 32, whose scales are whole numbers times the block's. Source: `gguf.quants` 0.19. */
import { halfTable } from '../../convert/half.ts'
import { word, type Unpack } from './blocks.ts'

export const unpackQ2_K: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, to = 0; to < out.length; from += 84, to += 256) {
    const d = halves[word(blocks, from + 80)] ?? 0
    const dMin = halves[word(blocks, from + 82)] ?? 0
    for (let part = 0; part < 16; part++) {
      const scales = blocks[from + part] ?? 0
      const scale = d * (scales & 15)
      const low = dMin * (scales >> 4)
      const start = from + 16 + (part >> 3) * 32 + (part & 1) * 16
      const shift = part & 6
      for (let at = 0; at < 16; at++) out[to + part * 16 + at] = scale * (((blocks[start + at] ?? 0) >> shift) & 3) - low
    }
  }
}

export const unpackQ3_K: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, to = 0; to < out.length; from += 110, to += 256) {
    const d = halves[word(blocks, from + 108)] ?? 0
    const scales = from + 96
    for (let part = 0; part < 16; part++) {
      const low = (blocks[scales + (part & 7)] ?? 0) >> (4 * (part >> 3))
      const high = (blocks[scales + 8 + (part & 3)] ?? 0) >> (2 * (part >> 2))
      const scale = d * (((low & 15) | ((high & 3) << 4)) - 32)
      const mask = from + (part & 1) * 16
      const start = from + 32 + (part >> 3) * 32 + (part & 1) * 16
      for (let at = 0; at < 16; at++) {
        const q = ((blocks[start + at] ?? 0) >> (part & 6)) & 3
        // 4 less where the mask's bit is not set.
        const third = ((blocks[mask + at] ?? 0) >> (part >> 1)) & 1
        out[to + part * 16 + at] = scale * (q - 4 + 4 * third)
      }
    }
  }
}

/** Six bits each of scale and lowest value of part `part` of eight, out of 12 bytes. */
function scaleOf(blocks: Uint8Array, at: number, part: number): number {
  if (part < 4) return (blocks[at + part] ?? 0) & 63
  return ((blocks[at + 4 + part] ?? 0) & 15) | (((blocks[at + part - 4] ?? 0) >> 2) & 0x30)
}

function lowOf(blocks: Uint8Array, at: number, part: number): number {
  if (part < 4) return (blocks[at + 4 + part] ?? 0) & 63
  return ((blocks[at + 4 + part] ?? 0) >> 4) | (((blocks[at + part] ?? 0) >> 2) & 0x30)
}

export const unpackQ4_K: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, to = 0; to < out.length; from += 144, to += 256) {
    const d = halves[word(blocks, from)] ?? 0
    const dMin = halves[word(blocks, from + 2)] ?? 0
    for (let part = 0; part < 8; part++) {
      const scale = d * scaleOf(blocks, from + 4, part)
      const low = dMin * lowOf(blocks, from + 4, part)
      const start = from + 16 + (part >> 1) * 32
      const shift = 4 * (part & 1)
      for (let at = 0; at < 32; at++) out[to + part * 32 + at] = scale * (((blocks[start + at] ?? 0) >> shift) & 15) - low
    }
  }
}

export const unpackQ5_K: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, to = 0; to < out.length; from += 176, to += 256) {
    const d = halves[word(blocks, from)] ?? 0
    const dMin = halves[word(blocks, from + 2)] ?? 0
    for (let part = 0; part < 8; part++) {
      const scale = d * scaleOf(blocks, from + 4, part)
      const low = dMin * lowOf(blocks, from + 4, part)
      const start = from + 48 + (part >> 1) * 32
      const shift = 4 * (part & 1)
      for (let at = 0; at < 32; at++) {
        const fifth = ((blocks[from + 16 + at] ?? 0) >> part) & 1
        out[to + part * 32 + at] = scale * ((((blocks[start + at] ?? 0) >> shift) & 15) | (fifth << 4)) - low
      }
    }
  }
}

export const unpackQ6_K: Unpack = (blocks, out) => {
  const halves = halfTable()
  for (let from = 0, to = 0; to < out.length; from += 210, to += 256) {
    const d = halves[word(blocks, from + 208)] ?? 0
    for (let part = 0; part < 16; part++) {
      const scale = d * (((blocks[from + 192 + part] ?? 0) << 24) >> 24)
      const half = part >> 3
      const low = from + half * 64 + (part & 3) * 16
      const high = from + 128 + half * 32 + (part & 1) * 16
      for (let at = 0; at < 16; at++) {
        const q = (((blocks[low + at] ?? 0) >> (part & 4)) & 15) | ((((blocks[high + at] ?? 0) >> (part & 6)) & 3) << 4)
        out[to + part * 16 + at] = scale * (q - 32)
      }
    }
  }
}
