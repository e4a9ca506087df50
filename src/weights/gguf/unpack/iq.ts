/** The IQ types of one to three bits: 256 values that are looked up in grids of 4 or 8 values at once. Source: `gguf.quants` 0.19. */
import { halfTable } from '../../convert/half.ts'
import { word, type Unpack } from './blocks.ts'
import { unpackGrid, unpackSigns } from './grids.ts'

/** Eight values of a grid from place `entry`, times a scale, with their signs. `out[to]` is the first. */
function putSigned(out: Float32Array, to: number, grid: Float32Array, entry: number, scale: number, signs: number): void {
  for (let at = 0; at < 8; at++) {
    const value = scale * (grid[entry + at] ?? 0)
    out[to + at] = (signs >> at) & 1 ? -value : value
  }
}

/** The same of two entries of four. */
function putPair(
  out: Float32Array,
  to: number,
  grid: Float32Array,
  entries: readonly [number, number],
  scale: number,
  signs: number,
): void {
  for (let at = 0; at < 8; at++) {
    const value = scale * (grid[entries[at >> 2 === 0 ? 0 : 1] * 4 + (at & 3)] ?? 0)
    out[to + at] = (signs >> at) & 1 ? -value : value
  }
}

export function makeIQ2_XXS(): Unpack {
  const [halves, grid, signsOf] = [halfTable(), unpackGrid('iq2xxs'), unpackSigns()]
  return (blocks, out) => {
    for (let from = 0, to = 0; to < out.length; from += 66, to += 256) {
      const d = halves[word(blocks, from)] ?? 0
      for (let part = 0; part < 8; part++) {
        const at = from + 2 + part * 8
        const bits = word(blocks, at + 4) | (word(blocks, at + 6) << 16)
        const scale = d * (0.5 + (bits >>> 28)) * 0.25
        for (let group = 0; group < 4; group++)
          putSigned(out, to + part * 32 + group * 8, grid, (blocks[at + group] ?? 0) * 8, scale, signsOf[(bits >> (7 * group)) & 127] ?? 0)
      }
    }
  }
}

export function makeIQ2_XS(): Unpack {
  const [halves, grid, signsOf] = [halfTable(), unpackGrid('iq2xs'), unpackSigns()]
  return (blocks, out) => {
    for (let from = 0, to = 0; to < out.length; from += 74, to += 256) {
      const d = halves[word(blocks, from)] ?? 0
      for (let group = 0; group < 32; group++) {
        const q = word(blocks, from + 2 + 2 * group)
        const scale = d * (0.5 + nibble(blocks, from + 66, group >> 1)) * 0.25
        putSigned(out, to + group * 8, grid, (q & 511) * 8, scale, signsOf[q >> 9] ?? 0)
      }
    }
  }
}

export function makeIQ2_S(): Unpack {
  const [halves, grid] = [halfTable(), unpackGrid('iq2s')]
  return (blocks, out) => {
    for (let from = 0, to = 0; to < out.length; from += 82, to += 256) {
      const d = halves[word(blocks, from)] ?? 0
      for (let group = 0; group < 32; group++) {
        const high = ((blocks[from + 66 + (group >> 2)] ?? 0) >> (2 * (group & 3))) & 3
        const scale = d * (0.5 + nibble(blocks, from + 74, group >> 1)) * 0.25
        putSigned(out, to + group * 8, grid, ((blocks[from + 2 + group] ?? 0) | (high << 8)) * 8, scale, blocks[from + 34 + group] ?? 0)
      }
    }
  }
}

export function makeIQ3_XXS(): Unpack {
  const [halves, grid, signsOf] = [halfTable(), unpackGrid('iq3xxs'), unpackSigns()]
  return (blocks, out) => {
    for (let from = 0, to = 0; to < out.length; from += 98, to += 256) {
      const d = halves[word(blocks, from)] ?? 0
      for (let part = 0; part < 8; part++) {
        const bits = word(blocks, from + 66 + part * 4) | (word(blocks, from + 68 + part * 4) << 16)
        const scale = d * (0.5 + (bits >>> 28)) * 0.5
        for (let group = 0; group < 4; group++) {
          const at = from + 2 + part * 8 + group * 2
          const signs = signsOf[(bits >> (7 * group)) & 127] ?? 0
          putPair(out, to + part * 32 + group * 8, grid, [blocks[at] ?? 0, blocks[at + 1] ?? 0], scale, signs)
        }
      }
    }
  }
}

export function makeIQ3_S(): Unpack {
  const [halves, grid] = [halfTable(), unpackGrid('iq3s')]
  return (blocks, out) => {
    for (let from = 0, to = 0; to < out.length; from += 110, to += 256) {
      const d = halves[word(blocks, from)] ?? 0
      for (let group = 0; group < 32; group++) {
        const at = from + 2 + group * 2
        const high = (blocks[from + 66 + (group >> 2)] ?? 0) >> (2 * (group & 3))
        const first = (blocks[at] ?? 0) | ((high & 1) << 8)
        const second = (blocks[at + 1] ?? 0) | ((high & 2) << 7)
        const scale = d * (1 + 2 * nibble(blocks, from + 106, group >> 2))
        putPair(out, to + group * 8, grid, [first, second], scale, blocks[from + 74 + group] ?? 0)
      }
    }
  }
}

/** Added to each value of the one-bit types' grid, or taken from it. */
const delta = 0.125

export function makeIQ1_S(): Unpack {
  const [halves, grid] = [halfTable(), unpackGrid('iq1')]
  return (blocks, out) => {
    for (let from = 0, to = 0; to < out.length; from += 50, to += 256) {
      const d = halves[word(blocks, from)] ?? 0
      for (let part = 0; part < 8; part++) {
        const bits = word(blocks, from + 34 + part * 2)
        const scale = d * (2 * ((bits >> 12) & 7) + 1)
        const shift = bits & 0x8000 ? -delta : delta
        for (let group = 0; group < 4; group++) {
          const entry = ((blocks[from + 2 + part * 4 + group] ?? 0) | (((bits >> (3 * group)) & 7) << 8)) * 8
          for (let at = 0; at < 8; at++) out[to + part * 32 + group * 8 + at] = scale * ((grid[entry + at] ?? 0) + shift)
        }
      }
    }
  }
}

export function makeIQ1_M(): Unpack {
  const [halves, grid] = [halfTable(), unpackGrid('iq1')]
  return (blocks, out) => {
    for (let from = 0, to = 0; to < out.length; from += 56, to += 256) {
      const scales = from + 48
      // The block's own scale is spread over the upper four bits of four words.
      let bits = 0
      for (let part = 0; part < 4; part++) bits |= (word(blocks, scales + 2 * part) >> 12) << (4 * part)
      const d = halves[bits] ?? 0
      for (let group = 0; group < 32; group++) {
        const part = group >> 1
        const scale = d * (2 * ((word(blocks, scales + 2 * (part >> 2)) >> (3 * (part & 3))) & 7) + 1)
        const high = (blocks[from + 32 + part] ?? 0) >> (4 * (group & 1))
        const entry = ((blocks[from + group] ?? 0) | ((high & 7) << 8)) * 8
        const shift = high & 8 ? -delta : delta
        for (let at = 0; at < 8; at++) out[to + group * 8 + at] = scale * ((grid[entry + at] ?? 0) + shift)
      }
    }
  }
}

/** Four bits: number `index` from byte `start` on, low halves first. */
function nibble(blocks: Uint8Array, start: number, index: number): number {
  return ((blocks[start + (index >> 1)] ?? 0) >> (4 * (index & 1))) & 15
}
