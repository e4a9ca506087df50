import { expect, test } from 'vitest'
import { isRepackable, repackBlocks } from '../../../src/weights/convert/gguf-blocks.ts'
import { halfTable } from '../../../src/weights/convert/half.ts'
import type { NBitsRows } from '../../../src/weights/convert/matmul-nbits.ts'
import { madeBytes } from '../../support/made-bytes.ts'

/** What MatMulNBits multiplies by: (q - zero point) × scale in float32, with the zero point that it takes where none is given. */
function valuesOf({ bits, packed, scales }: NBitsRows): Float32Array {
  return Float32Array.from({ length: scales.length * 32 }, (_, at) => {
    const q = bits === 8 ? (packed[at] ?? 0) : ((packed[at >> 1] ?? 0) >> (4 * (at % 2))) & 15
    return (q - 2 ** (bits - 1)) * (scales[at >> 5] ?? 0)
  })
}

/** d × (q - 8) and d × q, as `gguf.quants` unpacks these two types. */
function unpacked(type: 'Q4_0' | 'Q8_0', bytes: Uint8Array): Float32Array {
  const size = type === 'Q4_0' ? 18 : 34
  return Float32Array.from({ length: (bytes.length / size) * 32 }, (_, at) => {
    const from = (at >> 5) * size
    const d = halfTable()[(bytes[from] ?? 0) | ((bytes[from + 1] ?? 0) << 8)] ?? 0
    const place = at % 32
    if (type === 'Q8_0') return d * (((bytes[from + 2 + place] ?? 0) << 24) >> 24)
    return d * ((((bytes[from + 2 + (place % 16)] ?? 0) >> (place < 16 ? 0 : 4)) & 15) - 8)
  })
}

const bitsOf = (values: Float32Array) => new Uint32Array(values.map((value) => (Number.isNaN(value) ? NaN : value)).buffer)

test.each([
  ['Q4_0', 18],
  ['Q8_0', 34],
] as const)('%s: 10,000 random blocks hold the same values as before, bit for bit', (type, size) => {
  const bytes = madeBytes(21, 10_000 * size)
  const found = repackBlocks(type, bytes)
  expect(found.zeroPoints).toBeNull()
  expect(found.packed).toHaveLength(10_000 * (type === 'Q4_0' ? 16 : 32))
  expect(Buffer.compare(new Uint8Array(bitsOf(valuesOf(found)).buffer), new Uint8Array(bitsOf(unpacked(type, bytes)).buffer))).toBe(0)
})

test('only these two have blocks of the operator’s shape', () => {
  expect(['Q4_0', 'Q4_1', 'Q8_0', 'Q4_K', 'F16'].filter(isRepackable)).toEqual(['Q4_0', 'Q8_0'])
})
