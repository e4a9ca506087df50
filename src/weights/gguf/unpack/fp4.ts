/** Floats of four bits (E2M1) with a scale of eight: MXFP4 and NVFP4. Source: `gguf.quants` 0.19. */
import type { Unpack } from './blocks.ts'

/** Twice the values of E2M1, so that they are whole; the scales are halved. Minus zero is 0, as in llama.cpp. */
const doubled = Float32Array.of(0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12)

/** Half of a power of two by its exponent (E8M0): the smallest two are subnormal float32 values. */
function halfPower(exponent: number): number {
  return 2 ** (exponent - 128)
}

export const unpackMXFP4: Unpack = (blocks, out) => {
  for (let from = 0, to = 0; to < out.length; from += 17, to += 32) {
    const d = halfPower(blocks[from] ?? 0)
    for (let at = 0; at < 16; at++) {
      const byte = blocks[from + 1 + at] ?? 0
      out[to + at] = d * (doubled[byte & 15] ?? 0)
      out[to + 16 + at] = d * (doubled[byte >> 4] ?? 0)
    }
  }
}

/** Half of a float of four bits' exponent and three bits' fraction, whatever the sign's bit says; 0x7f is no number, and counts as 0. */
function halfOfE4M3(byte: number): number {
  if (byte === 0x7f) return 0
  const exponent = (byte >> 3) & 15
  const fraction = byte & 7
  return (exponent === 0 ? fraction * 2 ** -9 : (1 + fraction / 8) * 2 ** (exponent - 7)) / 2
}

/** Four parts of 16 values, each with a scale; of a part's eight bytes the low halves come first. */
export const unpackNVFP4: Unpack = (blocks, out) => {
  for (let from = 0, to = 0; to < out.length; from += 36, to += 64) {
    for (let part = 0; part < 4; part++) {
      const d = halfOfE4M3(blocks[from + part] ?? 0)
      for (let at = 0; at < 8; at++) {
        const byte = blocks[from + 4 + part * 8 + at] ?? 0
        out[to + part * 16 + at] = d * (doubled[byte & 15] ?? 0)
        out[to + part * 16 + 8 + at] = d * (doubled[byte >> 4] ?? 0)
      }
    }
  }
}
