/** Long texts; what sacrebleu gives for short ones is held in conformance-corpora.test.ts. */
import { describe, expect, it } from 'vitest'
import { ter } from '../../../src/harness/metrics/ter.ts'

describe('TER of long texts', () => {
  const words = (count: number, step: number): string => Array.from({ length: count }, (_, i) => `w${(i * step) % 1009}`).join(' ')

  it('keeps rows as wide as the beam', () => {
    // The fewer words an answer has, the wider the beam. sacrebleu 2.6.0 says 15999 too.
    const [edits, length] = ter.countSegment('w5 w7 w9', [words(16_000, 1)])
    expect([edits, length]).toEqual([15_999, 16_000])
  })

  it('is refused where it would take minutes', () => {
    expect(() => ter.countSegment(words(10_000, 1), [words(10_000, 7)])).toThrow('the answer has 10000 words, the reference 10000')
    expect(ter.countSegment(words(10_000, 1), [''])).toEqual([10_000, 0])
  })
})
