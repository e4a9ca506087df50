import { describe, expect, it } from 'vitest'
import { plainRope, rotaryTable } from '../../src/architectures/rope.ts'

describe('rotary tables', () => {
  it('hold the cosines and sines of position by frequency, row by row, in float32', () => {
    const rope = plainRope(10_000, 8)
    expect(rope.frequencies).toEqual([1, 0.1, 0.01, 0.001].map(Math.fround))
    const cos = rotaryTable(rope, 'cos', 3)
    const sin = rotaryTable(rope, 'sin', 3)
    expect([...cos.subarray(0, 4), ...sin.subarray(0, 4)]).toEqual([1, 1, 1, 1, 0, 0, 0, 0])
    expect(cos[9]).toBe(Math.fround(Math.cos(Math.fround(2 * Math.fround(0.1)))))
    expect(sin[11]).toBe(Math.fround(Math.sin(Math.fround(2 * Math.fround(0.001)))))
  })

  it('are multiplied by the magnitude', () => {
    const rope = { frequencies: [1], magnitude: 1.5 }
    expect([...rotaryTable(rope, 'cos', 2)]).toEqual([1.5, Math.fround(Math.fround(Math.cos(1)) * 1.5)])
  })
})
