/** The tables of the IQ types, unpacked. */
import { packedGrids, packedSigns, type PackedGrid } from './iq-grids.ts'

export type GridName = keyof typeof packedGrids

/** Values of all entries, one entry behind the other: 8 each, or 4 in `iq3xxs` and `iq3s`. */
export function unpackGrid(name: GridName): Float32Array {
  const { values, digits }: PackedGrid = packedGrids[name]
  const bits = values.length > 4 ? 4 : 2
  const bytes = bytesOf(digits)
  const perByte = 8 / bits
  return Float32Array.from(
    { length: bytes.length * perByte },
    (_, at) => values[((bytes[Math.floor(at / perByte)] ?? 0) >> (bits * (at % perByte))) & (2 ** bits - 1)] ?? 0,
  )
}

/** Eight bits of signs by seven: a set bit is a minus, the lowest the first value's. */
export function unpackSigns(): Uint8Array {
  return bytesOf(packedSigns)
}

function bytesOf(lines: readonly string[]): Uint8Array {
  const digits = lines.join('')
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => Number.parseInt(digits.slice(2 * at, 2 * at + 2), 16))
}
