import { describe, expect, it } from 'vitest'
import { maskOf, maskOfReaders, windowMask } from '../../../src/engines/scoring/tree-pass.ts'

const masked = -9

/** Rows as text: what a token sees. */
function seen(mask: Float32Array, total: number): string[] {
  return Array.from({ length: mask.length / total }, (_, row) =>
    [...mask.subarray(row * total, (row + 1) * total)].map((value) => (value === 0 ? 'x' : '.')).join(''),
  )
}

describe('what layers with a window see', () => {
  it('is the last tokens of a chain, its own among them', () => {
    const mask = maskOf(Int32Array.of(-1, 0, 1), 3, masked)
    expect(seen(mask, 6)).toEqual(['xxxx..', 'xxxxx.', 'xxxxxx'])
    expect(seen(windowMask(mask, Int32Array.of(0, 1, 2, 3, 4, 5), 3, masked), 6)).toEqual(['.xxx..', '..xxx.', '...xxx'])
  })

  it('goes by positions where another branch stands between', () => {
    // Two branches of two tokens each after a cache of two.
    const mask = maskOf(Int32Array.of(-1, 0, -1, 2), 2, masked)
    expect(seen(windowMask(mask, Int32Array.of(0, 1, 2, 3, 2, 3), 3, masked), 6)).toEqual(['xxx...', '.xxx..', 'xx..x.', '.x..xx'])
  })

  it('goes by positions where texts stand behind each other in the cache', () => {
    // Text 1 is 0 1 3, text 2 is 0 1 2: the cache holds what both read, then a token of each.
    const readers = { cache: Uint8Array.of(3, 3, 1, 2), positions: Int32Array.of(0, 1, 2, 2), run: Uint8Array.of(1, 2) }
    const mask = maskOfReaders(readers, masked)
    expect(seen(mask, 6)).toEqual(['xxx.x.', 'xx.x.x'])
    expect(seen(windowMask(mask, Int32Array.of(...readers.positions, 3, 3), 3, masked), 6)).toEqual(['.xx.x.', '.x.x.x'])
  })

  it('leaves the mask as it is', () => {
    const mask = maskOf(Int32Array.of(-1, 0), 0, masked)
    windowMask(mask, Int32Array.of(0, 1), 1, masked)
    expect(seen(mask, 2)).toEqual(['x.', 'xx'])
  })
})
