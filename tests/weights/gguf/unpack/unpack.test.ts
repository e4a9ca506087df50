import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tensorTypes } from '../../../../src/weights/gguf/types.ts'
import { unpackableTypes, unpackerOf } from '../../../../src/weights/gguf/unpack/unpack.ts'
import { madeBytes } from '../../../support/made-bytes.ts'

interface Golden {
  readonly types: {
    readonly [name: string]: readonly [
      number: number,
      values: number,
      bytes: number,
      seed: number,
      parts: readonly string[],
      first: readonly string[],
    ]
  }
}
const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../../../goldens/weights/gguf-types.json'), 'utf8')) as Golden

/** Bits with every NaN as 0x7fc00000. */
function bitsOf(values: Float32Array): Uint32Array {
  return new Uint32Array(values.buffer, values.byteOffset, values.length).map((bits) =>
    (bits & 0x7fffffff) > 0x7f800000 ? 0x7fc00000 : bits,
  )
}

describe('10,000 random blocks unpack to the bits of gguf.quants.dequantize', () => {
  test.each(Object.entries(golden.types))('%s', async (name, [number, values, bytes, seed, parts, first]) => {
    expect(tensorTypes.get(number)).toEqual({ name, values, bytes })
    const unpack = await unpackerOf(name)
    const blocks = madeBytes(seed, 10_000 * bytes)
    const out = new Float32Array(1000 * values)
    for (const [part, wanted] of parts.entries()) {
      unpack?.(blocks.subarray(part * 1000 * bytes, (part + 1) * 1000 * bytes), out)
      if (part === 0) expect(Array.from(bitsOf(out.subarray(0, values)), (bits) => bits.toString(16).padStart(8, '0'))).toEqual(first)
      expect([
        part,
        createHash('sha256')
          .update(new Uint8Array(bitsOf(out).buffer))
          .digest('hex')
          .slice(0, 16),
      ]).toEqual([part, wanted])
    }
  })
})

test('unpacks every type that Python does, and no other', async () => {
  expect([...unpackableTypes].sort()).toEqual(Object.keys(golden.types).sort())
  for (const { name } of tensorTypes.values()) expect((await unpackerOf(name)) !== null).toBe(name in golden.types)
  expect(await unpackerOf('Q4_2')).toBeNull()
})
