import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { halfTable, packHalves, unpackBfloats, unpackFloats, unpackHalves } from '../../../src/weights/convert/half.ts'
import { madeNormals, madeWords } from '../../support/made-bytes.ts'

interface Golden {
  readonly halves_as_float32: string
  readonly to_half: { readonly [name: string]: readonly [count: number, values: string, halves: string] }
}
const golden = JSON.parse(readFileSync(join(import.meta.dirname, '../../goldens/weights/numbers.json'), 'utf8')) as Golden

function sha(values: Float32Array | Uint16Array | Uint32Array): string {
  return createHash('sha256')
    .update(new Uint8Array(values.buffer, values.byteOffset, values.byteLength))
    .digest('hex')
    .slice(0, 16)
}

const bitsOf = (values: Float32Array) => new Uint32Array(values.buffer, values.byteOffset, values.length)

describe('float16 to float32', () => {
  test("each of the 65,536 is numpy's", () => {
    expect(sha(bitsOf(halfTable()).map((bits, half) => (Number.isNaN(halfTable()[half]) ? 0x7fc00000 : bits)))).toBe(
      golden.halves_as_float32,
    )
  })

  test('reads little-endian bytes at any place', () => {
    const out = new Float32Array(3)
    unpackHalves(Uint8Array.of(9, 0x00, 0x3c, 0xff, 0x7b, 0x01, 0x80).subarray(1), out)
    expect([...out]).toEqual([1, 65504, -(2 ** -24)])
  })
})

describe("float32 to float16 gives numpy's bits", () => {
  /** Each half that is finite, the middle to the next, and the float32 values beside that middle. */
  function ties(): Float32Array {
    const finite = halfTable().filter((value) => Number.isFinite(value))
    const halves = Uint16Array.from({ length: 0x10000 }, (_, half) => half).filter((half) => Number.isFinite(halfTable()[half]))
    // numpy's nextafter towards infinity: zero of either sign goes to the least, and negative ones come nearer to zero.
    const next = (half: number) => (half === 0x8000 ? 1 : half < 0x8000 ? half + 1 : half - 1)
    const middles = finite.map((value, at) => (value + (halfTable()[next(halves[at] ?? 0)] ?? 0)) / 2)
    const beside = (step: number) =>
      new Float32Array(
        bitsOf(middles).map((bits, at) => {
          const value = middles[at] ?? 0
          if (value === Infinity) return step > 0 ? bits : 0x7f7fffff
          return value > 0 ? bits + step : bits - step
        }).buffer,
      )
    return Float32Array.from([finite, middles, beside(-1), beside(1)].flatMap((part) => [...part])).filter((value) =>
      Number.isFinite(value),
    )
  }

  test.each([
    ['anything', () => new Float32Array(madeWords(11, 500_000).buffer)],
    ['near', () => madeNormals(12, 500_000).map((value, at) => value * 2 ** ((at % 48) - 30))],
    ['ties', ties],
  ])('%s', (name, make) => {
    const values = make()
    const [count, wanted, wantedHalves] = golden.to_half[name] ?? [0, '', '']
    expect([values.length, sha(values)]).toEqual([count, wanted])
    const halves = new Uint16Array(values.length)
    const overflowed = packHalves(values, halves)
    expect(sha(halves.map((half, at) => (Number.isNaN(values[at]) ? 0x7e00 : half)))).toBe(wantedHalves)
    expect(overflowed).toBe(values.filter((value) => Number.isFinite(value) && Math.abs(value) >= 65520).length)
  })

  test('tells how many values no half can hold, infinities not among them', () => {
    const halves = new Uint16Array(5)
    expect(packHalves(Float32Array.of(65519.996, 65520, -1e30, Infinity, NaN), halves)).toBe(2)
    expect([...halves]).toEqual([0x7bff, 0x7c00, 0xfc00, 0x7c00, 0x7e00])
  })
})

describe('bfloat16 and float32', () => {
  test('each bfloat16 is the upper half of its float32, NaNs too', () => {
    const bytes = new Uint8Array(Uint16Array.from({ length: 0x10000 }, (_, bits) => bits).buffer)
    const out = new Float32Array(0x10000)
    unpackBfloats(bytes, out)
    expect(bitsOf(out).every((bits, half) => bits === half * 0x10000)).toBe(true)
  })

  test('float32 values come through bit for bit, at any place', () => {
    const bytes = new Uint8Array(madeWords(3, 1001).buffer).subarray(3, 4003)
    const out = new Float32Array(1000)
    unpackFloats(bytes, out)
    expect(Buffer.compare(new Uint8Array(out.buffer), bytes)).toBe(0)
  })
})
